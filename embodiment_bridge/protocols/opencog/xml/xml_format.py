# SPDX-License-Identifier: Apache-2.0
"""Writes values, parameters, entities and actions as XML.

Refuses values that cannot be written, and cleans texts from outside.
"""

import re
from functools import lru_cache
from math import isfinite
from typing import Final

from embodiment_bridge.protocols.opencog.xml.parts import (
    ENTITY_TYPES,
    LIST_TYPES,
    PARAM_TYPES,
    STATUS,
    ActionSignal,
    Entity,
    Param,
    Rotation,
    ValueList,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.stamps import is_date_time

# Cleans texts from outside for XML.

LONGEST_TEXT: Final = 1000  # characters
_ILLEGAL: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str, longest: int = LONGEST_TEXT) -> str:
    """The text without characters that XML does not allow, cut to ``longest``."""
    return _ILLEGAL.sub("", text[:longest])


# Writes parameters, entities and actions as XML.

_NUMBERS: Final = {"int": int, "float": float}


def vector(tag: str, value: Vector) -> str:
    """``<tag x y z/>``."""
    return f'<{tag} x="{num(value.x)}" y="{num(value.y)}" z="{num(value.z)}"/>'


def rotation(value: Rotation) -> str:
    """``<rotation pitch roll yaw/>``."""
    return f'<rotation pitch="{num(value.pitch)}" roll="{num(value.roll)}" yaw="{num(value.yaw)}"/>'


def entity(value: Entity) -> str:
    """``<entity id type .../>``."""
    return (
        f'<entity id="{identity(value.id)}" type="{one_of(value.type, ENTITY_TYPES)}"'
        f"{optional('name', value.name)}{optional('owner-id', value.owner_id)}"
        f"{optional('owner-name', value.owner_name)}{optional('session-id', value.session_id)}/>"
    )


def param(value: Param, tag: str = "param") -> str:
    """``<param>`` with a value or content, depending on its type.

    Raises:
        BadValueError: value and type do not fit.
    """
    kind = one_of(value.type, PARAM_TYPES)
    head = f'<{tag} type="{kind}"{optional("name", value.name)}'
    if kind in ("boolean", "int", "float", "string"):
        return f'{head} value="{_simple(kind, value.value)}"/>'
    if kind == "nil":
        return f"{head}/>"
    return f"{head}>{_content(kind, value)}</{tag}>"


def _simple(kind: str, value: str) -> str:
    if kind == "boolean":
        return one_of(value, ("true", "false"))
    if kind in _NUMBERS:
        try:
            num(_NUMBERS[kind](value))
        except (TypeError, ValueError):
            raise BadValueError(f"the text of a finite number in a parameter of type {kind}") from None
    return text(value)


def _content(kind: str, value: Param) -> str:
    if kind == "vector" and value.vector is not None:
        return vector("vector", value.vector)
    if kind == "rotation" and value.rotation is not None:
        return rotation(value.rotation)
    if kind == "entity" and value.entity is not None:
        return entity(value.entity)
    if kind == "list" and value.list is not None:
        return _list(value.list)
    raise BadValueError(f"given in a parameter of type {kind}, as {kind}")


def _list(value: ValueList) -> str:
    items = [vector("vector", item) for item in value.vectors]
    items += [rotation(item) for item in value.rotations]
    items += [f"<value>{content(item)}</value>" for item in value.values]
    if not items:
        raise BadValueError("a list with at least one value")
    return f'<list elementType="{one_of(value.element_type, LIST_TYPES)}">{"".join(items)}</list>'


def action(value: ActionSignal) -> str:
    """``<action>`` of a signal. The status of a report is always written, because only a schema fills in defaults."""
    if not value.name:
        raise BadValueError("a name that is not empty")
    head = f'<action name="{text(value.name)}"'
    if value.plan_id is not None:
        head += f' plan-id="{identity(value.plan_id)}"'
    if value.sequence is not None:
        if type(value.sequence) is not int or value.sequence < 1:
            raise BadValueError("a whole number from 1; without one the report is about the whole plan")
        head += f' sequence="{whole(value.sequence)}"'
    status = one_of(value.status, STATUS)
    if value.plan_id is not None:
        head += f' status="{status}"'
    head += optional("action-instance-name", value.instance_name)
    if value.result_state is not None:
        head += f' result-state="{flag(value.result_state)}"'
    head += optional("target", value.target) + optional("target-type", value.target_type)
    return _closed(head, "action", [param(item) for item in value.params])


def _closed(head: str, tag: str, inner: list[str]) -> str:
    return "\n".join([f"{head}>", *inner, f"</{tag}>"]) if inner else f"{head}/>"


INT_MIN, INT_MAX = -(2**31), 2**31 - 1
_SPECIAL: Final = re.compile("[^ !#-%'-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
)
_IN_ELEMENT: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ID: Final = re.compile(r"\S{1,200}")


class BadValueError(ValueError):
    """A value that cannot be written; the text says what it should be."""


def num(value: float) -> str:
    """A finite number, with full precision."""
    kind = type(value)
    if kind is float or kind is int:
        try:
            if isfinite(value):
                return repr(value)
        except OverflowError:
            pass
    raise BadValueError("a finite number")


def whole(value: int | None) -> str:
    """A whole number of 32 bits, without a decimal point."""
    if type(value) is int and INT_MIN <= value <= INT_MAX:
        return str(value)
    raise BadValueError("a whole number of 32 bits")


def flag(value: bool | None) -> str:
    """``true`` or ``false``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    raise BadValueError("true or false")


def text(value: str | None) -> str:
    """A text in an attribute."""
    if type(value) is not str:
        raise BadValueError("a text")
    if _SPECIAL.search(value) is None:
        return value
    return _legal(value).translate(_ESCAPES)


def content(value: str | None) -> str:
    """A text in an element. Line feeds are kept; a carriage return would be lost."""
    if type(value) is not str:
        raise BadValueError("a text")
    return _legal(value).translate(_IN_ELEMENT)


def _legal(value: str) -> str:
    if _ILLEGAL.search(value):
        raise BadValueError("a text without control characters and lone surrogates")
    return value


def identity(value: object) -> str:
    """An id. It is also a word in lines of the Router, so it has no white space."""
    if type(value) is str and _ID.fullmatch(value):
        return text(value)
    raise BadValueError("an id of 1 to 200 characters without white space")


def stamp(value: object) -> str:
    """A date and time from 2008 on; an earlier one would be in the far future for an OAC."""
    if type(value) is str and _is_stamp(value):
        return value
    raise BadValueError("a date and time such as 2011-08-20T10:00:00.500, from 2008 on")


@lru_cache(maxsize=64)
def _is_stamp(value: str) -> bool:
    """Cached, because all parts of a message have the same stamp."""
    return is_date_time(value) and value >= "2008"


def one_of(value: str, choices: tuple[str, ...]) -> str:
    """One of some words."""
    if isinstance(value, str) and value in choices:
        return value
    raise BadValueError(f"one of {', '.join(choices)}")


def optional(name: str, value: str | None) -> str:
    """`` name="value"``, or an empty text if the value is None or empty."""
    return "" if value is None or value == "" else f' {name}="{text(value)}"'
