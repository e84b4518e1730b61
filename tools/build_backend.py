# SPDX-License-Identifier: Apache-2.0
"""The build backend of setuptools, which also requires ROS 2 and CMake as wheels if they are missing.

An existing ROS 2 (sourced, or in the environment that is installed into) is used for the build.
"""

import os
import sys
from pathlib import Path

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - all hooks but those below

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements"
ROS_WHEELS = "jazzy.txt"
linked = False  # whether the wheel has only what is built: `make venv` links the rest to the checkout


def pins(name: str) -> list[str]:
    """The requirements in a file of requirements/."""
    lines = (REQUIREMENTS / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def ros_prefixes() -> list[str]:
    """The prefixes of ROS 2: the sourced ones, else one with the ROS wheels; empty if there is none.

    sys.prefix is that of the environment which pip installs into, also in pip's isolated builds. Other builders have
    their own, so ROS_PREFIX or the activated environment is tried next, and last the wheels that the builder
    installed for this build only, which are found on sys.path.
    """
    sourced = [p for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p]
    if sourced:
        return sourced
    of_build = [Path(p).parents[2] for p in sys.path if p.endswith("-packages")]
    for prefix in (os.environ.get("ROS_PREFIX"), sys.prefix, os.environ.get("VIRTUAL_ENV"), *of_build):
        if prefix and (Path(prefix) / "share" / "ament_cmake").is_dir():
            return [str(prefix)]
    return []


def get_requires_for_build_wheel(config_settings: dict[str, str] | None = None) -> list[str]:
    """The packages that the builder installs before the build."""
    return [*pins("build.txt"), *([] if ros_prefixes() else pins(ROS_WHEELS))]


def build_wheel(
    wheel_directory: str, config_settings: dict[str, str] | None = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel; ``checkout=linked`` among the settings makes it one for `make venv`. Returns its name."""
    global linked  # setup.py, which runs in this process, reads it
    linked = (config_settings or {}).get("checkout") == "linked"
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name
