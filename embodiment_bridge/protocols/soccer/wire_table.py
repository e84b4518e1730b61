# SPDX-License-Identifier: Apache-2.0
"""Describes each list of a percept once, as a row; two ways to read it follow.

A compiled pattern reads frames of the usual form, several times faster than list by list. The lists that ``sexpr``
parses are read exactly, in any order, with a reason for each that is wrong. Both give the same values.
"""

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from operator import call
from typing import Any, Final, TypeAlias

from embodiment_bridge.protocols.soccer.list_fields import (
    NUMBER,
    TEXT,
    BadListError,
    Fields,
    Kind,
    UnknownListError,
    as_list,
    quote,
)
from embodiment_bridge.wire.sexpr import ATOM, Node

BASE64: Final = Kind(
    r"[A-Za-z0-9+/]+={0,2}", lambda text: base64.b64decode(text, validate=True), "not base64"
)
DIRECTION: Final = Kind(TEXT.pattern, lambda text: None if text == "self" else NUMBER.read(text), "no number")
Read: TypeAlias = tuple[Any, ValueError | None]
"""A value, and the first problem with a part of it that was left out."""


@dataclass(frozen=True, slots=True)
class Value:
    """Values of one kind in a list: ``count`` of them behind a name, or one that stands alone (without a name).

    older: another name for the same. any_name: where that name is not there, the first one counts.
    optional: they are ``missing`` where the list lacks them. usual: the usual form has them nevertheless.
    """

    kind: Kind
    name: str = ""
    count: int = 1
    older: str = ""
    any_name: bool = False
    optional: bool = False
    missing: object = None
    usual: bool = False

    def pattern(self, opened: str) -> str:
        """The pattern, with ``opened`` before each value."""
        value = f"{opened}{self.kind.pattern})"
        if not self.name:
            return value
        names = ATOM if self.any_name else f"(?:{self.name}|{self.older})" if self.older else self.name
        named = rf"\({names}{f' {value}' * self.count}\) ?+"
        return f"(?:{named})?+" if self.optional and not self.usual else named

    @property
    def convert(self) -> Callable[[Any], Any]:
        """Return a converter from the text of a group to its value."""
        convert, missing = self.kind.convert, self.missing
        return (lambda text: convert(text) if text else missing) if self.optional else convert

    def read(self, fields: Fields) -> list[Any]:
        """The values of named fields.

        Raises:
            BadListError: they are not as they should be.
        """
        name = self.name
        if name not in fields:
            if self.optional:
                return [self.missing] * self.count
            name = next(iter(fields), name) if self.any_name else self.older or name
        if self.kind is TEXT:
            return [fields.text(name)]
        return [self.kind.read(value) for value in fields.take(name, self.count)]


class Row:
    """One form of a list.

    Args:
        word: the first one; empty where a value stands there.
        made: makes the value of the values of its parts, in the order of the wire.
        parts: values that stand alone, then named ones and rows; of the list of a row there may be any number.
        field: of the percept.
        many: there may be several in a percept; the field is a tuple.
        joined: makes the field of all lists together, by columns.
    """

    def __init__(
        self,
        word: str,
        made: Callable[..., Any],
        *parts: "Value | Row",
        field: str = "",
        many: bool = False,
        joined: Callable[..., Any] | None = None,
    ) -> None:
        self.word, self.field, self.many = word, field, many
        self.joined = joined or (lambda *columns: tuple(map(made, *columns)))
        self.joins = joined is not None
        self.made = made
        self._lists = [part for part in parts if isinstance(part, Row) or part.name]
        self._alone = [part for part in parts if isinstance(part, Value) and not part.name]
        self._named = [part for part in parts if isinstance(part, Value) and part.name]
        self._rows = [part for part in parts if isinstance(part, Row)]
        self.converts: list[Callable[[Any], Any]] = []
        for part in parts:
            if isinstance(part, Row):
                self.converts.append(part.all)
            else:
                self.converts += [part.convert] * part.count
        self._places, self._length = self._find_places()
        self._each = re.compile(self.pattern("(")).findall

    def pattern(self, opened: str = "(?:") -> str:
        """The pattern, with a group for each value and each run of lists where ``opened`` is ``(``."""
        atoms = [self.word] if self.word else []
        atoms += [part.pattern(opened) for part in self._alone]
        lists = [
            f"{opened}(?:{part.pattern()})*+)" if isinstance(part, Row) else part.pattern(opened)
            for part in self._lists
        ]
        return rf"\({' '.join(atoms)} ?+{''.join(lists)}\) ?+"

    def _find_places(self) -> tuple[list[tuple[int, Callable[[str], Any]]], int]:
        """Find the places of the values among the words of a list, and their number; none if that depends."""
        places: list[int] = []
        length = 1 if self.word else 0
        for part in (*self._alone, *self._lists):
            if isinstance(part, Row) or part.optional:
                return [], 0
            length += 1 if part.name else 0
            places += range(length, length + part.count)
            length += part.count
        return list(zip(places, self.converts, strict=True)), length

    def all(self, text: str) -> Any:
        """The values of the lists of this form in ``text``, which holds no others; by columns, which is the fastest.

        Raises:
            ValueError: one is not what it looks like.
        """
        if not text:
            return ()
        if not self._places or not text.isascii():  # str.split also splits at blanks of other scripts
            return self.joined(*map(map, self.converts, zip(*self._each(text), strict=True)))
        words, length = text.replace("(", " ").replace(")", " ").split(), self._length
        return self.joined(
            *[
                words[place::length] if convert is str else map(convert, words[place::length])
                for place, convert in self._places
            ]
        )

    def takes(self, item: list[Node]) -> bool:
        """Whether a list inside another one is of this form, however wrong it is otherwise."""
        if self.word:
            return item[:1] == [self.word]
        if not self._named:
            return True
        return len(item) == 2 and isinstance(item[1], list) and item[1][:1] == [self._named[0].name]

    def read(self, items: list[Node]) -> Read:
        """The value of a parsed list; an optional value or a list of a row that is wrong is left out.

        Raises:
            BadListError, UnknownListError: there is none.
        """
        first = 1 if self.word else 0
        last = first + len(self._alone)
        if len(items) < last or (len(items) > last and not self._named and not self._rows):
            raise BadListError(f"{quote(items)} has not {len(self._alone)} values")
        values = [value.kind.read(item) for value, item in zip(self._alone, items[first:last], strict=True)]
        inner: dict[Row, list[Any]] = {row: [] for row in self._rows}
        named = [] if self._rows else items[last:]
        problem: ValueError | None = None
        for item in items[last:] if self._rows else ():
            try:
                self._sort(as_list(item), inner, named)
            except (BadListError, UnknownListError) as error:
                problem = problem or error
        fields = Fields(named)
        for part in self._lists:
            if isinstance(part, Row):
                values.append(tuple(inner[part]))
                continue
            try:
                values += part.read(fields)
            except BadListError as error:
                if not part.optional:
                    raise
                problem = problem or error
                values += [part.missing] * part.count
        return self.made(*values), problem or (UnknownListError() if fields else None)

    def _sort(self, item: list[Node], inner: "dict[Row, list[Any]]", named: list[Node]) -> None:
        """Read a list inside this one, or leave it to the named values."""
        row = next((row for row in self._rows if row.takes(item)), None)
        if row is not None:
            value, problem = row.read(item)
            if problem:
                raise problem
            inner[row].append(value)
        elif any(item[:1] == [value.name] for value in self._named):
            named.append(item)
        else:
            raise UnknownListError


class Form:
    """Reads frames whose lists are in the order of ``places``: a row is once, with ``?`` perhaps, with ``*`` often."""

    def __init__(self, *places: Row | tuple[Row, str]) -> None:
        self._once: list[tuple[str, bool, Callable[..., Any], list[Callable[[Any], Any]], slice, bool]] = []
        runs: dict[Row, list[int]] = {}
        pattern, group = "", 0
        for place in places:
            row, often = place if isinstance(place, tuple) else (place, "")
            if often == "*":
                pattern += f"((?:{row.pattern()})*+)"
                runs.setdefault(row, []).append(group)
                group += 1
            else:
                pattern += f"(?:{row.pattern('(')}){often}"
                own = slice(group, group + len(row.converts))
                self._once.append((row.field, row.many, row.made, row.converts, own, not often))
                group = own.stop
        self._runs = [(row.field, row.all, found) for row, found in runs.items()]
        self._match = re.compile(pattern).fullmatch

    def read(self, text: str) -> dict[str, Any] | None:
        """The fields of the percept in ``text``; None where it has another form, however slightly."""
        match = self._match(text)
        if match is None or "\x1c" in text or "\x1d" in text or "\x1e" in text or "\x1f" in text:
            return None  # str.split splits at these characters, but no server does
        groups = match.groups()
        fields: dict[str, Any] = {}
        try:
            for field, many, made, converts, own, required in self._once:
                texts = groups[own]
                if required or texts[0] is not None:
                    value = made(*map(call, converts, texts))
                    fields[field] = (value,) if many else value
            for field, read_all, runs in self._runs:
                run = "".join([groups[run] for run in runs])
                if run:
                    fields[field] = read_all(run)
        except ValueError:  # a value is not what it looks like; which one, the lists say
            return None
        return fields
