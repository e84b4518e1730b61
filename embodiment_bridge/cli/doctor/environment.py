# SPDX-License-Identifier: Apache-2.0
"""Checks the environment variables of ROS as the user has set them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok, warn
from embodiment_bridge.core.paths import is_dir, is_file
from embodiment_bridge.launching.environment import is_on_loopback

PACKAGE = "embodiment_bridge"
MARKER = Path("share/ament_index/resource_index/packages")
GUARD = "_ROS_WHEELS_BOOTSTRAP_COMPLETE"  # set in a Python that the ROS wheels have restarted
RANGES = ("LOCALHOST", "SUBNET", "OFF", "SYSTEM_DEFAULT")
LAST_DOMAIN = 232
LAST_SAFE_DOMAIN = 101  # domains from here to 214 use ephemeral ports of Linux
FIRST_SAFE_HIGH_DOMAIN = 215
DEFAULT_RMW = "rmw_fastrtps_cpp"


def check_prefixes(env: Mapping[str, str], prefix: Path, code: Path) -> Finding:
    """Check that ROS finds the files of this package. prefix: of Python; code: the folder of the package's modules."""
    what = "AMENT_PREFIX_PATH"
    told = [Path(p) for p in env.get(what, "").split(":") if p]
    absent = [str(p) for p in told if not is_dir(p)]
    found = next((p for p in (told or [prefix]) if is_file(p / MARKER / PACKAGE)), None)
    if found is None:
        where = env.get(what) or f"not set, and {prefix}"
        advice = (
            "run `make venv`"
            if not told
            else "unset AMENT_PREFIX_PATH, or source install/setup.bash of the workspace"
        )
        return fail(what, f"{where} has no package {PACKAGE}", advice)
    if absent:
        return warn(what, f"{', '.join(absent)} not there", "open a new shell and source one setup file only")
    if not code.is_relative_to(found):
        return warn(
            what,
            f"code is from {code}, but launch files and bodies from {found}",
            "unset PYTHONPATH, or build again after each change (`make venv`)",
        )
    return ok(what, f"{PACKAGE} is in {found}")


def check_domain(env: Mapping[str, str]) -> Finding:
    """Check that other programs cannot take the ports of the ROS domain."""
    what = "ROS_DOMAIN_ID"
    text = env.get(what, "")
    if not text:
        return ok(what, "not set: domain 0")
    if not (text.isascii() and text.isdigit()) or int(text) > LAST_DOMAIN:
        return fail(
            what,
            f"{text!r} is not a number from 0 to {LAST_DOMAIN}",
            f"export {what}=0 (up to {LAST_SAFE_DOMAIN})",
        )
    if LAST_SAFE_DOMAIN < int(text) < FIRST_SAFE_HIGH_DOMAIN:
        return warn(
            what,
            f"{text}: its ports may be taken by any program",
            f"export {what}=0 (up to {LAST_SAFE_DOMAIN}, or {FIRST_SAFE_HIGH_DOMAIN} to {LAST_DOMAIN})",
        )
    return ok(what, text)


def check_discovery(env: Mapping[str, str]) -> Finding:
    """Check on which machines nodes discover each other."""
    what = "ROS_AUTOMATIC_DISCOVERY_RANGE"
    advice = f"export {what}=LOCALHOST"
    if "ROS_LOCALHOST_ONLY" in env:
        return warn(
            "discovery",
            f"ROS_LOCALHOST_ONLY={env['ROS_LOCALHOST_ONLY']} is out of date and wins over {what}",
            f"unset ROS_LOCALHOST_ONLY; {advice}",
        )
    told = env.get(what)
    if told is None:
        return ok(
            "discovery", f"{what} is not set: our own commands are on loopback only, `ros2` is on SUBNET"
        )
    if is_on_loopback(env):
        return ok("discovery", "our own profile: this machine only, on loopback")
    if told not in RANGES:
        return fail("discovery", f"{what}={told} is not one of {', '.join(RANGES)}", advice)
    if told == "OFF":
        return warn("discovery", "OFF: programs do not see each other's nodes", advice)
    if told == "LOCALHOST":
        return ok("discovery", "LOCALHOST: this machine only")
    return warn(
        "discovery",
        f"{told}: nodes of other machines are seen too, and see these",
        f"if not wanted, {advice}",
    )


def check_middleware(env: Mapping[str, str], libraries: Sequence[Path]) -> Finding:
    """Check that the chosen ROS middleware is installed. libraries: folders of shared libraries."""
    name = env.get("RMW_IMPLEMENTATION", "") or DEFAULT_RMW
    if any(is_file(folder / f"lib{name}.so") for folder in libraries):
        return ok("middleware", name)
    if name == DEFAULT_RMW:
        return fail("middleware", f"{name} is not installed", "run `make venv`")
    return fail("middleware", f"RMW_IMPLEMENTATION={name} is not installed", "unset RMW_IMPLEMENTATION")


def check_libraries(env: Mapping[str, str], prefix: Path) -> Finding:
    """Check that the libraries of another environment are not found first. prefix: of this Python."""
    told = [Path(p) for p in env.get("LD_LIBRARY_PATH", "").split(":") if p]
    ours = {prefix, *(Path(p) for p in env.get("AMENT_PREFIX_PATH", "").split(":") if p)}
    # Only folders with ROS in them matter; a package of a workspace may have lib/ under its own prefix.
    foreign = [str(p) for p in told if is_dir(p.parent / MARKER) and p.parent not in ours]
    advice = f"unset LD_LIBRARY_PATH {GUARD}"
    if foreign:
        return fail(
            "libraries", f"LD_LIBRARY_PATH names those of another environment: {', '.join(foreign)}", advice
        )
    if env.get(GUARD) and is_dir(prefix / MARKER) and prefix / "lib" not in told:
        return fail("libraries", f"{GUARD} was inherited, so {prefix / 'lib'} is not searched", advice)
    return ok("libraries", "LD_LIBRARY_PATH names no other environment")
