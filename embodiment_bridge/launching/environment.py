# SPDX-License-Identifier: Apache-2.0
"""The environment that ROS and outside programs need, in a virtual environment as under a sourced setup file."""

import os
import shutil
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path

OUR_PROGRAM = "embodiment_bridge"  # under a sourced setup file it is found by PYTHONPATH

# A virtual environment with the ROS wheels starts each Python once more with these set; a child from another
# environment must not inherit them.
OURS_ALONE = ("LD_LIBRARY_PATH", "PYTHONPATH", "_ROS_WHEELS_BOOTSTRAP_COMPLETE")

# The file with the settings of the middleware. Fast DDS 3 (Kilted; its share directory is named fastdds) has the
# second name, and complains of the first in every process.
FASTDDS_PROFILES = ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE")
FASTDDS_3 = Path("share/fastdds")
OUR_PROFILES = Path("share/embodiment_bridge/config/fastdds.xml")


def prepare(env: MutableMapping[str, str] = os.environ) -> None:
    """Fill in what the user has not chosen: where packages are, and that discovery is quick and on this machine."""
    env.setdefault("AMENT_PREFIX_PATH", sys.prefix)
    if not any(name in env for name in FASTDDS_PROFILES):
        prefixes = [Path(prefix) for prefix in env["AMENT_PREFIX_PATH"].split(os.pathsep) if prefix]
        files = [str(prefix / OUR_PROFILES) for prefix in prefixes if (prefix / OUR_PROFILES).is_file()]
        if files:
            new = any((prefix / FASTDDS_3).is_dir() for prefix in prefixes)
            env[FASTDDS_PROFILES[new]] = files[0]
    if "ROS_LOCALHOST_ONLY" not in env:
        env.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


def of_program(name: str, env: Mapping[str, str]) -> dict[str, str]:
    """The environment in which the program ``name`` of a launch file starts: all of ours for our own command line."""
    return dict(env) if name == OUR_PROGRAM else of_outside_program(env)


def of_outside_program(env: Mapping[str, str]) -> dict[str, str]:
    """The environment in which a program that is not of this environment starts."""
    return {name: value for name, value in env.items() if name not in OURS_ALONE}


def find_program(name: str) -> str | None:
    """Path of a program: beside our Python, or on the PATH."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.is_file() else shutil.which(name)
