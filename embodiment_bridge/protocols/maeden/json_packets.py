# SPDX-License-Identifier: Apache-2.0
"""The packets of the JSON dialects: one array a line.

J1: 8 strings, lists in them in parentheses. J2 to J4: 9 values, the first a status, lists as arrays. J2 and J3 send the
row farthest ahead first; which way round it is shows in where the agent sees itself.
"""

import json
import re
from typing import Final

from embodiment_bridge.core.unicode_text import is_unicode
from embodiment_bridge.protocols.maeden.command_writer import read_heard
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
from embodiment_bridge.protocols.maeden.text_packets import SMELLS, read_list, read_view

STRINGS: Final = 8  # values of a packet of J1
VALUES: Final = 9  # values of a packet of J2 to J4
STATUSES: Final = ("CONTINUE", "DIE", "SUCCESS", "END")
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_INT64: Final = 2**63


class PacketError(ValueError):
    """A line that is no packet; the text says why."""


def load(text: str) -> object:
    """The JSON value of a line.

    Raises:
        PacketError: it is none.
    """
    try:
        value = json.loads(text)
        whole = "\\u" not in text or is_unicode(json.dumps(value, ensure_ascii=False))
    except json.JSONDecodeError as error:
        raise PacketError(f"no JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError):
        raise PacketError("no JSON: a number is too long, or it is nested too deeply") from None
    if not whole:
        raise PacketError("a text in it has a lone surrogate, which is no Unicode character")
    return value


def read_strings(offset: int, values: list[object], raw: str) -> Percept:
    """A packet of J1.

    Raises:
        PacketError: a value is not what it should be.
    """
    if not all(isinstance(value, str | int) for value in values):
        raise PacketError("not 8 strings")
    smell, inventory, view, ground, heard, energy, result, time = (str(value).strip() for value in values)
    things, seen, below = read_list(inventory), read_view(view), read_list(ground)
    if things is None or seen is None or below is None:
        raise PacketError("inventory, view or ground is no list in parentheses of the right size")
    said = () if heard in ("[]", "") else read_heard(heard)
    return Percept(
        offset,
        "J1",
        "CONTINUE",
        _smell(smell),
        things,
        seen,
        below,
        said,
        _number("energy", energy),
        _result(result),
        _number("world time", time),
        raw,
    )


def read_values(offset: int, values: list[object], raw: str) -> Percept:
    """A packet of J2 to J4, the view as it is sent.

    Raises:
        PacketError: a value is not what it should be.
    """
    status, smell, inventory, view, ground, heard, energy, result, time = values[:VALUES]
    if not isinstance(status, str) or status.upper() not in STATUSES:
        raise PacketError(f"status {status!r:.40} is none of {', '.join(STATUSES)}")
    return Percept(
        offset,
        "J4",
        status.upper(),
        _smell(smell),
        _cell("inventory", inventory),
        _view(view),
        _cell("ground", ground),
        _messages(heard),
        _number("energy", energy),
        _result(result),
        _number("world time", time),
        raw,
    )


def sees_itself(view: View, own: str, *, reversed_rows: bool) -> bool:
    """Whether the agent is where it sees itself, in the usual order of rows or the other one."""
    row = ROWS - 1 - OWN_ROW if reversed_rows else OWN_ROW
    return own in view[row][OWN_COLUMN]


def _smell(value: object) -> str:
    if isinstance(value, str) and value.lower() in SMELLS:
        return value.lower()
    raise PacketError(f"smell {value!r:.40} is none of {', '.join(SMELLS)}")


def _result(value: object) -> bool:
    if isinstance(value, str) and value.lower() in ("ok", "fail"):
        return value.lower() == "ok"
    raise PacketError(f"result {value!r:.40} is neither ok nor fail")


def _number(name: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and -_INT64 <= value < _INT64:
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    raise PacketError(f"{name} {value!r:.40} is no whole number")


def _cell(name: str, value: object) -> Cell:
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
        return tuple(value)
    raise PacketError(f"{name} is no list of strings")


def _view(value: object) -> View:
    if not isinstance(value, list) or len(value) != ROWS:
        raise PacketError(f"view has not {ROWS} rows")
    if not all(isinstance(row, list) and len(row) == COLUMNS for row in value):
        raise PacketError(f"a row of the view has not {COLUMNS} cells")
    return tuple(tuple(_cell("a cell of the view", cell) for cell in row) for row in value)


def _messages(value: object) -> tuple[Message, ...]:
    """Every server sends null, and its documents say array: whatever is there does not make the packet invalid."""
    if isinstance(value, str):
        return read_heard(value)
    if not isinstance(value, list):
        return ()
    return tuple(_message(item if isinstance(item, str) else json.dumps(item)) for item in value)


def _message(text: str) -> Message:
    heard = read_heard(f"({text})")
    return heard[0] if heard else Message("", "", "", "", (), None, text)
