# SPDX-License-Identifier: Apache-2.0
"""Reads one XML document into events. It accepts the forms of all known programs, and reports what it cannot use."""

from collections.abc import Callable, Iterable
from typing import Final

from embodiment_bridge.protocols.opencog.xml import map_reader, plan_reader, signal_reader
from embodiment_bridge.protocols.opencog.xml.element import Element
from embodiment_bridge.protocols.opencog.xml.events import LEGACY_URI, EmbodimentMsg, Event
from embodiment_bridge.protocols.opencog.xml.xml_limits import Limits
from embodiment_bridge.protocols.opencog.xml.xml_parse import NotXmlError, parse
from embodiment_bridge.protocols.opencog.xml.xml_values import BadElementError, local_name
from embodiment_bridge.wire.events import Malformed, Unknown, excerpt

LIMITS: Final = Limits()
ENVELOPES: Final = ("embodiment-msg", "petaverse-msg")
MOST_SKIPPED: Final = 20  # reported names of unknown elements

Read = Callable[[Element, int], Event]
PROXY: Final[dict[str, Read]] = {
    "map-info": map_reader.map_info,
    "terrain-info": map_reader.terrain_info,
    "avatar-signal": signal_reader.avatar_signal,
    "agent-signal": signal_reader.agent_signal,
    "object-signal": signal_reader.agent_signal,
    "pet-signal": signal_reader.pet_signal,
    "agent-sensor-info": signal_reader.agent_sensor_info,
    "perception": signal_reader.bare_perception,
    "communication": signal_reader.communication,
    "instruction": signal_reader.instruction,
    "state-info": signal_reader.state_info,
    "block-structure-signal": signal_reader.block_structure_signal,
    "finished-first-time-percept-terrian-signal": signal_reader.finished_first_time,
}
BRAIN: Final[dict[str, Read]] = {
    "action-plan": plan_reader.action_plan,
    "emotional-feeling": plan_reader.emotional_feeling,
    "psi-demand": plan_reader.psi_demand,
    "single-action-command": plan_reader.single_action_command,
}
OF_FINAL: Final = frozenset(
    ("terrain-info", "state-info", "block-structure-signal", "finished-first-time-percept-terrian-signal")
)


def read(
    data: bytes, limits: Limits = LIMITS, dialect: str = "", offset: int = 0
) -> tuple[Event | Malformed | Unknown, ...]:
    """All events of one document. It never raises on bad bytes.

    Args:
        data: the complete document.
        limits: a larger document is ``Malformed``.
        dialect: for the envelope; empty: detect it from the document.
        offset: of the document in the stream, for the events.

    Returns:
        An ``EmbodimentMsg``, then an event or a ``Malformed`` for each of its children; or the one event of another
        root; or one ``Malformed`` or ``Unknown`` for all of it.
    """
    try:
        root = parse(data, limits)
    except NotXmlError as error:
        return (Malformed(offset, str(error), excerpt(data)),)
    name = local_name(root)
    if name in ENVELOPES:
        return _envelope(root, dialect, offset)
    reader = BRAIN.get(name) or PROXY.get(name)
    if reader is None:
        return (Unknown(offset, bytes(data)),)
    return (_event(reader, root, offset),)


def _envelope(root: Element, dialect: str, offset: int) -> tuple[Event | Malformed | Unknown, ...]:
    names = [local_name(item) for item in root]
    found = tuple(
        _event(PROXY[name], item, offset) for name, item in zip(names, root, strict=True) if name in PROXY
    )
    skipped = tuple(name[:80] for name in names if name not in PROXY)[:MOST_SKIPPED]
    told = dialect or _dialect(root, names)
    return (EmbodimentMsg(told, root.get("request-id", ""), len(found), skipped, offset=offset), *found)


def _event(reader: Read, element: Element, offset: int) -> Event | Malformed:
    try:
        return reader(element, offset)
    except BadElementError as error:
        return Malformed(offset, str(error), f"<{local_name(element)}>"[:80])


def _dialect(root: Element, names: Iterable[str]) -> str:
    """The dialect of a document by its elements, else ``seed``."""
    if local_name(root) == "petaverse-msg" or LEGACY_URI in root.tag or "pet-signal" in names:
        return "legacy-2008"
    first_time = any(item.get("is-first-time-percept-world") is not None for item in root)
    return "final" if first_time or not OF_FINAL.isdisjoint(names) else "seed"
