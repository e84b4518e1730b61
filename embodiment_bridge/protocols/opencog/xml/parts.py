# SPDX-License-Identifier: Apache-2.0
"""The parts of the XML messages, in the units and names of the wire.

Lengths are millimetres in the dialects ``seed`` and ``legacy-2008`` and blocks in ``final``; angles are radians. In
this protocol ``pitch`` turns about x and ``roll`` about y, the opposite of ROS.
"""

from dataclasses import dataclass
from typing import Final

ENTITY_TYPES: Final = ("pet", "humanoid", "structure", "avatar", "accessory", "object", "unknown")
PARAM_TYPES: Final = ("boolean", "int", "float", "string", "vector", "rotation", "list", "entity", "nil")
LIST_TYPES: Final = ("boolean", "int", "float", "string", "vector", "rotation")
STATUS: Final = ("done", "error")

Properties = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Vector:
    """``<vector x y z/>``: a place or a length, or a velocity in m/s."""

    x: float
    y: float
    z: float


@dataclass(frozen=True, slots=True)
class Rotation:
    """``<rotation pitch roll yaw/>``: rad; ``pitch`` about x, ``roll`` about y, ``yaw`` about z, which is up."""

    pitch: float
    roll: float
    yaw: float


NO_VECTOR: Final = Vector(0.0, 0.0, 0.0)
NO_ROTATION: Final = Rotation(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ValueList:
    """``<list elementType>`` in a parameter: vectors, rotations and texts, each kind in its own order."""

    element_type: str
    vectors: tuple[Vector, ...] = ()
    rotations: tuple[Rotation, ...] = ()
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """``<entity id type name owner-id owner-name session-id/>``; ``id`` -1 is no particular entity."""

    id: str
    type: str
    name: str = ""
    owner_id: str = ""
    owner_name: str = ""
    session_id: str = ""


@dataclass(frozen=True, slots=True)
class Param:
    """``<param name type value>``, which may hold a vector, rotation, entity or list.

    value: text as it is on the wire; the number of a ``float`` may be ``1.23457e+06``.
    """

    type: str
    name: str = ""
    value: str = ""
    vector: Vector | None = None
    rotation: Rotation | None = None
    entity: Entity | None = None
    list: ValueList | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """``<feeling name value/>``, ``<demand .../>`` or ``<physiology-level .../>``: 0..1."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Blip:
    """``<blip timestamp>``: one thing on the map: its pose, velocity and other properties."""

    timestamp: str
    entity: Entity
    position: Vector
    rotation: Rotation = NO_ROTATION
    velocity: Vector = NO_VECTOR
    properties: Properties = ()
    dimension: Vector | None = None


@dataclass(frozen=True, slots=True)
class MapThing:
    """One thing in the protobuf payload of the dialect ``final`` (``MapInfo`` of ``PAI.MapInfo.proto``)."""

    id: str
    name: str
    type: str
    position: Vector
    rotation: Rotation = NO_ROTATION
    velocity: Vector | None = None
    length: float = 0.0
    width: float = 0.0
    height: float = 0.0
    properties: Properties = ()
    weight: float | None = None


@dataclass(frozen=True, slots=True)
class MapData:
    """``<map-data>`` or ``<terrain-data>``: base64 of a protobuf ``MapInfoSeq`` or ``Chunk``, which are the same.

    undecoded: the bytes, if they are not such a message; ``things`` is then empty.
    """

    things: tuple[MapThing, ...] = ()
    undecoded: bytes = b""


@dataclass(frozen=True, slots=True)
class ActionSignal:
    """``<action>`` in a signal: with ``plan_id`` a report, else an observed action.

    sequence: number of the action in the plan; None in a report: all that are open.
    status: ``done`` or ``error``; without meaning in an observed action.
    instance_name: a unique name of this execution, such as ``kick2342``.
    """

    name: str
    plan_id: str | None = None
    sequence: int | None = None
    status: str = "done"
    params: tuple[Param, ...] = ()
    instance_name: str | None = None
    result_state: bool | None = None
    target: str | None = None
    target_type: str | None = None


@dataclass(frozen=True, slots=True)
class Availability:
    """``<action-availability name available target target-type/>``: whether an action can be done now."""

    name: str
    available: bool
    target: str | None = None
    target_type: str | None = None


@dataclass(frozen=True, slots=True)
class Perception:
    """``<perception sensor subject signal/>``."""

    sensor: str
    signal: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class PlanAction:
    """``<action name sequence>`` of a plan; ``parallel``: number of its ``<parallel>`` group, 0 outside of any."""

    name: str
    sequence: int
    params: tuple[Param, ...] = ()
    parallel: int = 0
