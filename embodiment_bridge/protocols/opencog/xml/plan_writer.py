# SPDX-License-Identifier: Apache-2.0
"""Writes messages of an OAC as a real one does: attributes in alphabetical order, six digits, empty lines."""

from collections.abc import Iterable
from typing import Final

from embodiment_bridge.protocols.opencog.xml.events import (
    BRAIN_URI,
    ActionPlan,
    BrainMessage,
    EmotionalFeeling,
    PsiDemand,
)
from embodiment_bridge.protocols.opencog.xml.parts import (
    PARAM_TYPES,
    Level,
    Param,
    PlanAction,
    Rotation,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.xml_format import BadValueError, num, one_of, text, whole

DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n'
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
    return DECLARATION + "\n".join([*lines, "</single-action-command>"]) + "\n"


def _root(tag: str, head: str, inner: Iterable[str]) -> str:
    lines = list(inner)
    start = f'<oc:{tag} xmlns:oc="{BRAIN_URI}"{head}'
    if not lines:
        return f"{DECLARATION}{start}/>\n"
    body = "".join(f"\n  {line}\n" for line in lines)
    return f"{DECLARATION}{start}>\n{body}\n</oc:{tag}>\n"


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
