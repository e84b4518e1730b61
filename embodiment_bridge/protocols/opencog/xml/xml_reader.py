# SPDX-License-Identifier: Apache-2.0
"""Reads one XML document into events, the plans and feelings of an OAC among them.

It accepts the forms of all known programs, and reports what it cannot use.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from embodiment_bridge.protocols.opencog.xml import map_reader, signal_reader
from embodiment_bridge.protocols.opencog.xml.events import (
    LEGACY_URI,
    ActionPlan,
    BadAction,
    EmbodimentMsg,
    EmotionalFeeling,
    Event,
    PsiDemand,
    SingleActionCommand,
)
from embodiment_bridge.protocols.opencog.xml.parts import PlanAction
from embodiment_bridge.protocols.opencog.xml.xml_parse import Element, Limits, NotXmlError, parse
from embodiment_bridge.protocols.opencog.xml.xml_values import (
    BadElementError,
    Faults,
    children,
    first_of,
    levels,
    local_name,
    params,
    required,
    whole,
)
from embodiment_bridge.wire.codec import Malformed, Unknown, excerpt

# Reads the messages of an OAC to its proxy into events: plans, feelings, demands, single commands.

LARGEST_SEQUENCE = 2**31 - 1


def action_plan(root: Element, offset: int) -> tuple[ActionPlan | BadAction, ...]:
    """A plan, and its actions whose sequence is not a number from 1.

    Groups of parallel actions are flattened in the order of the document, as real proxies do.

    Raises:
        BadElementError: there is no id for reports.
    """
    plan_id = required(root, "id", "plan-id")
    actions: list[PlanAction] = []
    bad: list[tuple[str, int, str]] = []  # name, the number that its place stands for, what is wrong
    last = 0
    for element, group in _elements(root):
        name = element.get("name", "")
        try:
            last = _sequence(element, last)
        except BadElementError as error:
            last = min(last + 1, LARGEST_SEQUENCE)
            bad.append((name, last, str(error)))
        else:
            actions.append(PlanAction(name, last, params(element), group))
    plan = ActionPlan(
        plan_id,
        first_of(root, "entity-id", "agent-id", "avatar-id", "pet-id") or "",
        root.get("demand", ""),
        tuple(actions),
        root.get("entity-type"),
        offset=offset,
    )
    taken = {action.sequence for action in actions}
    lost = (
        BadAction(plan_id, name, None if place in taken else place, why, offset=offset)
        for name, place, why in bad
    )
    return (plan, *lost)


def _elements(root: Element) -> Iterator[tuple[Element, int]]:
    """All actions, with the number of their parallel group."""
    group = 0
    for element in root:
        name = local_name(element)
        if name == "action":
            yield element, 0
        elif name == "parallel":
            group += 1
            for member in children(element, "action"):
                yield member, group


def _sequence(element: Element, last: int) -> int:
    """The number of an action; one without a number follows the last one."""
    sequence = whole(element, "sequence")
    if sequence is None:
        return min(last + 1, LARGEST_SEQUENCE)
    if not 1 <= sequence <= LARGEST_SEQUENCE:
        raise BadElementError(f"action: sequence={sequence} is not within 1..{LARGEST_SEQUENCE}")
    return sequence


def emotional_feeling(root: Element, offset: int, faults: Faults) -> EmotionalFeeling:
    """Some or all feelings."""
    return EmotionalFeeling(root.get("entity-id", ""), levels(root, "feeling", faults), offset=offset)


def psi_demand(root: Element, offset: int, faults: Faults) -> PsiDemand:
    """Some or all demands."""
    return PsiDemand(root.get("entity-id", ""), levels(root, "demand", faults), offset=offset)


def single_action_command(root: Element, offset: int) -> SingleActionCommand:
    """One action, with all its parameters; a real OAC repeats those of earlier commands."""
    return SingleActionCommand(required(root, "name"), params(root), offset=offset)


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
    "emotional-feeling": emotional_feeling,
    "psi-demand": psi_demand,
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
    "single-action-command": single_action_command,
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
            return action_plan(element, offset)
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
