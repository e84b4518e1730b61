# SPDX-License-Identifier: Apache-2.0
"""Checks whether DDS security (SROS 2) can work here if it is switched on."""

import mmap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from embodiment_bridge.cli.doctor.finding import Finding, fail, ok, warn
from embodiment_bridge.core.paths import is_dir, is_file

WHAT = "security"
ENABLE, KEYSTORE, STRATEGY = "ROS_SECURITY_ENABLE", "ROS_SECURITY_KEYSTORE", "ROS_SECURITY_STRATEGY"
RMW = "RMW_IMPLEMENTATION"
PLUGIN = b"builtin.PKI-DH"  # name of the authentication plug-in, in a library that was built with it
NAMES = ("libfastrtps.so", "libfastdds.so")


def check_security(env: Mapping[str, str], libraries: Sequence[Path]) -> Finding:
    """Check the variables, and whether the middleware supports security. libraries: folders of shared libraries."""
    if env.get(ENABLE) != "true":
        if env.get(ENABLE):
            return warn(WHAT, f"{ENABLE}={env[ENABLE]} means off; only `true` is on", f"export {ENABLE}=true")
        return ok(WHAT, "off: every program that can reach this domain may command the robot")
    store = Path(env.get(KEYSTORE, ""))
    if not env.get(KEYSTORE) or not is_dir(store / "enclaves"):
        return fail(WHAT, f"{KEYSTORE}={env.get(KEYSTORE, '')} has no folder enclaves", "docs/ros.md, SROS 2")
    if env.get(RMW) in (None, "", "rmw_fastrtps_cpp") and not has_plugin(libraries):
        return fail(
            WHAT,
            "this Fast DDS was built without DDS-Security, so no node starts",
            f"unset {ENABLE}, or use a ROS 2 installation (the wheels on PyPI have none)",
        )
    if env.get(STRATEGY) != "Enforce":
        return warn(WHAT, "a node without keys runs without security", f"export {STRATEGY}=Enforce")
    return ok(WHAT, f"on, keys of {store}")


def has_plugin(folders: Iterable[Path]) -> bool:
    """Whether the middleware in one of the folders supports security; also true if it is not found."""
    files = [folder / name for folder in folders for name in NAMES if is_file(folder / name)]
    if not files:
        return True  # cannot be decided
    with files[0].open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        return text.find(PLUGIN) >= 0
