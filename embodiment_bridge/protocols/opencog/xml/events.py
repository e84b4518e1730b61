# SPDX-License-Identifier: Apache-2.0
"""The XML messages between proxy and OAC, one class per element. Their parts are in ``parts.py``.

``offset`` is the first byte of the document in the stream. A document with the root ``embodiment-msg`` is an
``EmbodimentMsg``, then one event per child; any other root is one event.
"""

from dataclasses import dataclass, field
from typing import Annotated, Final, TypeAlias, get_args

from embodiment_bridge.protocols.opencog.xml.map_payload import PAYLOAD
from embodiment_bridge.protocols.opencog.xml.parts import (
    ActionSignal,
    Availability,
    Blip,
    EntityType,
    Level,
    MapData,
    Param,
    Perception,
    PlanAction,
)
from embodiment_bridge.protocols.opencog.xml.wire_table import On
from embodiment_bridge.protocols.opencog.xml.wire_values import Id, Stamp, word

DIALECTS: Final = ("seed", "final")
READ_DIALECTS: Final = (*DIALECTS, "legacy-2008")
_OF_FINAL: Final = On(only="final")


@dataclass(frozen=True, slots=True)
class EmbodimentMsg:
    """``<oc:embodiment-msg>``, or ``<pet:petaverse-msg>`` of 2008: the envelope.

    dialect: as found, or as given to the reader. children: number of events that follow. skipped: names of unknown
    elements.
    """

    dialect: str
    request_id: str = ""
    children: int = 0
    skipped: tuple[str, ...] = ()
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Area:
    """Corner and extents of a map are whole numbers in the unit of the dialect."""

    global_position_x: int
    global_position_y: int
    global_position_z: Annotated[int | None, _OF_FINAL] = None
    global_position_offset: Annotated[int | None, On(needed="seed")] = None
    global_position_offset_x: Annotated[int | None, _OF_FINAL] = None
    global_position_offset_y: Annotated[int | None, _OF_FINAL] = None
    global_position_offset_z: Annotated[int | None, _OF_FINAL] = None
    global_floor_height: int | None = None
    grid_parcel: Annotated[str | None, On(("gridParcel",))] = None
    map_name: Annotated[str | None, _OF_FINAL] = None
    is_first_time_percept_world: Annotated[bool | None, On(only="final", needed="final")] = None
    timestamp: Annotated[Stamp | None, On(only="final", needed="final")] = None
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapInfo(_Area):
    """``<map-info>``: things on the map. ``seed`` has blips, ``final`` usually payloads.

    A blip without any element in it is a placeholder, and left out.
    """

    blips: Annotated[tuple[Blip, ...], On(("blip",), needed="seed", lossy=True, filled=True)] = ()
    map_data: Annotated[tuple[MapData, ...], PAYLOAD, _OF_FINAL] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainInfo(_Area):
    """``<terrain-info>`` (final): blocks; the attributes are those of ``map-info``."""

    terrain_data: Annotated[tuple[MapData, ...], PAYLOAD, On(needed="final")] = ()


@dataclass(frozen=True, slots=True)
class FinishedFirstTimePerceptTerrianSignal:
    """``<finished-first-time-percept-terrian-signal>`` (final; spelt so): the first terrain scan is complete."""

    timestamp: Stamp
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class _Signal:
    """About a body: reports or observed actions, needs, available actions."""

    id: Id
    timestamp: Stamp
    type: str | None = None
    actions: Annotated[tuple[ActionSignal, ...], On(("action",))] = ()
    levels: Annotated[tuple[Level, ...], On(("physiology-level",), lossy=True)] = ()
    availabilities: Annotated[tuple[Availability, ...], On(("action-availability",), only="final")] = ()
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class AvatarSignal(_Signal):
    """``<avatar-signal>``: about the OAC's own body. Another type makes an OAC drop the rest of the message."""

    type: Annotated[str | None, word("pet", "avatar", "humanoid")] = None


@dataclass(frozen=True, slots=True)
class AgentSignal(_Signal):
    """``<agent-signal>``: actions of another agent."""


@dataclass(frozen=True, slots=True)
class AgentSensorInfo:
    """``<agent-sensor-info>``: data of a sensor; the only one in use is ``visibility`` of the ``map``."""

    perceptions: Annotated[tuple[Perception, ...], On(("perception",))]
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class Communication:
    """``<communication>``: speech; an OAC accepts it only in a message of type RAW."""

    source_id: Annotated[Id, On(("source-id", "sourceId"))]
    timestamp: Annotated[str, On(missing="")]
    text: Annotated[str, On(place="text")]
    type: str | None = None
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class Instruction:
    """``<instruction>``: speech to the agent ``avatar_id``; ``from_id`` is the speaker."""

    avatar_id: Id
    from_id: Id
    timestamp: Stamp
    sentence: Annotated[str, On(("sentence", "value"), place="child", measured=True)]
    content_type: str = "COMMAND"
    target_mode: str = "ANY"
    parsed_sentence: Annotated[str | None, On(place="child", measured=True)] = None
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class StateInfo:
    """``<state-info>`` (final): a state of an object, sent once after the OAC was loaded."""

    object_id: Id
    object_type: EntityType
    state_name: str
    timestamp: Stamp
    state_value: Param
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class BlockStructureSignal:
    """``<block-structure-signal>`` (final): look for a structure that begins at a block."""

    timestamp: Stamp
    recognize_structure: bool | None = None
    startblock_x: int | None = None
    startblock_y: int | None = None
    startblock_z: int | None = None
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class ActionPlan:
    """``<oc:action-plan>``: a plan for the agent ``entity_id``; ``actions`` in the order of the document.

    It may be one action of a longer plan; its sequence may then be larger than 1, and others have the same ``id``.
    """

    id: Annotated[str, On(("id", "plan-id"))]
    entity_id: Annotated[str, On(("entity-id", "agent-id", "avatar-id", "pet-id"), missing="")]
    demand: str = ""
    actions: Annotated[tuple[PlanAction, ...], On(("action",))] = ()
    entity_type: Annotated[str | None, On(place="unsent")] = None
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class BadAction:
    """An action of the ``ActionPlan`` before it that cannot be done, because its number is wrong.

    sequence: the number that its place in the plan stands for, for the report; None where another action has it.
    """

    plan_id: str
    name: str
    sequence: int | None
    reason: str
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class EmotionalFeeling:
    """``<oc:emotional-feeling>``: some or all feelings. ``entity_id`` may be wrong: real OACs truncate it."""

    entity_id: Annotated[str, On(missing="")]
    feelings: Annotated[tuple[Level, ...], On(("feeling",), lossy=True)] = ()
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class PsiDemand:
    """``<oc:psi-demand>``: how well demands are satisfied."""

    entity_id: Annotated[str, On(missing="")]
    demands: Annotated[tuple[Level, ...], On(("demand",), lossy=True)] = ()
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class SingleActionCommand:
    """``<single-action-command>`` (final): an action without reports. Of a repeated name the last counts."""

    name: str
    params: Annotated[tuple[Param, ...], On(("param",))] = ()
    offset: int = field(default=0, kw_only=True, compare=False)


ProxyMessage: TypeAlias = (
    MapInfo
    | TerrainInfo
    | FinishedFirstTimePerceptTerrianSignal
    | AvatarSignal
    | AgentSignal
    | AgentSensorInfo
    | Communication
    | Instruction
    | StateInfo
    | BlockStructureSignal
)
BrainMessage: TypeAlias = ActionPlan | EmotionalFeeling | PsiDemand | SingleActionCommand
Event: TypeAlias = EmbodimentMsg | ProxyMessage | BrainMessage | BadAction

PROXY_MESSAGES: Final[tuple[type, ...]] = get_args(ProxyMessage)
BRAIN_MESSAGES: Final[tuple[type, ...]] = get_args(BrainMessage)
COMMANDS: Final = PROXY_MESSAGES + BRAIN_MESSAGES
OF_FINAL: Final = (TerrainInfo, FinishedFirstTimePerceptTerrianSignal, StateInfo, BlockStructureSignal)
