# SPDX-License-Identifier: Apache-2.0
"""Reads what elements send to a Router: command lines, and messages with the number of lines in their head."""

from dataclasses import dataclass

from embodiment_bridge.wire.events import Malformed
from embodiment_bridge.wire.line_framing import Line, LineFramer

MAX_LINE = 16 << 20  # bytes; a real Router has no limit
MAX_LINES = 1_000_000


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message from one element to another."""

    sender: str
    to: str
    type: int
    payload: bytes


class RouterLines:
    """One connection of an element, as the real Router reads it: a message of 0 lines is never complete."""

    def __init__(self) -> None:
        self._lines = LineFramer(MAX_LINE)
        self._head: list[str] = []
        self._missing = 0
        self._payload: list[bytes] = []

    def feed(self, data: bytes) -> "list[Incoming | list[str]]":
        """Messages and commands (words) that are now complete."""
        found: list[Incoming | list[str]] = []
        for line in self._lines.feed(data):
            if isinstance(line, Malformed):
                self._head, self._payload = [], []
            else:
                self._take(line, found)
        return found

    def _take(self, line: Line, found: "list[Incoming | list[str]]") -> None:
        if self._head:
            self._missing -= 1
            if len(self._payload) < MAX_LINES:
                self._payload.append(line.text.split(b"\0")[0])
            if self._missing == 0:
                _, sender, to, kind, _ = self._head
                found.append(Incoming(sender, to, int(kind), b"\n".join(self._payload)))
                self._head, self._payload = [], []
            return
        words = line.text.decode("utf-8", "replace").split(" ")
        match words:
            case ["NEW_MESSAGE", _, _, kind, lines] if kind.isdecimal() and lines.isdecimal():
                self._head, self._missing = words, int(lines)
            case _:
                found.append(words)
