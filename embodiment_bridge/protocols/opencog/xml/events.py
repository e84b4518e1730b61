# SPDX-License-Identifier: Apache-2.0
"""The XML messages between proxy and OAC, one class per element. Their parts are in ``parts.py``.

``offset`` is the first byte of the document in the stream. A document with the root ``embodiment-msg`` is an
``EmbodimentMsg``, then one event per child; any other root is one event.
"""

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from embodiment_bridge.protocols.opencog.xml.parts import (
    ActionSignal,
    Availability,
    Blip,
    Level,
    MapData,
    Param,
    Perception,
    PlanAction,
)

DIALECTS: Final = ("seed", "final")
READ_DIALECTS: Final = (*DIALECTS, "legacy-2008")
BRAIN_URI: Final = "http://www.opencog.org/brain"
LEGACY_URI: Final = "http://proxy.esheepco.com/brain"


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
class MapInfo:
    """``<map-info>``: things on the map. Corner and extents of the map are whole numbers in the unit of the dialect.

    ``timestamp`` and ``is_first_time_percept_world`` are required in ``final`` and forbidden in the others.
    """

    global_position_x: int
    global_position_y: int
    global_position_z: int | None = None
    global_position_offset: int | None = None
    global_position_offset_x: int | None = None
    global_position_offset_y: int | None = None
    global_position_offset_z: int | None = None
    global_floor_height: int | None = None
    grid_parcel: str | None = None
    map_name: str | None = None
    is_first_time_percept_world: bool | None = None
    timestamp: str | None = None
    blips: tuple[Blip, ...] = ()
    map_data: tuple[MapData, ...] = ()
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TerrainInfo:
    """``<terrain-info>`` (final): blocks; the attributes are those of ``map-info``."""

    global_position_x: int
    global_position_y: int
    global_position_z: int | None = None
    global_position_offset: int | None = None
    global_position_offset_x: int | None = None
    global_position_offset_y: int | None = None
    global_position_offset_z: int | None = None
    global_floor_height: int | None = None
    grid_parcel: str | None = None
    map_name: str | None = None
    is_first_time_percept_world: bool | None = None
    timestamp: str | None = None
    terrain_data: tuple[MapData, ...] = ()
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class FinishedFirstTimePerceptTerrianSignal:
    """``<finished-first-time-percept-terrian-signal>`` (final; spelt so): the first terrain scan is complete."""

    timestamp: str
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class AvatarSignal:
    """``<avatar-signal>``: about the OAC's own body: reports on actions, needs, available actions."""

    id: str
    timestamp: str
    type: str | None = None
    actions: tuple[ActionSignal, ...] = ()
    levels: tuple[Level, ...] = ()
    availabilities: tuple[Availability, ...] = ()
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class AgentSignal:
    """``<agent-signal>``: actions of another agent."""

    id: str
    timestamp: str
    type: str | None = None
    actions: tuple[ActionSignal, ...] = ()
    levels: tuple[Level, ...] = ()
    availabilities: tuple[Availability, ...] = ()
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class AgentSensorInfo:
    """``<agent-sensor-info>``: data of a sensor; the only one in use is ``visibility`` of the ``map``."""

    perceptions: tuple[Perception, ...]
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class Communication:
    """``<communication>``: speech; an OAC accepts it only in a message of type RAW."""

    source_id: str
    timestamp: str
    text: str
    type: str | None = None
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class Instruction:
    """``<instruction>``: speech to the agent ``avatar_id``; ``from_id`` is the speaker."""

    avatar_id: str
    from_id: str
    timestamp: str
    sentence: str
    content_type: str = "COMMAND"
    target_mode: str = "ANY"
    parsed_sentence: str | None = None
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class StateInfo:
    """``<state-info>`` (final): a state of an object, sent once after the OAC was loaded."""

    object_id: str
    object_type: str
    state_name: str
    timestamp: str
    state_value: Param
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class BlockStructureSignal:
    """``<block-structure-signal>`` (final): look for a structure that begins at a block."""

    timestamp: str
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

    id: str
    entity_id: str
    demand: str = ""
    actions: tuple[PlanAction, ...] = ()
    entity_type: str | None = None
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

    entity_id: str
    feelings: tuple[Level, ...] = ()
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class PsiDemand:
    """``<oc:psi-demand>``: how well demands are satisfied."""

    entity_id: str
    demands: tuple[Level, ...] = ()
    offset: int = field(default=0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class SingleActionCommand:
    """``<single-action-command>`` (final): an action without reports. Of a repeated name the last counts."""

    name: str
    params: tuple[Param, ...] = ()
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

PROXY_MESSAGES: Final = (
    MapInfo,
    TerrainInfo,
    FinishedFirstTimePerceptTerrianSignal,
    AvatarSignal,
    AgentSignal,
    AgentSensorInfo,
    Communication,
    Instruction,
    StateInfo,
    BlockStructureSignal,
)
BRAIN_MESSAGES: Final = (ActionPlan, EmotionalFeeling, PsiDemand, SingleActionCommand)
COMMANDS: Final = PROXY_MESSAGES + BRAIN_MESSAGES
