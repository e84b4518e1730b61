# SPDX-License-Identifier: Apache-2.0
"""Typed access to the inside of one percept list, such as ``(GYR (n torso_gyro) (rt 0.0 0.0 0.0))``."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from embodiment_bridge.wire.codec import excerpt
from embodiment_bridge.wire.sexpr import Node, build

# float() and int() alone would accept "1_0", digits of other scripts and, at great cost, a million digits.
NUMBER: Final = r"[-+.0-9a-zA-Z]+"
INTEGER: Final = r"[-+]?[0-9]{1,18}"

_is_number = re.compile(NUMBER).fullmatch
_is_integer = re.compile(INTEGER).fullmatch


class BadListError(ValueError):
    """A known perceptor that is not as it should be; what was good of it has been kept."""


class UnknownListError(ValueError):
    """A list, or something in one, that has no meaning here; what has one has been kept."""


class Fields:
    """The sub-lists of a list by their first atoms; each can be taken once."""

    def __init__(self, items: Sequence[Node]) -> None:
        """Sort ``items``.

        Raises:
            BadListError: one of them is no list, has no name, or has the name of another.
        """
        self._fields: dict[str, list[Node]] = {}
        for item in items:
            if not isinstance(item, list) or not item or not isinstance(item[0], str):
                raise BadListError(f"{quote(item)} is no (name value ...)")
            if item[0] in self._fields:
                raise BadListError(f"{quote(item[0])} twice")
            self._fields[item[0]] = item[1:]

    def __contains__(self, name: str) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        """The names of the fields that are not taken."""
        return iter(self._fields)

    def numbers(self, name: str, count: int) -> list[float]:
        """The ``count`` numbers of a field.

        Raises:
            BadListError: that is not what is there; so do the methods below.
        """
        return [number(value) for value in self._take(name, count)]

    def number(self, name: str) -> float:
        """The one number of a field."""
        return self.numbers(name, 1)[0]

    def integer(self, name: str) -> int:
        """The one whole number of a field."""
        return integer(self._take(name, 1)[0])

    def text(self, name: str) -> str:
        """The text of a field. The server splits at blanks only, so names may hold other white space."""
        text = " ".join(self.texts(name))
        if not text:
            raise BadListError(f"{name} is empty")
        return text

    def texts(self, name: str) -> list[str]:
        """The atoms of a field."""
        return [atom(value) for value in self._take(name)]

    def end(self) -> None:
        """Be sure that all fields were taken.

        Raises:
            UnknownListError: one was not.
        """
        if self._fields:
            raise UnknownListError

    def _take(self, name: str, count: int | None = None) -> list[Node]:
        if name not in self._fields:
            raise BadListError(f"no {name}")
        values = self._fields.pop(name)
        if count is not None and len(values) != count:
            raise BadListError(f"{name} has {len(values)} values instead of {count}")
        return values


def atom(value: Node) -> str:
    """``value`` if it is an atom.

    Raises:
        BadListError: it is a list.
    """
    if isinstance(value, str):
        return value
    raise BadListError(f"{quote(value)} stands where a word or number should")


def number(value: Node) -> float:
    """An atom as a number; nan and inf are numbers.

    Raises:
        BadListError: it is none.
    """
    text = atom(value)
    if _is_number(text):
        try:
            return float(text)
        except ValueError:
            pass
    raise BadListError(f"{quote(text)} is no number")


def integer(value: Node) -> int:
    """An atom as a whole number.

    Raises:
        BadListError: it is none.
    """
    text = atom(value)
    if _is_integer(text):
        return int(text)
    raise BadListError(f"{quote(text)} is no whole number")


def quote(value: Node) -> str:
    """A short form of a value for an error text."""
    text = value if isinstance(value, str) else build(value)
    return repr(excerpt(text.encode()))
