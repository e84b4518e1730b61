# SPDX-License-Identifier: Apache-2.0
"""Checks this machine: Python, clock, encoding, programs, serial ports, and who listens on a TCP port."""

from collections.abc import Iterable, Mapping
from ctypes.util import find_library
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok, warn
from embodiment_bridge.core.input_file import is_file
from embodiment_bridge.core.listening import Listener

SIMULATORS = {  # agents and monitors of each, and what the commands of those that listen there contain
    60000: ("rcssservermj",),
    60001: ("rcssservermj",),
    3100: ("rcssserver3d", "peer simspark"),
    3200: ("rcssserver3d", "peer simspark"),
}


def check_port(port: int, listener: Listener | None) -> Finding:
    """Check that a port of a simulator is free or used by that simulator."""
    what = f"port {port}"
    if listener is None:
        return ok(what, "free")
    if not listener.pid:
        return warn(what, f"taken by {listener}", "if it is not a simulator, choose another: port:=NUMBER")
    simulator = next((name for name in SIMULATORS.get(port, ()) if name in listener.command), "")
    if simulator:
        return ok(what, f"{simulator} listens there, {listener}")
    return warn(what, f"taken by {listener}", "choose another with port:=NUMBER, or end that process")


OPTIONAL = {
    "rcssservermj": "the demo and start_peer:=true (pip install rcsssmj)",
    "chromium": "looking at the viewer without a browser of one's own (apt install chromium)",
}
VOICE = "espeak-ng"
VOICE_FOR = "speech that is heard (the extra [speech], or pip install espeakng-loader)"
MINIAUDIO = "miniaudio"
MINIAUDIO_FOR = "hearing sound (pip install miniaudio)"
SERIAL = Path("/sys/bus/usb-serial/devices")
BEST_LATENCY = 1  # ms


def check_program(name: str, path: str | None, needed_for: str) -> Finding:
    """Return the path of a program, or what is not possible without it."""
    return ok(name, path) if path else ok(name, f"absent: needed only for {needed_for}")


def find_voice() -> str | None:
    """Return the place of espeak-ng: that of PyPI's wheel, else the system's library. Neither is loaded."""
    wheel = find_spec("espeakng_loader")
    return find_library("espeak-ng") if wheel is None else wheel.origin


def find_distribution(name: str) -> str | None:
    """Return the version of a Python distribution; None if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def check_serial(timers: Mapping[str, int]) -> Finding:
    """Check latency timers of serial adapters (ms by device): the chip delays a short answer by this time."""
    if not timers:
        return ok("serial ports", "no adapter with a latency timer")
    slow = {name: timer for name, timer in timers.items() if timer > BEST_LATENCY}
    if not slow:
        return ok("serial ports", f"{', '.join(sorted(timers))}: latency timer {BEST_LATENCY} ms")
    return warn(
        "serial ports",
        ", ".join(
            f"{name}: latency timer {timer} ms, at most {1000 // timer} answers/s"
            for name, timer in slow.items()
        ),
        " && ".join(f"echo {BEST_LATENCY} | sudo tee {SERIAL / name / 'latency_timer'}" for name in slow),
    )


def latency_timers(devices: Iterable[Path]) -> dict[str, int]:
    """Return the latency timers of the devices that have one, ms by name.

    Devices: below /sys/bus/usb-serial/devices.
    """
    timers = {device.name: _read_number(device / "latency_timer") for device in sorted(devices)}
    return {name: timer for name, timer in timers.items() if timer is not None}


def _read_number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # an adapter without a timer, or unplugged meanwhile
        return None


DISTRIBUTIONS = {"7": "jazzy", "9": "kilted", "10": "lyrical"}  # by major version of rclpy
DATA = ("msg", "srv", "action", "launch", "config", "urdf")  # folders of a checkout, installed under share/
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
    """Return the first of the folders that has the sources of package ``name``."""
    return next(
        (f for f in folders if (f / "package.xml").is_file() and (f / name / "__init__.py").is_file()), None
    )


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _same(source: Path, installed: Path) -> bool:
    return is_file(installed) and source.read_bytes() == installed.read_bytes()


OLDEST = (3, 11)
NEWEST_WHEELS = (3, 13)  # newest CPython with ROS wheels on PyPI; the oldest is OLDEST
UTF8 = {"utf-8", "utf8"}


def check_python(
    version: tuple[int, int, int], prefix: str, base_prefix: str, env: Mapping[str, str]
) -> Finding:
    """Check that ROS is available for this Python. prefix, base_prefix: as in ``sys``."""
    name = ".".join(map(str, version))
    if version[:2] < OLDEST:
        return fail(
            "python", f"{name} is too old", "install Python 3.12 and run `make PYTHON=python3.12 venv`"
        )
    if env.get("AMENT_PREFIX_PATH") and prefix == base_prefix:
        return ok("python", f"{name}, with the ROS of a setup file")
    if prefix == base_prefix:
        return warn(
            "python",
            f"{name} outside of a virtual environment, and no ROS setup file was sourced",
            "run `make venv` and use .venv/bin/embodiment_bridge, or source /opt/ros/DISTRIBUTION/setup.bash",
        )
    if version[:2] > NEWEST_WHEELS:
        return fail(
            "python", f"there are no ROS wheels for {name} in {prefix}", "run `make PYTHON=python3.12 venv`"
        )
    return ok("python", f"{name} in {prefix}")


def check_locale(encoding: str) -> Finding:
    """Check that text other than ASCII can be printed. encoding: that of standard output."""
    if encoding.lower() in UTF8:
        return ok("locale", encoding)
    return warn("locale", f"{encoding} cannot show every text", "export LC_ALL=C.UTF-8")


def check_clock(now: float, installed: float) -> Finding:
    """Check that the clock is not before the installation of this package; both in s since 1970."""
    text = datetime.fromtimestamp(now, UTC).isoformat(" ", "seconds")
    if now < installed:
        return warn(
            "clock",
            f"{text} is before this package was installed, so stamps of other machines will not match",
            "set the clock, e.g. with `sudo timedatectl set-ntp true`",
        )
    return ok("clock", text)


def check_log_folder(folder: Path, writable: bool) -> Finding:
    """Check that nodes can write their log. folder: that of the log, which may not exist yet."""
    if writable:
        return ok("log folder", str(folder))
    return fail("log folder", f"{folder} cannot be written", "export ROS_LOG_DIR=/tmp/ros_log")
