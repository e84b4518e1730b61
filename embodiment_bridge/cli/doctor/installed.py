# SPDX-License-Identifier: Apache-2.0
"""Checks that modules can be imported, and that the installation is up to date with the sources."""

from collections.abc import Mapping
from pathlib import Path

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok, warn
from embodiment_bridge.core.paths import is_file

DISTRIBUTIONS = {"7": "jazzy", "9": "kilted"}  # by major version of rclpy
DATA = ("msg", "srv", "action", "launch", "config", "urdf")  # of a checkout, installed under share/
INTERFACES = {".msg", ".srv", ".action"}


def check_rclpy(version: str, error: str, executor: str, env: Mapping[str, str]) -> Finding:
    """Check that ROS can be imported, and which one. error: why it cannot; executor: name of the class in use."""
    if error:
        return fail(
            "rclpy",
            f"cannot be imported: {error}",
            "run `make venv`, or source /opt/ros/DISTRIBUTION/setup.bash with the Python of that distribution",
        )
    distribution = DISTRIBUTIONS.get(version.split(".")[0], "")
    told = env.get("ROS_DISTRO", "")
    if distribution and told and told != distribution:
        return warn(
            "rclpy",
            f"{version} is of {distribution}, but ROS_DISTRO={told} was left by another setup file",
            "open a new shell, or unset ROS_DISTRO",
        )
    text = f"{version} ({distribution or told or 'distribution not known'}), {executor}"
    if executor == "SingleThreadedExecutor":
        return warn(
            "rclpy", text, "for three times the rate take a distribution with the events executor (jazzy on)"
        )
    return ok("rclpy", text)


def check_importable(what: str, error: str, advice: str) -> Finding:
    """Check that a module can be imported; error: why it cannot."""
    return fail(what, f"cannot be imported: {error}", advice) if error else ok(what, "can be imported")


def check_sources(checkout: Path | None, share: Path, code: Path) -> Finding:
    """Check that the installed files are the same as those of the sources.

    Args:
        checkout: folder of the sources, if there is one.
        share: where the package's data files are installed.
        code: the folder of the modules that are imported.
    """
    what = "installed files"
    if checkout is None:
        return ok(what, "no sources at hand to compare with")
    pairs = {path: share / path.relative_to(checkout) for name in DATA for path in _files(checkout / name)}
    package = checkout / code.name
    if package != code:
        pairs |= {path: code / path.relative_to(package) for path in package.rglob("*.py")}
    stale = sorted(path for path, installed in pairs.items() if not _same(path, installed))
    if not stale:
        return ok(what, f"the same as in {checkout}")
    named = ", ".join(str(path.relative_to(checkout)) for path in stale[:3]) + (
        ", ..." if len(stale) > 3 else ""
    )
    text = f"{len(stale)} differ from {checkout}: {named}"
    advice = "build again: `make venv` or `colcon build`"
    if any(path.suffix in INTERFACES for path in stale):
        return fail(what, text, advice)
    return warn(what, text, advice)


def find_checkout(folders: list[Path], name: str) -> Path | None:
    """The first of the folders that has the sources of package ``name``."""
    return next(
        (f for f in folders if (f / "package.xml").is_file() and (f / name / "__init__.py").is_file()), None
    )


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _same(source: Path, installed: Path) -> bool:
    return is_file(installed) and source.read_bytes() == installed.read_bytes()
