# SPDX-License-Identifier: Apache-2.0
"""Writes messages as XML documents, strictly by the schema, so that a validating OAC accepts all of them."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.opencog.xml import map_writer, signal_writer
from embodiment_bridge.protocols.opencog.xml.events import (
    BRAIN_MESSAGES,
    BRAIN_URI,
    COMMANDS,
    DIALECTS,
    PROXY_MESSAGES,
    ActionPlan,
    AgentSensorInfo,
    AgentSignal,
    AvatarSignal,
    BlockStructureSignal,
    BrainMessage,
    Communication,
    EmotionalFeeling,
    FinishedFirstTimePerceptTerrianSignal,
    Instruction,
    MapInfo,
    ProxyMessage,
    PsiDemand,
    StateInfo,
    TerrainInfo,
)
from embodiment_bridge.protocols.opencog.xml.parts import (
    PARAM_TYPES,
    Level,
    Param,
    PlanAction,
    Rotation,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.xml_format import (
    BadValueError,
    num,
    one_of,
    optional,
    text,
    whole,
)
from embodiment_bridge.protocols.opencog.xml.xml_problem import problem

# Writes messages of an OAC as a real one does: attributes in alphabetical order, six digits, empty lines.

BRAIN_DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n'
NUMBERS: Final = ("int", "float")


def document(message: BrainMessage) -> str:
    """One document, of which the message is the root.

    Raises:
        BadValueError: a value cannot be written.
    """
    if isinstance(message, ActionPlan):
        head = f' demand="{text(message.demand)}"'
        if message.entity_type is not None:
            text(message.entity_type)  # checked only: an OAC never sends it
        head += f' entity-id="{text(message.entity_id)}" id="{text(message.id)}"'
        inner = [_action(item) for item in message.actions]
        return _root("action-plan", head, inner)
    if isinstance(message, EmotionalFeeling | PsiDemand):
        feeling = isinstance(message, EmotionalFeeling)
        tag, levels = (
            ("feeling", message.feelings)
            if isinstance(message, EmotionalFeeling)
            else ("demand", message.demands)
        )
        inner = [_level(tag, item) for item in levels]
        head = f' entity-id="{text(message.entity_id)}"'
        return _root("emotional-feeling" if feeling else "psi-demand", head, inner)
    inner = [_own_param(item) for item in message.params]
    lines = [f'<single-action-command name="{text(message.name)}" xmlns="{BRAIN_URI}">', *inner]
    return BRAIN_DECLARATION + "\n".join([*lines, "</single-action-command>"]) + "\n"


def _root(tag: str, head: str, inner: Iterable[str]) -> str:
    lines = list(inner)
    start = f'<oc:{tag} xmlns:oc="{BRAIN_URI}"{head}'
    if not lines:
        return f"{BRAIN_DECLARATION}{start}/>\n"
    body = "".join(f"\n  {line}\n" for line in lines)
    return f"{BRAIN_DECLARATION}{start}>\n{body}\n</oc:{tag}>\n"


def _level(tag: str, value: Level) -> str:
    return f'<{tag} name="{text(value.name)}" value="{_six(value.value)}"/>'


def _action(value: PlanAction) -> str:
    if type(value.parallel) is not int:
        raise BadValueError("parallel: a whole number; an OAC never sends groups")
    if type(value.sequence) is not int or value.sequence < 1:
        raise BadValueError("sequence: a whole number from 1")
    head = f'<action name="{text(value.name)}" sequence="{whole(value.sequence)}"'
    if not value.params:
        return f"{head}/>"
    inner = "".join(f"\n    {_param(item)}\n" for item in value.params)
    return f"{head}>\n{inner}\n  </action>"


def _param(value: Param) -> str:
    kind = one_of(value.type, PARAM_TYPES)
    head = f'<param name="{text(value.name)}" type="{kind}"'
    inner = _content(value)
    if inner:
        return f"{head}>\n      {inner}\n    </param>"
    told = text(value.value)
    if kind in NUMBERS:
        told = _number_text(told)
    return f'{head} value="{told}"/>'


def _content(value: Param) -> str:
    if value.vector is not None:
        return _vector(value.vector)
    if value.rotation is not None:
        return _rotation(value.rotation)
    if value.entity is not None:
        return f'<entity id="{text(value.entity.id)}" type="{text(value.entity.type)}"/>'
    return ""


def _own_param(value: Param) -> str:
    """A parameter of a single command, where only whole numbers have a type."""
    kind = ' type="int"' if one_of(value.type, PARAM_TYPES) == "int" else ""
    return f'<param name="{text(value.name)}"{kind} value="{text(value.value)}"/>'


def _vector(value: Vector) -> str:
    return f'<vector x="{_six(value.x)}" y="{_six(value.y)}" z="{_six(value.z)}"/>'


def _rotation(value: Rotation) -> str:
    return f'<rotation pitch="{_six(value.pitch)}" roll="{_six(value.roll)}" yaw="{_six(value.yaw)}"/>'


def _six(value: float) -> str:
    """A number as a stream of C++ writes it: six digits, ``1.23457e+06``."""
    num(value)
    return f"{value:g}"


def _number_text(value: str) -> str:
    try:
        return _six(float(value))
    except (ValueError, OverflowError):
        raise BadValueError("value: the text of a finite number") from None


DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_XSI: Final = (
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    f' xsi:schemaLocation="{BRAIN_URI} BrainProxyAxon.xsd"'
)

_SIGNALS: Final[dict[type, Callable[[Any, str], str]]] = {
    MapInfo: map_writer.map_info,
    AvatarSignal: signal_writer.signal,
    AgentSignal: signal_writer.signal,
}
_OTHERS: Final[dict[type, Callable[[Any], str]]] = {
    AgentSensorInfo: signal_writer.agent_sensor_info,
    Communication: signal_writer.communication,
    Instruction: signal_writer.instruction,
}
_OF_FINAL: Final[dict[type, Callable[[Any], str]]] = {
    TerrainInfo: map_writer.terrain_info,
    StateInfo: signal_writer.state_info,
    BlockStructureSignal: signal_writer.block_structure_signal,
    FinishedFirstTimePerceptTerrianSignal: signal_writer.finished_first_time,
}


def write(messages: Iterable[ProxyMessage], dialect: str = "seed", request_id: str = "") -> bytes:
    """One document with all of these messages, for an OAC. An OAC processes them in its own order.

    Raises:
        CommandError: a message cannot be written, or not in this dialect; the text names the field, its value and
            what it may be.
    """
    if dialect not in DIALECTS:
        raise CommandError(unknown("dialect", str(dialect), DIALECTS))
    lines = [_child(message, dialect) for message in messages]
    try:
        asked = optional("request-id", request_id)
    except BadValueError as error:
        raise CommandError(f"request_id is {request_id!r:.80}; it must be {error}") from None
    head = f'{DECLARATION}<oc:embodiment-msg xmlns:oc="{BRAIN_URI}"{_XSI}{asked}>'
    return "\n".join([head, *lines, "</oc:embodiment-msg>"]).encode()


def write_brain(message: BrainMessage) -> bytes:
    """One document of an OAC, in the form of a real one.

    Raises:
        CommandError: see ``write``.
    """
    if type(message) not in BRAIN_MESSAGES:
        raise CommandError(_no_message(message, BRAIN_MESSAGES))
    return _refusing(message, "final", lambda: document(message)).encode()


def dialect_of(message: object) -> str:
    """The dialect of a message: ``final`` if only that has it, else ``seed``."""
    if type(message) in _OF_FINAL:
        return "final"
    if isinstance(message, MapInfo):
        newer = (message.is_first_time_percept_world, message.timestamp, message.global_position_z)
        return "final" if message.map_data or any(value is not None for value in newer) else "seed"
    if isinstance(message, AvatarSignal | AgentSignal):
        return "final" if message.availabilities or _has_targets(message) else "seed"
    return "seed"


def _has_targets(message: AvatarSignal | AgentSignal) -> bool:
    actions = message.actions if isinstance(message.actions, tuple) else ()
    names = ("instance_name", "result_state", "target", "target_type")
    return any(getattr(action, name, None) is not None for action in actions for name in names)


def _child(message: ProxyMessage, dialect: str) -> str:
    kind = type(message)
    if kind not in PROXY_MESSAGES:
        raise CommandError(_no_message(message, PROXY_MESSAGES))
    if kind in _SIGNALS:
        return _refusing(message, dialect, lambda: _SIGNALS[kind](message, dialect))
    if kind in _OTHERS:
        return _refusing(message, dialect, lambda: _OTHERS[kind](message))
    if dialect != "final":
        raise CommandError(f"{kind.__name__}: the dialect {dialect!r} has no such message (only 'final' has)")
    return _refusing(message, dialect, lambda: _OF_FINAL[kind](message))


def _refusing(message: ProxyMessage | BrainMessage, dialect: str, write_it: Callable[[], str]) -> str:
    """The result of ``write_it``; an error names the field that cannot be written."""
    if type(message.offset) is not int:
        raise CommandError(problem(message))
    try:
        return write_it()
    except (BadValueError, AttributeError, TypeError, ValueError) as error:
        why = problem(message) or f"{type(message).__name__} (dialect {dialect!r}): it must have {error}"
        raise CommandError(why) from None


def _no_message(message: object, kinds: tuple[type, ...]) -> str:
    return unknown("command", type(message).__name__, (kind.__name__ for kind in kinds or COMMANDS))
