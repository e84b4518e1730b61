# SPDX-License-Identifier: Apache-2.0
"""Writes the other children of an ``embodiment-msg``."""

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
    ENTITY_TYPES,
    ActionSignal,
    Availability,
    Level,
    Perception,
)
from embodiment_bridge.protocols.opencog.xml.xml_format import (
    BadValueError,
    action,
    content,
    flag,
    identity,
    num,
    one_of,
    optional,
    param,
    stamp,
    text,
    whole,
)

OWN_TYPES = (
    "pet",
    "avatar",
    "humanoid",
)  # of an avatar-signal; any other makes an OAC drop the rest of the message


def signal(message: AvatarSignal | AgentSignal, dialect: str) -> str:
    """``<avatar-signal>`` or ``<agent-signal>``, with its children in the order of the schema.

    Raises:
        BadValueError: a value cannot be written, or not in this dialect.
    """
    tag = "avatar-signal" if isinstance(message, AvatarSignal) else "agent-signal"
    if isinstance(message, AvatarSignal) and message.type is not None:
        one_of(message.type, OWN_TYPES)
    if dialect == "seed":
        _check_seed(message)
    inner = [action(item) for item in message.actions]
    inner += [level(item) for item in message.levels]
    inner += [_availability(item) for item in message.availabilities]
    head = f'<{tag} id="{identity(message.id)}" timestamp="{stamp(message.timestamp)}"'
    head += optional("type", message.type)
    return "\n".join([f"{head}>", *inner, f"</{tag}>"]) if inner else f"{head}/>"


def _check_seed(message: AvatarSignal | AgentSignal) -> None:
    """Refuse fields that are newer than the dialect ``seed``."""
    names = ("instance_name", "result_state", "target", "target_type")
    if message.availabilities:
        raise BadValueError("availabilities empty in this dialect")
    for item in message.actions:
        if isinstance(item, ActionSignal) and any(getattr(item, name) is not None for name in names):
            raise BadValueError(f"actions: {', '.join(names)} None in this dialect")


def level(value: Level) -> str:
    """``<physiology-level name value/>``."""
    if not 0.0 <= value.value <= 1.0:
        raise BadValueError(f"levels within 0..1, not {value.value}")
    return f'<physiology-level name="{text(value.name)}" value="{num(value.value)}"/>'


def _availability(value: Availability) -> str:
    if value.target and not value.target_type:
        raise BadValueError("availabilities: target_type given where there is a target")
    return (
        f'<action-availability name="{text(value.name)}" available="{flag(value.available)}"'
        f"{optional('target', value.target)}{optional('target-type', value.target_type)}/>"
    )


def agent_sensor_info(message: AgentSensorInfo) -> str:
    """``<agent-sensor-info>``."""
    inner = [_perception(item) for item in message.perceptions]
    if not inner:
        raise BadValueError("perceptions with at least one perception")
    return "\n".join(["<agent-sensor-info>", *inner, "</agent-sensor-info>"])


def _perception(value: Perception) -> str:
    subject = optional("subject", value.subject)
    return f'<perception sensor="{text(value.sensor)}"{subject} signal="{text(value.signal)}"/>'


def communication(message: Communication) -> str:
    """``<communication>``; its time stamp is any text."""
    head = f'<communication source-id="{identity(message.source_id)}"{optional("type", message.type)}'
    return f'{head} timestamp="{text(message.timestamp)}">{content(message.text)}</communication>'


def instruction(message: Instruction) -> str:
    """``<instruction>``; ``length`` is that of the text in bytes, which an OAC requires."""
    head = (
        f'<instruction avatar-id="{identity(message.avatar_id)}" from-id="{identity(message.from_id)}"'
        f' timestamp="{stamp(message.timestamp)}" content-type="{text(message.content_type)}"'
        f' target-mode="{text(message.target_mode)}">'
    )
    parts = [_measured("sentence", message.sentence)]
    if message.parsed_sentence is not None:
        parts.append(_measured("parsed-sentence", message.parsed_sentence))
    return "\n".join([head, *parts, "</instruction>"])


def _measured(tag: str, said: str) -> str:
    written = content(said)
    return f'<{tag} length="{len(said.encode())}">{written}</{tag}>'


def state_info(message: StateInfo) -> str:
    """``<state-info>`` (final)."""
    return (
        f'<state-info object-id="{identity(message.object_id)}"'
        f' object-type="{one_of(message.object_type, ENTITY_TYPES)}" state-name="{text(message.state_name)}"'
        f' timestamp="{stamp(message.timestamp)}">\n{param(message.state_value, "state-value")}\n</state-info>'
    )


def block_structure_signal(message: BlockStructureSignal) -> str:
    """``<block-structure-signal>`` (final)."""
    head = "<block-structure-signal"
    if message.recognize_structure is not None:
        head += f' recognize-structure="{flag(message.recognize_structure)}"'
    for axis in "xyz":
        value = getattr(message, f"startblock_{axis}")
        head += "" if value is None else f' startblock-{axis}="{whole(value)}"'
    return f'{head} timestamp="{stamp(message.timestamp)}"/>'


def finished_first_time(message: FinishedFirstTimePerceptTerrianSignal) -> str:
    """``<finished-first-time-percept-terrian-signal>`` (final)."""
    return f'<finished-first-time-percept-terrian-signal timestamp="{stamp(message.timestamp)}"/>'
