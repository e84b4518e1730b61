# SPDX-License-Identifier: Apache-2.0
"""Writes parameters, entities and actions as XML."""

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
from embodiment_bridge.protocols.opencog.xml.xml_format import (
    BadValueError,
    content,
    flag,
    identity,
    num,
    one_of,
    optional,
    text,
    whole,
)

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
