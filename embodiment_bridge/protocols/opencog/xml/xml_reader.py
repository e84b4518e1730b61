# SPDX-License-Identifier: Apache-2.0
"""Reads one XML document into events. It accepts the forms of all known programs, and reports what it cannot use."""

from collections.abc import Callable, Iterable
from typing import Final

from embodiment_bridge.protocols.opencog.xml import map_reader, plan_reader, signal_reader
from embodiment_bridge.protocols.opencog.xml.element import Element
from embodiment_bridge.protocols.opencog.xml.events import LEGACY_URI, EmbodimentMsg, Event
from embodiment_bridge.protocols.opencog.xml.xml_limits import Limits
from embodiment_bridge.protocols.opencog.xml.xml_parse import NotXmlError, parse
from embodiment_bridge.protocols.opencog.xml.xml_values import BadElementError, Faults, local_name
from embodiment_bridge.wire.events import Malformed, Unknown, excerpt

LIMITS: Final = Limits()
ENVELOPES: Final = ("embodiment-msg", "petaverse-msg")
MOST_SKIPPED: Final = 20  # reported names of unknown elements
MOST_FAULTS: Final = 20  # reported parts of one element

Read = Callable[[Element, int], Event]
ReadParts = Callable[[Element, int, Faults], Event]
Found = tuple[Event | Malformed | Unknown, ...]
IN_PARTS: Final[dict[str, ReadParts]] = {  # a part that cannot be used is left out
    "map-info": map_reader.map_info,
    "avatar-signal": signal_reader.avatar_signal,
    "agent-signal": signal_reader.agent_signal,
    "object-signal": signal_reader.agent_signal,
    "emotional-feeling": plan_reader.emotional_feeling,
    "psi-demand": plan_reader.psi_demand,
}
WHOLE: Final[dict[str, Read]] = {
    "terrain-info": map_reader.terrain_info,
    "pet-signal": signal_reader.pet_signal,
    "agent-sensor-info": signal_reader.agent_sensor_info,
    "perception": signal_reader.bare_perception,
    "communication": signal_reader.communication,
    "instruction": signal_reader.instruction,
    "state-info": signal_reader.state_info,
    "block-structure-signal": signal_reader.block_structure_signal,
    "finished-first-time-percept-terrian-signal": signal_reader.finished_first_time,
    "single-action-command": plan_reader.single_action_command,
}
PLAN: Final = "action-plan"
BRAIN: Final = frozenset((PLAN, "emotional-feeling", "psi-demand", "single-action-command"))
PROXY: Final = frozenset((*WHOLE, *IN_PARTS)) - BRAIN
OF_FINAL: Final = frozenset(
    ("terrain-info", "state-info", "block-structure-signal", "finished-first-time-percept-terrian-signal")
)


def read(data: bytes, limits: Limits = LIMITS, dialect: str = "", offset: int = 0) -> Found:
    """All events of one document. It never raises on bad bytes.

    Args:
        data: the complete document.
        limits: a larger document is ``Malformed``.
        dialect: for the envelope; empty: detect it from the document.
        offset: of the document in the stream, for the events.

    Returns:
        An ``EmbodimentMsg``, then an event or a ``Malformed`` for each of its children; or the event of another root;
        or one ``Malformed`` or ``Unknown`` for all of it. An event is followed by a ``Malformed`` for each part of it
        that was left out, a plan by a ``BadAction`` for each of its lost actions.
    """
    try:
        root = parse(data, limits)
    except NotXmlError as error:
        return (Malformed(offset, str(error), excerpt(data)),)
    name = local_name(root)
    if name in ENVELOPES:
        return _envelope(root, dialect, offset)
    if name not in BRAIN and name not in PROXY:
        return (Unknown(offset, bytes(data)),)
    return _events(name, root, offset)


def _envelope(root: Element, dialect: str, offset: int) -> Found:
    names = [local_name(item) for item in root]
    found: Found = tuple(
        event
        for name, item in zip(names, root, strict=True)
        if name in PROXY
        for event in _events(name, item, offset)
    )
    skipped = tuple(name[:80] for name in names if name not in PROXY)[:MOST_SKIPPED]
    told = dialect or _dialect(root, names)
    return (EmbodimentMsg(told, root.get("request-id", ""), len(found), skipped, offset=offset), *found)


def _events(name: str, element: Element, offset: int) -> Found:
    faults: Faults = []
    try:
        if name == PLAN:
            return plan_reader.action_plan(element, offset)
        event = IN_PARTS[name](element, offset, faults) if name in IN_PARTS else WHOLE[name](element, offset)
    except BadElementError as error:
        return (_malformed(offset, str(error), name),)
    lost = [_malformed(offset, *fault) for fault in faults[:MOST_FAULTS]]
    if len(faults) > MOST_FAULTS:
        lost.append(_malformed(offset, f"{len(faults) - MOST_FAULTS} more parts cannot be used", name))
    return (event, *lost)


def _malformed(offset: int, reason: str, name: str) -> Malformed:
    return Malformed(offset, reason, f"<{name}>"[:80])


def _dialect(root: Element, names: Iterable[str]) -> str:
    """The dialect of a document by its elements, else ``seed``."""
    if local_name(root) == "petaverse-msg" or LEGACY_URI in root.tag or "pet-signal" in names:
        return "legacy-2008"
    first_time = any(item.get("is-first-time-percept-world") is not None for item in root)
    return "final" if first_time or not OF_FINAL.isdisjoint(names) else "seed"
