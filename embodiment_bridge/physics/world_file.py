# SPDX-License-Identifier: Apache-2.0
"""The world around a robot: one of those of this package, or an MJCF file."""

from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.physics.engine import mujoco, one_line
from embodiment_bridge.physics.model_limits import check_model

FOLDER: Final = Path(__file__).parent / "worlds"
NONE: Final = "none"
AUTO: Final = "auto"


def shipped_worlds() -> dict[str, Path]:
    """The worlds of this package by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.xml"))}


def add_world(spec: mujoco.MjSpec, world: str) -> None:
    """Put a world into the same model as a robot.

    world: a name of ``shipped_worlds``, the path of an MJCF file, ``none`` for nothing but the model's own, or
    ``auto``: ``room``, unless the model has a floor.

    Raises:
        ConfigError: there is no such world, it cannot be read, is over a limit, or names in it are those of the robot.
    """
    if world == AUTO:
        world = NONE if has_floor(spec) else "room"
    if world == NONE:
        return
    shipped = shipped_worlds()
    path = shipped.get(world, Path(world).expanduser())
    if not path.is_file():
        raise ConfigError(
            unknown("world", world, (*shipped, NONE)) + "; a file of that name is not there either"
        )
    check_model(path)
    try:
        spec.attach(mujoco.MjSpec.from_file(str(path)), prefix="", frame=spec.worldbody.add_frame())
    except ValueError as error:
        raise ConfigError(f"world {path}: {one_line(error)}") from error


def has_floor(spec: mujoco.MjSpec) -> bool:
    """Whether a model brings a plane or a height field of its own."""
    flat = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
    return any(geom.type in flat for geom in spec.worldbody.geoms)
