# SPDX-License-Identifier: Apache-2.0
"""The parts of the XML messages, in the units and names of the wire.

Lengths are millimetres in the dialects ``seed`` and ``legacy-2008`` and blocks in ``final``; angles are radians. In
this protocol ``pitch`` turns about x and ``roll`` about y, the opposite of ROS.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Final

from embodiment_bridge.protocols.opencog.xml.wire_table import Form, On
from embodiment_bridge.protocols.opencog.xml.wire_values import (
    NUMBER,
    PROPERTIES,
    BadValueError,
    Fraction,
    Id,
    Name,
    Sequence,
    Stamp,
    word,
)

ENTITY_TYPES: Final = ("pet", "humanoid", "structure", "avatar", "accessory", "object", "unknown")
PARAM_TYPES: Final = ("boolean", "int", "float", "string", "vector", "rotation", "list", "entity", "nil")
LIST_TYPES: Final = ("boolean", "int", "float", "string", "vector", "rotation")
STATUS: Final = ("done", "error")

Properties = Annotated[tuple[tuple[str, str], ...], PROPERTIES]
_OF_FINAL: Final = On(only="final")


def _read_entity_type(text: str) -> str:
    return "accessory" if text == "acessory" else text or "object"  # old programs misspell it


def _read_status(text: str) -> str:
    if text not in STATUS:
        raise ValueError("is neither done nor error")
    return text


EntityType = Annotated[str, word(*ENTITY_TYPES, read=_read_entity_type)]


@dataclass(frozen=True, slots=True)
class Vector:
    """``<vector x y z/>``: a place or a length, or a velocity in m/s."""

    x: float
    y: float
    z: float


@dataclass(frozen=True, slots=True)
class Rotation:
    """``<rotation pitch roll yaw/>``: rad; ``pitch`` about x, ``roll`` about y, ``yaw`` about z, which is up."""

    pitch: Annotated[float, On(missing=0.0)]
    roll: Annotated[float, On(missing=0.0)]
    yaw: float


NO_VECTOR: Final = Vector(0.0, 0.0, 0.0)
NO_ROTATION: Final = Rotation(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ValueList:
    """``<list elementType>`` in a parameter: vectors, rotations and texts, each kind in its own order."""

    element_type: Annotated[str, word(*LIST_TYPES), On(("elementType",), missing="")]
    vectors: Annotated[tuple[Vector, ...], On(("vector",))] = ()
    rotations: Annotated[tuple[Rotation, ...], On(("rotation",))] = ()
    values: Annotated[tuple[str, ...], On(("value",))] = ()

    def fitting(self, _form: Form) -> "ValueList":
        """The same; raises BadValueError if it is empty."""
        if not (self.vectors or self.rotations or self.values):
            raise BadValueError(self, "a list with at least one value")
        return self


@dataclass(frozen=True, slots=True)
class Entity:
    """``<entity id type name owner-id owner-name session-id/>``; ``id`` -1 is no particular entity."""

    id: Annotated[Id, On(missing="-1")]
    type: Annotated[EntityType, On(missing="object")]
    name: str = ""
    owner_id: str = ""
    owner_name: str = ""
    session_id: str = ""


@dataclass(frozen=True, slots=True)
class Param:
    """``<param name type value>``, which may hold a vector, rotation, entity or list.

    value: text as it is on the wire; the number of a ``float`` may be ``1.23457e+06``.
    """

    type: Annotated[str, word(*PARAM_TYPES), On(missing="")]
    name: str = ""
    value: Annotated[str, On(or_child=True)] = ""
    vector: Annotated[Vector | None, On(lossy=True)] = None
    rotation: Annotated[Rotation | None, On(lossy=True)] = None
    entity: Annotated[Entity | None, On(lossy=True)] = None
    list: Annotated[ValueList | None, On(lossy=True)] = None

    def completed(self) -> "Param":
        """The same; one without a type gets that of its content."""
        if self.type:
            return self
        contents = ("vector", "rotation", "entity", "list")
        kind = next((name for name in contents if getattr(self, name) is not None), "string")
        return replace(self, type=kind)

    def fitting(self, form: Form) -> "Param":
        """Only the value or content of its type; raises BadValueError if it has none that fits."""
        if self.type == "boolean" and self.value not in ("true", "false"):
            raise BadValueError(self.value, "one of true, false", ".value")
        if self.type in ("int", "float"):
            number = self._number()
            return Param(self.type, self.name, f"{number:g}" if form.six else self.value)
        if self.type not in PARAM_TYPES or self.type in ("boolean", "string"):
            return Param(self.type, self.name, self.value)
        if self.type == "nil":
            return Param(self.type, self.name)
        content = getattr(self, self.type)
        if content is None:
            raise BadValueError(
                None, f"given in a parameter of type {self.type}, as {self.type}", f".{self.type}"
            )
        return Param(self.type, self.name, **{self.type: content})

    def _number(self) -> float:
        try:
            value = int(self.value) if self.type == "int" else float(self.value)
            NUMBER.write(value)
        except (TypeError, ValueError):
            should = f"the text of a finite number in a parameter of type {self.type}"
            raise BadValueError(self.value, should, ".value") from None
        return value


@dataclass(frozen=True, slots=True)
class Level:
    """``<feeling name value/>``, ``<demand .../>`` or ``<physiology-level .../>``: 0..1."""

    name: str
    value: Fraction


@dataclass(frozen=True, slots=True)
class Blip:
    """``<blip timestamp>``: one thing on the map: its pose, velocity and other properties."""

    timestamp: Stamp
    entity: Entity
    position: Annotated[Vector, On(missing=NO_VECTOR)]
    rotation: Rotation = NO_ROTATION
    velocity: Vector = NO_VECTOR
    dimension: Vector | None = None
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class MapThing:
    """One thing in the protobuf payload of the dialect ``final`` (``MapInfo`` of ``PAI.MapInfo.proto``)."""

    id: Id
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

    name: Annotated[Name, On(missing="")]
    plan_id: Annotated[Id | None, On(("plan-id", "action-plan-id"))] = None
    sequence: Sequence | None = None
    status: Annotated[str, word(*STATUS, read=_read_status), On(beside="plan_id")] = "done"
    params: Annotated[tuple[Param, ...], On(("param",))] = ()
    instance_name: Annotated[str | None, On(("action-instance-name",), only="final")] = None
    result_state: Annotated[bool | None, _OF_FINAL] = None
    target: Annotated[str | None, _OF_FINAL] = None
    target_type: Annotated[str | None, _OF_FINAL] = None


@dataclass(frozen=True, slots=True)
class Availability:
    """``<action-availability name available target target-type/>``: whether an action can be done now."""

    name: str
    available: Annotated[bool, On(missing=False)]
    target: str | None = None
    target_type: str | None = None

    def fitting(self, _form: Form) -> "Availability":
        """The same; raises BadValueError if a target has no type."""
        if self.target and not self.target_type:
            raise BadValueError(self.target_type, "given where there is a target", ".target_type")
        return self


@dataclass(frozen=True, slots=True)
class Perception:
    """``<perception sensor subject signal/>``."""

    sensor: str
    signal: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class PlanAction:
    """``<action name sequence>`` of a plan; ``parallel``: number of its ``<parallel>`` group, 0 outside of any."""

    name: Annotated[str, On(missing="")]
    sequence: Sequence
    params: Annotated[tuple[Param, ...], On(("param",))] = ()
    parallel: Annotated[int, On(place="unsent")] = 0
