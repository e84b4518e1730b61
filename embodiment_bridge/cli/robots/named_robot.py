# SPDX-License-Identifier: Apache-2.0
"""Finds the description of a robot by its file, or by its name in the package robot_descriptions."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import exists

ENDING: Final = "_description"  # of its modules; those that end with _mj_description have no URDF


def find_description(name: Path) -> Path:
    """Return the file of a description: a path, or the name of a robot in the package robot_descriptions.

    The package fetches the robot from its repository, once, with git.

    Raises:
        ConfigError: there is no such file, and no robot of that name.
    """
    if exists(name) or name.suffix or len(name.parts) != 1:
        return name
    if find_spec("robot_descriptions") is None:
        raise ConfigError(
            f"{name}: there is no such file; for robots by name, install them: pip install robot_descriptions"
        )
    known = import_module("robot_descriptions._descriptions").DESCRIPTIONS
    urdfs = [robot for robot in known if robot.endswith(ENDING) and not robot.endswith(f"_mj{ENDING}")]
    robots = {robot.removesuffix(ENDING): robot for robot in urdfs}
    wanted = str(name).removesuffix(ENDING)
    if wanted not in robots:
        raise ConfigError(f"{name}: there is no such file; {unknown('robot', wanted, robots)}")
    try:
        module = import_module(f"robot_descriptions.{robots[wanted]}")
    except Exception as error:  # git, the network, the disk: the package raises what it meets
        why = " ".join(str(error).split())
        raise ConfigError(
            f"{name}: robot_descriptions cannot fetch it: {type(error).__name__}: {why}"
        ) from error
    if not hasattr(module, "URDF_PATH"):
        raise ConfigError(f"{name}: robot_descriptions has it as xacro: expand that file and give it instead")
    return Path(module.URDF_PATH)
