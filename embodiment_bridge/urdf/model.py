# SPDX-License-Identifier: Apache-2.0
"""A robot description as frozen values. Metres, radians, N and Nm; REP-103 axes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from embodiment_bridge.core.rotation import Quaternion, Vector, multiply, quaternion_from_rpy, rotate


class JointType(Enum):
    """The joint types of URDF."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    FLOATING = "floating"
    PLANAR = "planar"

    @property
    def movable(self) -> bool:
        """Whether one position (rad, or m for a prismatic joint) determines the pose of the joint."""
        return self in (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


@dataclass(frozen=True, slots=True)
class Origin:
    """A pose: xyz m; rpy rad about fixed x, y, z; ``quaternion`` (x, y, z, w) follows from ``rpy``."""

    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)
    quaternion: Quaternion = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "quaternion", quaternion_from_rpy(*self.rpy))


@dataclass(frozen=True, slots=True)
class Box:
    """A box around its origin: full lengths along x, y, z, m."""

    size: Vector


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder around its origin, along z, m."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Capsule:
    """A cylinder around its origin, along z, with a half sphere at each end; ``length`` is without them, m."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Sphere:
    """A sphere around its origin, m."""

    radius: float


@dataclass(frozen=True, slots=True)
class Mesh:
    """A mesh file, by its name in the description. It is not opened here."""

    filename: str
    scale: Vector = (1.0, 1.0, 1.0)


Shape = Box | Cylinder | Capsule | Sphere | Mesh


@dataclass(frozen=True, slots=True)
class Visual:
    """One visible shape of a link, placed in the link's frame; ``rgba`` each 0..1."""

    shape: Shape
    origin: Origin
    rgba: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Link:
    """A rigid part, or only a frame if it has no visuals."""

    name: str
    visuals: tuple[Visual, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """lower, upper: rad or m (infinite for a continuous joint); velocity: rad/s or m/s; effort: Nm or N."""

    lower: float
    upper: float
    velocity: float
    effort: float


@dataclass(frozen=True, slots=True)
class Mimic:
    """The position of a joint that mimics another: ``multiplier`` * position of ``joint`` + ``offset``.

    The reader resolves mimics of mimics: ``joint`` is never a mimic joint itself.
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint: the frame of ``child`` is ``origin`` in the frame of ``parent``, then moved about or along ``axis``.

    ``axis`` is of unit length, in the joint's own frame. ``limit`` is None where the description has none.
    ``axis_in_parent`` and ``swing`` are computed once: at angle a the child's quaternion is
    cos(a/2) * origin.quaternion + sin(a/2) * swing, at length d its place is origin.xyz + d * axis_in_parent.
    """

    name: str
    type: JointType
    parent: str
    child: str
    origin: Origin = Origin()
    axis: Vector = (1.0, 0.0, 0.0)
    limit: Limit | None = None
    mimic: Mimic | None = None
    axis_in_parent: Vector = field(init=False, repr=False, compare=False)
    swing: Quaternion = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rotation = self.origin.quaternion
        object.__setattr__(self, "axis_in_parent", rotate(rotation, self.axis))
        object.__setattr__(self, "swing", multiply(rotation, (*self.axis, 0.0)))


@dataclass(frozen=True, slots=True)
class Robot:
    """A whole description: a tree of links. The mappings are read-only, in the order of the file.

    root: the root link of the tree.
    links, joints: by name. parent_joint: by the name of the child link (the root has none).
    movable: the joints with one position, including mimic joints.
    extras: the top-level elements that are neither link, joint nor material (``<ros2_control>``,
    ``<gazebo>``, ``<transmission>``, ...), untouched: ``lxml.etree`` elements, in the order of the file.
    source: name of the description in error texts (its file name).
    warnings: what was taken otherwise than it is written, or left out.
    """

    name: str
    root: str
    links: Mapping[str, Link]
    joints: Mapping[str, Joint]
    parent_joint: Mapping[str, Joint]
    movable: tuple[Joint, ...]
    extras: tuple[Any, ...] = field(default=(), compare=False, repr=False)
    source: str = ""
    warnings: tuple[str, ...] = field(default=(), compare=False)
