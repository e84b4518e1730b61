# SPDX-License-Identifier: Apache-2.0
"""Reads the other children of an ``embodiment-msg`` into events: signals, sensors, speech, states.

Until July 2011 the same elements had other names, which are read too:

* ``pet-signal`` with ``pet-id`` is ``avatar-signal`` with ``id``;
* ``agent-signal`` with ``agent-id``, ``avatar-signal`` with ``avatar-id`` and ``object-signal`` with ``object-id`` are
  ``agent-signal`` with ``id``.
"""

from typing import Any, Final

from embodiment_bridge.protocols.opencog.xml.events import (
    AgentSensorInfo,
    AgentSignal,
    AvatarSignal,
    BlockStructureSignal,
    Communication,
    FinishedFirstTimePerceptTerrianSignal,
    Instruction,
    StateInfo,
)
from embodiment_bridge.protocols.opencog.xml.parts import (
    STATUS,
    ActionSignal,
    Availability,
    Level,
    Perception,
)
from embodiment_bridge.protocols.opencog.xml.xml_parse import Element
from embodiment_bridge.protocols.opencog.xml.xml_values import (
    BadElementError,
    Faults,
    child,
    children,
    first_of,
    flag,
    levels,
    local_name,
    number,
    param,
    params,
    required,
    whole,
)

_OLD_IDS: Final = ("agent-id", "avatar-id", "object-id")
_OLD_TYPES: Final = {"avatar-id": "avatar", "object-id": "object"}


def avatar_signal(element: Element, offset: int, faults: Faults) -> AvatarSignal | AgentSignal:
    """A signal about the own body, or in 2008 about a person."""
    if element.get("id") is None and element.get("avatar-id") is not None:
        return agent_signal(element, offset, faults)
    return AvatarSignal(*_signal(element, faults), offset=offset)


def agent_signal(element: Element, offset: int, faults: Faults) -> AgentSignal:
    """A signal about another agent, in the present form or that of 2008."""
    old = next((name for name in _OLD_IDS if element.get(name) is not None), None)
    if element.get("id") is not None or old is None:
        return AgentSignal(*_signal(element, faults), offset=offset)
    kind = element.get("agent-type") or _OLD_TYPES.get(old)
    action = ActionSignal(required(element, "name"), params=params(element))
    return AgentSignal(required(element, old), required(element, "timestamp"), kind, (action,), offset=offset)


def pet_signal(element: Element, offset: int) -> AvatarSignal:
    """A signal about the own body in 2008: one level of a need, or one report."""
    identity, stamp = required(element, "pet-id"), required(element, "timestamp")
    plan = element.get("action-plan-id")
    if plan is not None:
        report = ActionSignal(element.get("name", ""), plan, _sequence(element), _status(element))
        return AvatarSignal(identity, stamp, None, (report,), offset=offset)
    found = {item.get("name"): item for item in children(element, "param")}
    if "level" in found:
        level = Level(required(element, "name"), number(found["level"], "value"))
        return AvatarSignal(identity, stamp, levels=(level,), offset=offset)
    action = ActionSignal(required(element, "name"), params=params(element))
    return AvatarSignal(identity, stamp, None, (action,), offset=offset)


def _signal(element: Element, faults: Faults) -> tuple[Any, ...]:
    """id, timestamp, type, actions, levels, availabilities; the children may have any order."""
    return (
        required(element, "id"),
        required(element, "timestamp"),
        element.get("type"),
        tuple(_action(item) for item in children(element, "action")),
        levels(element, "physiology-level", faults),
        tuple(_availability(item) for item in children(element, "action-availability")),
    )


def _action(element: Element) -> ActionSignal:
    return ActionSignal(
        element.get("name", ""),
        first_of(element, "plan-id", "action-plan-id"),
        _sequence(element),
        _status(element),
        params(element),
        element.get("action-instance-name"),
        flag(element, "result-state"),
        element.get("target"),
        element.get("target-type"),
    )


def _sequence(element: Element) -> int | None:
    """The number of the action; 0 means none, so the whole plan."""
    sequence = whole(element, "sequence")
    if sequence is not None and sequence < 0:
        raise BadElementError(f"{local_name(element)}: sequence={sequence} is negative")
    return sequence or None


def _status(element: Element) -> str:
    status: str = element.get("status", "done")
    if status not in STATUS:
        raise BadElementError(f"{local_name(element)}: status={status[:40]!r} is neither done nor error")
    return status


def _availability(element: Element) -> Availability:
    return Availability(
        required(element, "name"),
        bool(flag(element, "available")),
        element.get("target"),
        element.get("target-type"),
    )


def agent_sensor_info(element: Element, offset: int) -> AgentSensorInfo:
    """Data of sensors."""
    return AgentSensorInfo(
        tuple(_perception(item) for item in children(element, "perception")), offset=offset
    )


def bare_perception(element: Element, offset: int) -> AgentSensorInfo:
    """A perception that is not inside of an ``agent-sensor-info``, as the protocol's description prints it."""
    return AgentSensorInfo((_perception(element),), offset=offset)


def _perception(element: Element) -> Perception:
    return Perception(required(element, "sensor"), required(element, "signal"), element.get("subject", ""))


def communication(element: Element, offset: int) -> Communication:
    """Speech, without the white space around it."""
    return Communication(
        required(element, "source-id", "sourceId"),
        element.get("timestamp", ""),
        "".join(element.itertext()).strip(),
        element.get("type"),
        offset=offset,
    )


def instruction(element: Element, offset: int) -> Instruction:
    """Speech to the agent. If there is ``pet-id``, the agent, then ``avatar-id`` is the speaker."""
    agent = element.get("pet-id")
    said = child(element, "sentence")
    said = child(element, "value") if said is None else said
    if said is None:
        raise BadElementError("instruction: there is no sentence")
    parsed = child(element, "parsed-sentence")
    return Instruction(
        required(element, "avatar-id") if agent is None else agent,
        required(element, "from-id") if agent is None else required(element, "from-id", "avatar-id"),
        required(element, "timestamp"),
        "".join(said.itertext()).strip(),
        element.get("content-type", "COMMAND"),
        element.get("target-mode", "ANY"),
        None if parsed is None else "".join(parsed.itertext()).strip(),
        offset=offset,
    )


def state_info(element: Element, offset: int) -> StateInfo:
    """A state of an object."""
    value = child(element, "state-value")
    if value is None:
        raise BadElementError("state-info: there is no state-value")
    return StateInfo(
        required(element, "object-id"),
        required(element, "object-type"),
        required(element, "state-name"),
        required(element, "timestamp"),
        param(value),
        offset=offset,
    )


def block_structure_signal(element: Element, offset: int) -> BlockStructureSignal:
    """Look for a structure."""
    return BlockStructureSignal(
        required(element, "timestamp"),
        flag(element, "recognize-structure"),
        *(whole(element, f"startblock-{axis}") for axis in "xyz"),
        offset=offset,
    )


def finished_first_time(element: Element, offset: int) -> FinishedFirstTimePerceptTerrianSignal:
    """The first terrain scan is complete."""
    return FinishedFirstTimePerceptTerrianSignal(required(element, "timestamp"), offset=offset)
