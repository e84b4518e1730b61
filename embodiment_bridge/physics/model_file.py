# SPDX-License-Identifier: Apache-2.0
"""Reads a robot from a file, URDF or MJCF, with MuJoCo's own reader."""

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_bytes
from embodiment_bridge.physics.engine import mujoco, one_line
from embodiment_bridge.physics.model_limits import MAX_BODIES, MAX_XML, check_model
from embodiment_bridge.physics.urdf_file import add_mimics, prepare
from embodiment_bridge.urdf import Robot, read_urdf

COMMENT: Final = re.compile(rb"<!--.*?-->", re.DOTALL)
ROOT: Final = re.compile(rb"<\s*(robot|mujoco)\b")
PACKAGE: Final = "python://"


@dataclass(slots=True)
class ModelFile:
    """A model that was read: MuJoCo's ``MjSpec``, and what MuJoCo does not keep of a URDF.

    robot: the description, None for MJCF. warnings: parts that are left out.
    """

    path: Path
    spec: mujoco.MjSpec
    robot: Robot | None = None
    warnings: list[str] = field(default_factory=list)


def find_model(name: str) -> Path:
    """The file of a model: a path, or ``python://PACKAGE/PATH`` for a file in an installed Python package.

    Raises:
        ConfigError: the package is not installed, or the file is not there.
    """
    if not name.startswith(PACKAGE):
        path = Path(name).expanduser()
    else:
        package, _, rest = name.removeprefix(PACKAGE).partition("/")
        found = find_spec(package) if package.isidentifier() else None
        if found is None or not found.submodule_search_locations:
            raise ConfigError(f"model {name!r}: the Python package {package!r} is not installed")
        path = Path(found.submodule_search_locations[0]) / rest
    if not path.is_file():
        raise ConfigError(f"model {name!r}: there is no file {path}")
    return path


def read_model(path: Path) -> ModelFile:
    """Read a URDF or MJCF file.

    Raises:
        ConfigError: it cannot be read, or is over a limit; one line with the file and the element.
    """
    text = read_bytes(path, MAX_XML, "model")
    root = ROOT.search(COMMENT.sub(b"", text))
    if root is None:
        raise ConfigError(f"model {path}: there is neither <robot> (URDF) nor <mujoco> (MJCF) in it")
    try:
        if root[1] == b"mujoco":
            check_model(path)
            return ModelFile(path, _unfused(mujoco.MjSpec.from_file(str(path))))
        robot = read_urdf(path)
        if len(robot.links) > MAX_BODIES:
            raise ConfigError(f"model {path}: it has {len(robot.links)} links; {MAX_BODIES} are the most")
        prepared, warnings = prepare(text, path)
        spec = mujoco.MjSpec.from_string(prepared)
    except ValueError as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"model {path}: {one_line(error)}") from error
    add_mimics(spec, robot)
    return ModelFile(path, spec, robot, warnings)


def _unfused(spec: mujoco.MjSpec) -> mujoco.MjSpec:
    """Links stay as they are named. MuJoCo 3.5.0 crashes when a model with fused bodies is compiled again."""
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    return spec


def compile_spec(spec: mujoco.MjSpec, path: Path) -> mujoco.MjModel:
    """MuJoCo's compiled model.

    Raises:
        ConfigError: MuJoCo refuses it; one line with the file and the element.
    """
    try:
        return spec.compile()
    except ValueError as error:
        raise ConfigError(f"model {path}: {one_line(error)}") from error
