# SPDX-License-Identifier: Apache-2.0
"""Reads a robot (URDF or MJCF) and the world around it from files, with MuJoCo's own reader."""

import re
import warnings
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import read_bytes
from embodiment_bridge.physics.engine import mujoco, one_line
from embodiment_bridge.physics.model_limits import MAX_BODIES, MAX_XML, check_model
from embodiment_bridge.physics.prepared_urdf import LEAST_INERTIA, add_mimics, prepare
from embodiment_bridge.urdf import Robot, read_urdf

# The world around a robot: one of those of this package, or an MJCF file.

FOLDER: Final = Path(__file__).parent / "worlds"
NONE: Final = "none"
AUTO: Final = "auto"
WORLD: Final = "world_"
NAMED: Final = {
    "body": "bodies", "joint": "joints", "geom": "geoms", "site": "sites", "camera": "cameras", "light": "lights",
    "material": "materials", "texture": "textures", "mesh": "meshes", "height field": "hfields", "sensor": "sensors",
    "actuator": "actuators", "tendon": "tendons", "equality": "equalities", "exclude": "excludes", "pair": "pairs",
    "skin": "skins", "numeric": "numerics", "text": "texts", "tuple": "tuples",
}  # fmt: skip


def shipped_worlds() -> dict[str, Path]:
    """Return the worlds of this package by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.xml"))}


def add_world(spec: mujoco.MjSpec, world: str, ground: float = 0.0) -> list[str]:
    """Put a world into the same model as a robot; return warnings.

    Where the robot has a name that is also in the world, all names of the world get ``WORLD`` before them.

    world: a name of ``shipped_worlds``, the path of an MJCF file, ``none`` for nothing but the model's own, or
    ``auto``: ``room``, unless the model has a floor. ground: height of the world's origin, m.

    Raises:
        ConfigError: there is no such world, it cannot be read, or is over a limit.
    """
    if world == AUTO:
        world = NONE if has_floor(spec) else "room"
    if world == NONE:
        return []
    shipped = shipped_worlds()
    path = shipped.get(world, Path(world).expanduser())
    if not path.is_file():
        raise ConfigError(
            unknown("world", world, (*shipped, NONE)) + "; a file of that name is not there either"
        )
    check_model(path)
    try:
        other = mujoco.MjSpec.from_file(str(path))
        shared = sorted(_names(spec) & _names(other))
        place = spec.worldbody.add_frame(pos=[0.0, 0.0, ground])
        # MuJoCo warns that meshes in memory would be lost if they were attached once more.
        with warnings.catch_warnings(action="ignore"):
            spec.attach(other, prefix=WORLD if shared else "", frame=place)
    except ValueError as error:
        raise ConfigError(f"world {path}: {one_line(error)}") from error
    told = []
    if ground:
        told.append(f"the origin of the world is at the lowest point of the robot, z = {ground:.3g} m")
    if shared:
        kind, name = shared[0]
        told.append(f"robot and world have a {kind} {name!r}: names of the world begin with {WORLD!r}")
    return told


def _names(spec: mujoco.MjSpec) -> set[tuple[str, str]]:
    """Return the names in a model by their kind; MuJoCo takes each once."""
    return {
        (kind, part.name) for kind, plural in NAMED.items() for part in getattr(spec, plural) if part.name
    } - {("body", "world")}


def has_floor(spec: mujoco.MjSpec) -> bool:
    """Return whether a model brings a plane or a height field of its own."""
    flat = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
    return any(geom.type in flat for geom in spec.worldbody.geoms)


COMMENT: Final = re.compile(rb"<!--.*?-->", re.DOTALL)
ROOT: Final = re.compile(rb"<\s*(robot|mujoco)\b")
PACKAGE: Final = "python://"
MASSLESS: Final = "mjMINVAL"  # in the error of MuJoCo for a moving body without mass or inertia
FLAT: Final = re.compile(r"mesh volume is too small: (\S+)")
LEAST_MASS: Final = 1e-6  # kg


@dataclass(slots=True)
class ModelFile:
    """Represents a model that was read: MuJoCo's ``MjSpec``, and what MuJoCo does not keep of a URDF.

    robot: the description, None for MJCF. warnings: parts that are left out.
    """

    path: Path
    spec: mujoco.MjSpec
    robot: Robot | None = None
    warnings: list[str] = field(default_factory=list)


def find_model(name: str) -> Path:
    """Return the file of a model: a path, or ``python://PACKAGE/PATH`` for a file in an installed Python package.

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
        prepared, meshes, told = prepare(path, robot)
        spec = mujoco.MjSpec.from_string(prepared, assets=meshes)
    except ValueError as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"model {path}: {one_line(error)}") from error
    add_mimics(spec, robot)
    return ModelFile(path, spec, robot, told)


def _unfused(spec: mujoco.MjSpec) -> mujoco.MjSpec:
    """Keep links as they are named. MuJoCo 3.5.0 crashes when a model with fused bodies is compiled again."""
    spec.compiler.fusestatic = False
    spec.compiler.discardvisual = False
    return spec


def compile_spec(spec: mujoco.MjSpec, path: Path) -> mujoco.MjModel:
    """Compile the model with MuJoCo. A moving link without mass gets the least one, a flat mesh is a thin shell.

    Raises:
        ConfigError: MuJoCo refuses it; one line with the file and the element.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # that a model with an empty prefix is not to be saved
            return spec.compile()
    except ValueError as error:
        if not _mend(spec, str(error)):
            raise ConfigError(f"model {path}: {one_line(error)}") from error
    return compile_spec(spec, path)


def _mend(spec: mujoco.MjSpec, error: str) -> bool:
    """Change what MuJoCo has refused; return False where that is done already, or another error."""
    flat = FLAT.search(error)
    if flat is not None:
        mesh, shell = spec.mesh(flat[1]), mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        changed = mesh is not None and mesh.inertia != shell
        if changed:
            mesh.inertia = shell
        return changed
    if MASSLESS not in error or spec.compiler.boundmass:
        return False
    spec.compiler.boundmass, spec.compiler.boundinertia = LEAST_MASS, LEAST_INERTIA
    return True


def massless(spec: mujoco.MjSpec, model: mujoco.MjModel) -> list[str]:
    """Return the moving links that have got the least mass, because ``spec`` gives them none."""
    if spec.compiler.boundmass != LEAST_MASS:
        return []
    moving = (body for body in range(1, model.nbody) if model.body_dofnum[body])
    return [model.body(body).name for body in moving if model.body_mass[body] <= LEAST_MASS]
