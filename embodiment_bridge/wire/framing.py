# SPDX-License-Identifier: Apache-2.0
"""Finds where each message of a byte stream ends: frames with a length before them, and lines of text.

RCSSServerMJ and rcssserver3d frame every message like this, on their agent and monitor ports, both ways.
"""

from typing import Final, NamedTuple

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.wire.codec import Malformed, Truncated, excerpt

# Lines of text: each message ends with a newline (LF, or CR LF).

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


PREFIX_SIZE: Final = 4  # bytes

# The largest message of either simulator is a full scene graph with 22 robots, about 0.3 MB; a percept has
# 1 to 4 kB. A prefix that claims more is from a stream out of step or a hostile peer: it gets no memory.
DEFAULT_MAX_FRAME: Final = 1 << 20  # bytes


class Frame(NamedTuple):
    """One whole message: the ``offset`` of its length prefix in the stream, and its ``payload``."""

    offset: int
    payload: bytes


class Framer:
    """Cuts a byte stream that comes in any chunks into frames.

    Between calls it keeps the unfinished frame only: at most ``max_frame`` bytes and the prefix. A frame that
    claims more is reported as soon as its prefix is there, then skipped byte for byte without being kept.
    """

    def __init__(self, max_frame: int = DEFAULT_MAX_FRAME) -> None:
        self._max_frame = max_frame
        self._position = 0  # in the stream, of the first byte that is neither handed on nor skipped
        self._rest = bytearray()  # the unfinished frame
        # Where the frame that is being skipped began, and how many bytes of it have not come yet.
        self._oversize_at = self._to_skip = 0

    def feed(self, data: bytes) -> list[Frame | Malformed]:
        """Take bytes as they came; return the frames now whole and the reports of bad ones, in order."""
        rest = self._rest
        buffer: bytes | bytearray = data
        if rest:
            rest += data
            buffer = rest
        found: list[Frame | Malformed] = []
        at = min(self._to_skip, len(buffer))
        self._to_skip -= at
        origin = self._position  # of buffer[0] in the stream
        while len(buffer) - at >= PREFIX_SIZE:
            size = int.from_bytes(buffer[at : at + PREFIX_SIZE], "big")
            end = at + PREFIX_SIZE + size
            if 0 < size <= self._max_frame:
                if end > len(buffer):
                    break
                found.append(Frame(origin + at, bytes(buffer[at + PREFIX_SIZE : end])))
            else:
                found.append(self._bad_size(origin + at, size))
                self._to_skip = max(0, end - len(buffer))
            at = min(end, len(buffer))
        self._position = origin + at
        if buffer is rest:
            del rest[:at]
        else:
            rest += memoryview(buffer)[at:]
        return found

    def close(self) -> list[Truncated]:
        """The stream ended: say so if that was inside a frame. What there was of it is dropped."""
        offset = self._oversize_at if self._to_skip else self._position
        received = self._position + len(self._rest) - offset
        self._rest.clear()
        self._to_skip = 0
        self._position = offset + received
        return [Truncated(offset, received)] if received else []

    def _bad_size(self, offset: int, size: int) -> Malformed:
        self._oversize_at = offset
        if size == 0:
            return Malformed(offset, "empty frame (no peer sends one)")
        return Malformed(offset, f"frame of {size} bytes skipped (limit: {self._max_frame})")


def frame(payload: bytes) -> bytes:
    """Put the length prefix before ``payload``.

    Raises:
        CommandError: the payload is empty or longer than ``DEFAULT_MAX_FRAME``. rcssservermj 0.2.1 takes an
            empty frame for a request to fill its receive buffer: it swallows the next 1024 bytes, then drops
            the client.
    """
    if not payload:
        raise CommandError("an empty frame would wedge the server")
    if len(payload) > DEFAULT_MAX_FRAME:
        raise CommandError(f"frame of {len(payload)} bytes is too long (limit: {DEFAULT_MAX_FRAME})")
    return len(payload).to_bytes(PREFIX_SIZE, "big") + payload
