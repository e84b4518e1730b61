# SPDX-License-Identifier: Apache-2.0
"""Checks this Python, its text encoding, the clock and the log folder."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok, warn

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
