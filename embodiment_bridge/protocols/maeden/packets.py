# SPDX-License-Identifier: Apache-2.0
"""Reads and writes sensory packets of every dialect by one table of their fields.

T is a count line and a line for each field, with lists in parentheses. J1 is a JSON array of the same 8 texts. J2 to J4
are an array of 9 values, the first a status, with lists as arrays; J2 and J3 send the row farthest ahead first.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from embodiment_bridge.core.unicode_text import is_unicode
from embodiment_bridge.protocols.maeden.command_writer import is_heard, read_heard
from embodiment_bridge.protocols.maeden.events import (
    COLUMNS,
    OWN_COLUMN,
    OWN_ROW,
    ROWS,
    Cell,
    Message,
    Percept,
    View,
)

MAX_DEPTH: Final = 3  # a view, its rows, its cells
MAX_ITEMS: Final = 4000  # in one line, lists included: no view has more than some hundred
STATUSES: Final = ("CONTINUE", "DIE", "SUCCESS", "END")
SMELLS: Final = ("f", "b", "l", "r", "h")
RESULTS: Final = ("ok", "fail")
_TOKEN: Final = re.compile(r'\s*(?:(\()|(\))|"([^"]*)"|([^\s()"]+))')
NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_INT64: Final = 2**63
Tree: TypeAlias = "str | list[Tree]"


class PacketError(ValueError):
    """A line that is no packet; the text says why."""


def read_tree(text: str) -> list[Tree]:
    """The one list in parentheses that ``text`` is; blanks may be anywhere or nowhere, and quotes may be missing.

    Raises:
        PacketError: it is none, nested deeper than a view, or very long.
    """
    stack: list[list[Tree]] = [[]]
    place = count = 0
    text = text.rstrip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        count += 1
        if found is None or count > MAX_ITEMS:
            break
        place = found.end()
        opening, closing, quoted, bare = found.groups()
        if opening:
            inner: list[Tree] = []
            stack[-1].append(inner)
            stack.append(inner)
        elif closing:
            stack.pop()
        else:
            stack[-1].append(bare if quoted is None else quoted)
        if not stack or len(stack) > MAX_DEPTH + 1 or (len(stack) == 1 and place < len(text)):
            break
    else:
        only = stack[0][0] if len(stack) == 1 and len(stack[0]) == 1 else None
        if isinstance(only, list):
            return only
    raise PacketError("is no list in parentheses")


def _smell(value: object) -> str:
    return _word(value, SMELLS)


def _result(value: object) -> bool:
    return _word(value, RESULTS) == "ok"


def _word(value: object, choices: Sequence[str]) -> str:
    if isinstance(value, str) and value.lower() in choices:
        return value.lower()
    raise PacketError(f"is none of {', '.join(choices)}")


def _number(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and -_INT64 <= value < _INT64:
        return value
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return int(value)
    raise PacketError("is no whole number")


def _cell(value: object) -> Cell:
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
        return tuple(value)
    raise PacketError("is no list of strings")


def _view(value: object) -> View:
    if not isinstance(value, list) or len(value) != ROWS:
        raise PacketError(f"has not {ROWS} rows")
    if not all(isinstance(row, list) and len(row) == COLUMNS for row in value):
        raise PacketError(f"has a row that has not {COLUMNS} cells")
    return tuple(tuple(map(_cell, row)) for row in value)


def _messages(value: object) -> tuple[Message, ...]:
    """The messages of any value: every server sends null, and its documents say array."""
    if isinstance(value, str):
        return read_heard(value)
    if not isinstance(value, list):
        return ()
    return tuple(_message(item if isinstance(item, str) else json.dumps(item)) for item in value)


def _message(text: str) -> Message:
    heard = read_heard(f"({text})")
    return heard[0] if heard else Message("", "", "", "", (), None, text)


def _sentences(text: str) -> str | None:
    if text in ("[]", ""):  # J1
        return None
    if is_heard(text):
        return text
    raise PacketError("is no list of messages")


def _in_parentheses(cell: Iterable[str]) -> str:
    return "(" + " ".join(f'"{item}"' for item in cell) + ")"


def _rows(view: View) -> str:
    return "(" + "".join("(" + " ".join(map(_in_parentheses, row)) + ")" for row in view) + ")"


def _said(messages: Iterable[Message]) -> str:
    return "(" + "".join(said.raw for said in messages) + ")"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a packet, in the order of the wire.

    name: of ``Percept``. read: its value, of a JSON value. parse: the JSON value of a line. write: the line of a value.
    ``read`` and ``parse`` raise PacketError.
    """

    name: str
    read: Callable[[object], object]
    parse: Callable[[str], object] = str
    write: Callable[[Any], str] = str

    def value(self, given: object, *, is_line: bool = False) -> object:
        """The value of a JSON value, or of a line.

        Raises:
            PacketError: it has none; the text names the field.
        """
        try:
            return self.read(self.parse(str(given).strip()) if is_line else given)
        except PacketError as error:
            raise PacketError(f"{self.name} {given!r:.40} {error}") from None


FIELDS: Final = (
    Field("smell", _smell),
    Field("inventory", _cell, read_tree, _in_parentheses),
    Field("view", _view, read_tree, _rows),
    Field("ground", _cell, read_tree, _in_parentheses),
    Field("messages", _messages, _sentences, _said),
    Field("energy", _number),
    Field("ok", _result, write=lambda ok: RESULTS[not ok]),
    Field("world_time", _number),
)
COUNT: Final = len(FIELDS)  # the first line of a packet of T


def fits(place: int, line: str) -> bool:
    """Whether a line of T can be that of the field at ``place``."""
    try:
        FIELDS[place].value(line, is_line=True)
    except PacketError:
        return False
    return True


def read_lines(offset: int, dialect: str, lines: Iterable[object], raw: str) -> Percept:
    """The packet of the texts of T or J1.

    Raises:
        PacketError: a text is not what it should be.
    """
    return _percept(offset, dialect, "CONTINUE", lines, raw, is_line=True)


def _percept(
    offset: int, dialect: str, status: str, values: Iterable[object], raw: str, *, is_line: bool
) -> Percept:
    read: dict[str, Any] = {
        field.name: field.value(value, is_line=is_line) for field, value in zip(FIELDS, values, strict=True)
    }
    return Percept(offset=offset, dialect=dialect, status=status, raw=raw, **read)


def read_json(offset: int, text: str) -> Percept | None:
    """The packet of a line of a JSON dialect, the view as it is sent; None where it is JSON but no array.

    Raises:
        PacketError: it is no packet.
    """
    try:
        return _read_array(offset, _load(text), text)
    except RecursionError:
        raise PacketError("it is nested too deeply") from None


def _read_array(offset: int, values: object, text: str) -> Percept | None:
    if not isinstance(values, list):
        return None
    if len(values) == COUNT and all(isinstance(value, str | int) for value in values):
        return read_lines(offset, "J1", values, text)
    if len(values) <= COUNT:
        raise PacketError(f"an array of {len(values)} values, neither {COUNT} texts nor {COUNT + 1} values")
    status = values[0]
    if not isinstance(status, str) or status.upper() not in STATUSES:
        raise PacketError(f"status {status!r:.40} is none of {', '.join(STATUSES)}")
    return _percept(offset, "J4", status.upper(), values[1 : COUNT + 1], text, is_line=False)


def _load(text: str) -> object:
    try:
        value: object = json.loads(text)
        whole = "\\u" not in text or is_unicode(json.dumps(value, ensure_ascii=False))
    except json.JSONDecodeError as error:
        raise PacketError(f"no JSON: {error.msg} at column {error.colno}") from None
    except ValueError:
        raise PacketError("no JSON: a number is too long") from None
    if not whole:
        raise PacketError("a text in it has a lone surrogate, which is no Unicode character")
    return value


def sees_itself(view: View, own: str, *, reversed_rows: bool) -> bool:
    """Whether the agent is where it sees itself, in the usual order of rows or the other one."""
    row = ROWS - 1 - OWN_ROW if reversed_rows else OWN_ROW
    return own in view[row][OWN_COLUMN]


def write_lines(percept: Percept) -> list[str]:
    """The nine lines of T."""
    return [str(COUNT), *(field.write(getattr(percept, field.name)) for field in FIELDS)]


def write_json(percept: Percept, *, reversed_rows: bool = False) -> str:
    """The array of J4, or with reversed rows that of J3, in which nobody hears anything."""
    own = {
        "view": percept.view[::-1] if reversed_rows else percept.view,
        "messages": None,
        "ok": RESULTS[not percept.ok],
    }
    values = [own.get(field.name, getattr(percept, field.name)) for field in FIELDS]
    return json.dumps([percept.status, *values], separators=(",", ":"), ensure_ascii=False)
