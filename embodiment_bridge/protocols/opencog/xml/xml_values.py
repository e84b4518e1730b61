# SPDX-License-Identifier: Apache-2.0
"""Reads attributes and small elements of the XML messages, tolerantly."""

from collections.abc import Callable, Iterable, Iterator
from math import isfinite
from typing import Any, Final, TypeVar

from embodiment_bridge.protocols.opencog.xml.parts import Entity, Level, Param, Rotation, ValueList, Vector
from embodiment_bridge.protocols.opencog.xml.xml_parse import Element

LARGEST_WHOLE: Final = 2**53
T = TypeVar("T")
Faults = list[tuple[str, str]]  # what is wrong with a part that was left out, and the name of its element
_TRUE: Final = ("true", "1")
_FALSE: Final = ("false", "0")


class BadElementError(ValueError):
    """An element cannot be used; the text names element, attribute and value."""


def local_name(element: Element) -> str:
    """The name of an element without its namespace, in which programs differ."""
    tag: str = element.tag
    return tag.rpartition("}")[2]


def children(element: Element, name: str) -> Iterator[Element]:
    """The children of an element with a local name."""
    return (child for child in element if local_name(child) == name)


def child(element: Element, name: str) -> Element | None:
    """The first child with a local name, or None."""
    return next(children(element, name), None)


def required(element: Element, *names: str) -> str:
    """The first of these attributes that is there: they are names of the same from different years.

    Raises:
        BadElementError: none of them exists.
    """
    for name in names:
        value = element.get(name)
        if value is not None:
            return str(value)
    raise BadElementError(f"{local_name(element)}: attribute {names[0]!r} is missing")


def first_of(element: Element, *names: str) -> str | None:
    """Like ``required``, but None if none of them exists."""
    return next((str(element.get(name)) for name in names if element.get(name) is not None), None)


def number(element: Element, name: str, missing: float | None = None) -> float:
    """A finite number; exponents and six digits are as good as any.

    Raises:
        BadElementError: it is not a finite number, or it is missing without a default.
    """
    text = element.get(name)
    if text is None:
        if missing is not None:
            return missing
        raise BadElementError(f"{local_name(element)}: attribute {name!r} is missing")
    value = to_number(text)
    if value is None:
        raise BadElementError(f"{local_name(element)}: {name}={text[:40]!r} is not a finite number")
    return value


def to_number(text: str) -> float | None:
    """The finite number that a text is, or None."""
    if "_" in text:  # Python reads 1_000
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def whole(element: Element, name: str) -> int | None:
    """A whole number, also written with a decimal point; None where it is missing.

    Raises:
        BadElementError: it is none.
    """
    text = element.get(name)
    if text is None:
        return None
    value = to_number(text)
    if value is None or abs(value) > LARGEST_WHOLE or value != int(value):
        raise BadElementError(f"{local_name(element)}: {name}={text[:40]!r} is not a whole number")
    return int(value)


def flag(element: Element, name: str) -> bool | None:
    """True or false in any case, or 1 and 0; None where it is missing.

    Raises:
        BadElementError: it is neither.
    """
    text = element.get(name)
    if text is None:
        return None
    lower = text.strip().lower()
    if lower not in _TRUE + _FALSE:
        raise BadElementError(f"{local_name(element)}: {name}={text[:40]!r} is neither true nor false")
    return lower in _TRUE


def vector(element: Element) -> Vector:
    """x, y and z of an element."""
    return Vector(number(element, "x"), number(element, "y"), number(element, "z"))


def rotation(element: Element) -> Rotation:
    """pitch, roll and yaw of an element; only yaw is ever used, so the others may be missing."""
    return Rotation(number(element, "pitch", 0.0), number(element, "roll", 0.0), number(element, "yaw"))


def entity(element: Element) -> Entity:
    """An entity; the misspelt type ``acessory`` is read as ``accessory``, and a missing type as ``object``."""
    get = element.get
    kind = get("type") or "object"
    return Entity(
        get("id", "-1"),
        "accessory" if kind == "acessory" else kind,
        get("name", ""),
        get("owner-id", ""),
        get("owner-name", ""),
        get("session-id", ""),
    )


def usable(items: Iterable[Element], make: Callable[[Element], T], faults: Faults) -> tuple[T, ...]:
    """What is made of each element. One that cannot be used is left out, and told in ``faults``."""
    made: list[T] = []
    for item in items:
        try:
            made.append(make(item))
        except BadElementError as error:
            faults.append((str(error), local_name(item)))
    return tuple(made)


def levels(element: Element, name: str, faults: Faults) -> tuple[Level, ...]:
    """Name and value of all usable children with a local name."""
    return usable(children(element, name), _level, faults)


def _level(item: Element) -> Level:
    return Level(required(item, "name"), number(item, "value"))


def params(element: Element) -> tuple[Param, ...]:
    """All parameters, in their order. Unreadable content is left out, which the user of the parameter reports."""
    return tuple(param(item) for item in children(element, "param"))


def param(element: Element) -> Param:
    """One parameter; without a type it gets that of its content."""
    content = next((c for c in element if local_name(c) in _CONTENTS), None)
    found = "" if content is None else local_name(content)
    kind = element.get("type") or {"": "string", "value": "string"}.get(found, found)
    name, value = element.get("name", ""), element.get("value", "")
    if content is None:
        return Param(kind, name, value)
    if found == "value":
        return Param(kind, name, content.text or "")
    try:
        made = _CONTENTS[found](content)
    except BadElementError:
        return Param(kind, name, value)
    return Param(kind, name, value, **{found: made})


def value_list(element: Element) -> ValueList:
    """A list of vectors, rotations and texts."""
    return ValueList(
        element.get("elementType", ""),
        tuple(vector(item) for item in children(element, "vector")),
        tuple(rotation(item) for item in children(element, "rotation")),
        tuple(item.text or "" for item in children(element, "value")),
    )


_CONTENTS: Final[dict[str, Any]] = {
    "vector": vector,
    "rotation": rotation,
    "entity": entity,
    "list": value_list,
    "value": None,
}
