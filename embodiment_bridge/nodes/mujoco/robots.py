# SPDX-License-Identifier: Apache-2.0
"""The robots that are known by name, and the files of a robot that is known by its model alone."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.physics.model_file import find_model

AUTO, NONE = "auto", "none"
URDF: Final = ".urdf"
SIMULATOR: Final = "python://rcsssmj/resources/robots"


@dataclass(frozen=True, slots=True)
class RobotFiles:
    """Paths of the parts of a robot; relative paths are below the share of this package.

    model: URDF or MJCF. body: body file, description: URDF for /tf and viewers; empty for none. base: see ``assemble``.
    describe: whether a description is to be made of the model where there is none, or gets the meshes of the model.
    """

    model: str
    body: str = ""
    description: str = ""
    base: str = AUTO
    describe: bool = True


def _of_simulator(name: str, base: str) -> RobotFiles:
    low = name.lower()
    return RobotFiles(f"{SIMULATOR}/{name}/robot.xml", f"config/bodies/{low}.yaml", f"urdf/{low}.urdf", base)


def _own(name: str, base: str) -> RobotFiles:
    return RobotFiles(f"urdf/{name}.urdf", "", f"urdf/{name}.urdf", base)


def _skilled(name: str, base: str) -> RobotFiles:
    """Return a robot of ours with a body file."""
    return replace(_own(name, base), body=f"config/bodies/{name}.yaml")


ROBOTS: Final = {
    "desk_humanoid": _skilled("desk_humanoid", AUTO),
    "desk_humanoid_walking": replace(
        _skilled("desk_humanoid", AUTO), body="config/bodies/desk_humanoid_walking.yaml"
    ),
    "T1": _of_simulator("T1", "floating"),
    "K1": _of_simulator("K1", "floating"),
    "ant": _of_simulator("ant", "floating"),
    "rover": _own("rover", "floating"),
    "desk_arm": _skilled("desk_arm", "fixed"),
    "open_manipulator_x": _skilled("open_manipulator_x", "fixed"),
    "desk_hand": _own("desk_hand", "fixed"),
    "desk_dog": _own("desk_dog", "floating"),
}
USUAL: Final = "desk_humanoid"


def robot_files(model: str, body: str, description: str, base: str, share: Callable[[], Path]) -> RobotFiles:
    """Return the files of a robot, all of them found.

    model: a name of ``ROBOTS`` or a file; ``auto`` or empty for the usual robot. body, description: a file, ``none``,
    or ``auto`` (or empty) for those of the named robot, and the model itself as the description if it is a URDF.

    Raises:
        ConfigError: a file or package is not there.
    """
    name = model if model not in ("", AUTO) else USUAL
    known = ROBOTS.get(name)
    if known is None:
        own = RobotFiles(name, "", name if Path(name).suffix.lower() == URDF else "")
    else:
        own = replace(
            known,
            model=_shared(known.model, share),
            body=_shared(known.body, share),
            description=_shared(known.description, share),
        )
    path = find_model(own.model)  # also of a file that is not one of ours
    if known is None and own.description:
        own = replace(own, description=str(path))
    return RobotFiles(
        str(path),
        _chosen(body, own.body),
        _chosen(description, own.description),
        own.base if base == AUTO else base,
        description in ("", AUTO),
    )


def _chosen(given: str, own: str) -> str:
    if given in ("", AUTO):
        return own
    return "" if given == NONE else given


def _shared(place: str, share: Callable[[], Path]) -> str:
    if not place or "://" in place:
        return place
    try:
        return str(share() / place)
    except LookupError as error:
        raise ConfigError(f"the files of this package are not found: {error}") from error
