# SPDX-License-Identifier: Apache-2.0
"""Reads what elements send to a Router: command lines, and messages with the number of lines in their head."""

import re
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.wire.codec import Malformed
from embodiment_bridge.wire.framing import Line, LineFramer

MAX_MESSAGE: Final = 4 << 20  # bytes, as of the documents that are read; a real Router has no limit
MAX_COMMAND: Final = 1000  # bytes; a real Router has buffers of 256 for the words
_NUMBER: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message from one element to another."""

    sender: str
    to: str
    type: int
    payload: bytes


class RouterLines:
    """One connection of an element, as the real Router reads it: a message of 0 lines is never complete.

    A message that is too long is read to its end, and dropped.
    """

    def __init__(self) -> None:
        self._lines = LineFramer(MAX_MESSAGE)
        self._head: list[str] = []
        self._missing = 0
        self._payload = bytearray()  # each line begins with a line feed
        self._too_long = False

    def feed(self, data: bytes) -> "list[Incoming | list[str]]":
        """Messages and commands (words) that are now complete."""
        found: list[Incoming | list[str]] = []
        for line in self._lines.feed(data):
            if self._head:
                self._continue(line, found)
            elif isinstance(line, Line) and len(line.text) <= MAX_COMMAND:
                self._command(line.text.decode("utf-8", "replace").split(" "), found)
        return found

    def _command(self, words: list[str], found: "list[Incoming | list[str]]") -> None:
        match words:
            case ["NEW_MESSAGE", _, _, kind, lines] if _NUMBER.fullmatch(kind) and _NUMBER.fullmatch(lines):
                self._begin(words)
                self._missing = int(lines)
            case _:
                found.append(words)

    def _continue(self, line: Line | Malformed, found: "list[Incoming | list[str]]") -> None:
        self._missing -= 1
        text = line.text.split(b"\0")[0] if isinstance(line, Line) else b""
        self._too_long |= isinstance(line, Malformed) or len(self._payload) + len(text) > MAX_MESSAGE
        if self._too_long:
            self._payload.clear()
        else:
            self._payload += b"\n" + text
        if self._missing == 0:
            if not self._too_long:
                _, sender, to, kind, _ = self._head
                found.append(Incoming(sender, to, int(kind), bytes(self._payload[1:])))
            self._begin([])

    def _begin(self, head: list[str]) -> None:
        self._head = head
        self._payload.clear()
        self._too_long = False
