# SPDX-License-Identifier: Apache-2.0
"""Writes signals and instructions in the form of 2008, with one item each."""

from embodiment_bridge.protocols.opencog.xml.events import AgentSignal, AvatarSignal, Instruction
from embodiment_bridge.protocols.opencog.xml.part_writer import param
from embodiment_bridge.protocols.opencog.xml.parts import STATUS, ActionSignal, Level
from embodiment_bridge.protocols.opencog.xml.xml_format import (
    BadValueError,
    content,
    identity,
    num,
    one_of,
    stamp,
    text,
    whole,
)


def avatar_signal(message: AvatarSignal) -> str:
    """One ``<pet-signal>`` for each report and level.

    Raises:
        BadValueError: a value cannot be written, or the format of 2008 does not have it.
    """
    if message.availabilities:
        raise BadValueError("availabilities empty in this dialect")
    if message.type is not None:
        text(message.type)  # there is no place for it, but it has to be one
    head = f'<pet-signal pet-id="{identity(message.id)}"'
    at = f'timestamp="{stamp(message.timestamp)}"'
    lines = [_report(head, at, item) for item in message.actions]
    lines += [_level(head, at, item) for item in message.levels]
    return "\n".join(lines)


def _report(head: str, at: str, value: ActionSignal) -> str:
    if value.plan_id is None:
        params = "".join(param(item) for item in value.params)
        return f'{head} name="{text(value.name)}" {at}>{params}</pet-signal>'
    report = f'{head} {at} action-plan-id="{identity(value.plan_id)}" status="{one_of(value.status, STATUS)}"'
    if value.sequence is None:  # all of the plan: then there is no name
        return f"{report}/>"
    return f'{report} sequence="{whole(value.sequence)}" name="{text(value.name)}"/>'


def _level(head: str, at: str, value: Level) -> str:
    level = f'<param name="level" type="float" value="{num(value.value)}"/>'
    return f'{head} name="{text(value.name)}" {at}>{level}</pet-signal>'


def agent_signal(message: AgentSignal) -> str:
    """One ``<agent-signal>`` for each action.

    Raises:
        BadValueError: a value cannot be written, or 2008 has no form for it.
    """
    if message.levels or message.availabilities:
        raise BadValueError("levels and availabilities empty in this dialect")
    head = f'<agent-signal agent-id="{identity(message.id)}" agent-type="{text(message.type or "avatar")}"'
    at = f'timestamp="{stamp(message.timestamp)}"'
    return "\n".join(
        f'{head} name="{text(item.name)}" {at}>{"".join(param(p) for p in item.params)}</agent-signal>'
        for item in message.actions
    )


def instruction(message: Instruction) -> str:
    """``<instruction>`` with a value; ``avatar-id`` was who spoke."""
    return (
        f'<instruction pet-id="{identity(message.avatar_id)}" avatar-id="{identity(message.from_id)}"'
        f' timestamp="{stamp(message.timestamp)}"><value>{content(message.sentence)}</value></instruction>'
    )
