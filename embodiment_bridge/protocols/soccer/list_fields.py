# SPDX-License-Identifier: Apache-2.0
"""Reads the inside of one list, such as ``(GYR (n torso_gyro) (rt 0.0 0.0 0.0))``: kinds of values, named fields."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from embodiment_bridge.wire.codec import excerpt
from embodiment_bridge.wire.sexpr import ATOM, Node, build


class BadListError(ValueError):
    """A known perceptor that is not as it should be; what was good of it has been kept."""


class UnknownListError(ValueError):
    """A list, or something in one, that has no meaning here; what has one has been kept."""


class Kind(NamedTuple):
    """One kind of values: the pattern of its text, what makes the value of that, and what is said of another text.

    The pattern is possessive, which is faster. ``convert`` raises ValueError for what the pattern alone cannot tell.
    """

    pattern: str
    convert: Callable[[str], Any]
    problem: str

    def read(self, value: Node) -> Any:
        """The value of an atom.

        Raises:
            BadListError: it is none of this kind.
        """
        text = atom(value)
        if re.fullmatch(self.pattern, text):
            try:
                return self.convert(text)
            except ValueError:
                pass
        raise BadListError(f"{quote(text)} is {self.problem}")


TEXT: Final = Kind(f"{ATOM}+", str, "no word")
# float() and int() alone would accept "1_0", digits of other scripts and, at great cost, a million digits.
NUMBER: Final = Kind(r"[-+.0-9a-zA-Z]++", float, "no number")  # nan and inf are numbers
WHOLE: Final = Kind(r"[-+]?[0-9]{1,18}", int, "no whole number")


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

    def __len__(self) -> int:
        return len(self._fields)

    def text(self, name: str) -> str:
        """The text of a field. The server splits at blanks only, so names may hold other white space."""
        text = " ".join(atom(value) for value in self.take(name))
        if not text:
            raise BadListError(f"{name} is empty")
        return text

    def take(self, name: str, count: int | None = None) -> list[Node]:
        """The values of a field.

        Raises:
            BadListError: it is not there, or has not ``count`` values.
        """
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


def as_list(item: Node) -> list[Node]:
    """``item`` if it is a list.

    Raises:
        BadListError: it is an atom.
    """
    if isinstance(item, list):
        return item
    raise BadListError(f"{quote(item)} stands where a list should")


def quote(value: Node) -> str:
    """A short form of a value for an error text."""
    text = value if isinstance(value, str) else build(value)
    return repr(excerpt(text.encode()))
