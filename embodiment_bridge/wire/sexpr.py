# SPDX-License-Identifier: Apache-2.0
"""S-expressions as the RoboCup soccer simulators write them: ``(time (now 4.01))(GS (t 0.0)(pm PlayOn))``.

A message is a row of lists with no list around them. A list holds atoms and lists. An atom is any run of
characters other than parentheses and ASCII white space; there are no quotes, escapes or comments. An atom
becomes a ``str``, a list a Python list. Nothing here recurses, so deep input costs no stack.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Union

Node = Union[str, list["Node"]]  # noqa: UP007 - a forward reference

# The scene graph of rcssservermj nests two lists per link of a robot, about 40 in all. The limit protects
# those who walk the result by recursion, or print it.
DEFAULT_MAX_DEPTH: Final = 200
DEFAULT_MAX_SIZE: Final = 1 << 20  # bytes; a parsed list takes up to 60 times the memory of its text

ATOM: Final = r"[^ \t\n\r\f\v()]+"  # to be used in the patterns of others too

_TOKEN = re.compile(rf"[()]|{ATOM}")
_ONE_ATOM = re.compile(ATOM)
_BRACKET = re.compile(rb"[()]")
_BLANKS: Final = b" \t\n\r\f\v"
_END: list[Node] = []  # stands for ")" while building


class SexprError(ValueError):
    """Text that is no S-expression; ``position`` is the byte where that shows."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(f"{reason} at byte {position}")
        self.reason = reason
        self.position = position


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes ``start`` to ``end`` of a message: one whole top-level list, or what ``problem`` says."""

    start: int
    end: int
    problem: str = ""


def parse(data: bytes, max_depth: int = DEFAULT_MAX_DEPTH, max_size: int = DEFAULT_MAX_SIZE) -> list[Node]:
    """Parse a message into its top-level atoms and lists.

    Raises:
        SexprError: brackets do not pair, lists are nested deeper than ``max_depth``, the message is longer
            than ``max_size`` bytes, or it is not UTF-8.
    """
    if len(data) > max_size:
        raise SexprError(f"message of {len(data)} bytes, longer than {max_size}", max_size)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise SexprError("not UTF-8", error.start) from None
    current: list[Node] = []
    outer: list[list[Node]] = []
    for token in _TOKEN.findall(text):
        if token == "(":
            inner: list[Node] = []
            current.append(inner)
            outer.append(current)
            current = inner
            if len(outer) > max_depth:
                raise _structure_error(data, max_depth)
        elif token == ")":
            if not outer:
                raise _structure_error(data, max_depth)
            current = outer.pop()
        else:
            current.append(token)
    if outer:
        raise _structure_error(data, max_depth)
    return current


def _structure_error(data: bytes, max_depth: int) -> SexprError:
    """Say where ``parse`` failed; apart from it because counting bytes would make it slower."""
    opened: list[int] = []
    for match in _BRACKET.finditer(data):
        if match[0] == b"(":
            opened.append(match.start())
            if len(opened) > max_depth:
                return SexprError(f"list nested deeper than {max_depth}", match.start())
        elif opened:
            opened.pop()
        else:
            return SexprError("')' without its '('", match.start())
    return SexprError("'(' without its ')'", opened[0])


def split(data: bytes) -> Iterator[Piece]:
    """Cut a message into its top-level lists and name what stands between them; never raises.

    A list that is never closed takes in the rest of the message.
    """
    depth = start = end = 0
    for match in _BRACKET.finditer(data):
        at = match.start()
        if match[0] == b"(":
            if depth == 0:
                yield from _loose_text(data, end, at)
                start = at
            depth += 1
        elif depth == 0:
            yield from _loose_text(data, end, at)
            yield Piece(at, at + 1, "')' without its '('")
            end = at + 1
        else:
            depth -= 1
            if depth == 0:
                end = at + 1
                yield Piece(start, end)
    if depth:
        yield Piece(start, len(data), "'(' without its ')'")
    else:
        yield from _loose_text(data, end, len(data))


def _loose_text(data: bytes, start: int, end: int) -> Iterator[Piece]:
    between = data[start:end]
    text = between.strip(_BLANKS)
    if text:
        start += between.index(text)
        yield Piece(start, start + len(text), "text outside of any list")


def build(node: Node) -> str:
    """The text of an atom or a list, one blank between elements: ``["a", ["b", "1"]]`` gives ``(a (b 1))``.

    Raises:
        ValueError: an atom is empty or holds white space or parentheses.
    """
    parts = []
    pending = [node]
    while pending:
        item = pending.pop()
        if item is _END:
            parts.append(")")
        elif isinstance(item, list):
            parts.append("(")
            pending.append(_END)
            pending.extend(reversed(item))
        elif _ONE_ATOM.fullmatch(item):
            parts.append(item)
        else:
            raise ValueError(f"{item!r} cannot be an atom: it is empty or holds white space or parentheses")
    return " ".join(parts).replace("( ", "(").replace(" )", ")")
