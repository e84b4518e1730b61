# SPDX-License-Identifier: Apache-2.0
"""Lines of text: each message ends with a newline (LF, or CR LF)."""

from typing import Final, NamedTuple

from embodiment_bridge.wire.events import Malformed, Truncated, excerpt

DEFAULT_MAX_LINE: Final = 65536  # bytes; a longer line is from a stream out of step or a hostile peer


class Line(NamedTuple):
    """One whole line: the ``offset`` of its first byte in the stream, and its ``text`` without the line end."""

    offset: int
    text: bytes


class LineFramer:
    """Cuts a byte stream that comes in any chunks into lines.

    Between calls it keeps the unfinished line only, at most ``max_line`` bytes. A longer line is reported as soon as
    it is too long, then skipped up to its end without being kept.
    """

    def __init__(self, max_line: int = DEFAULT_MAX_LINE) -> None:
        self._max_line = max_line
        self._offset = 0  # in the stream, of the line that is unfinished
        self._rest = bytearray()  # what there is of it
        self._skipped = 0  # bytes of it that were dropped because it is too long

    def feed(self, data: bytes) -> list[Line | Malformed]:
        """Take bytes as they came; return the lines now whole and the reports of overlong ones, in order."""
        found: list[Line | Malformed] = []
        begin = 0
        while (end := data.find(b"\n", begin)) >= 0:
            self._extend(data[begin:end], found)
            self._finish(found)
            begin = end + 1
        self._extend(data[begin:], found)
        return found

    def close(self) -> list[Truncated]:
        """The stream ended: say so if that was inside a line. What there was of it is dropped."""
        offset, received = self._offset, self._skipped + len(self._rest)
        self._begin_line(offset + received)
        return [Truncated(offset, received)] if received else []

    def _extend(self, piece: bytes, found: list[Line | Malformed]) -> None:
        if self._skipped:
            self._skipped += len(piece)
            return
        self._rest += piece
        if len(self._rest) > self._max_line:
            reason = f"line longer than {self._max_line} bytes skipped"
            found.append(Malformed(self._offset, reason, excerpt(bytes(self._rest[: self._max_line + 1]))))
            self._skipped = len(self._rest)
            self._rest.clear()

    def _finish(self, found: list[Line | Malformed]) -> None:
        size = self._skipped or len(self._rest)
        if not self._skipped:
            found.append(Line(self._offset, bytes(self._rest).removesuffix(b"\r")))
        self._begin_line(self._offset + size + 1)

    def _begin_line(self, offset: int) -> None:
        self._offset = offset
        self._rest.clear()
        self._skipped = 0
