# SPDX-License-Identifier: Apache-2.0
"""A recorded byte stream as a transport: what a peer once sent comes again, in its own time."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.core.input_file import read_bytes, read_text
from embodiment_bridge.link.transports.base import Transport

MAX_BYTES = 1 << 30  # of a recording, which is kept in memory
CHUNK = 4096  # bytes at a time where the recording has no times


class Replay(Transport):
    """Plays ``path``; an index ``<name>.idx`` beside it has a line "seconds offset length" per message.

    speed: 2 is twice as fast, 0 as fast as it is read. What is written is counted and dropped. The end of the
    recording is the end of the link.

    Raises:
        ConfigError: the recording or its index cannot be read.
    """

    def __init__(
        self, path: Path, *, speed: float = 1.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.peer = f"replay://{path}"
        self.written = 0
        self._data, self._marks = _load(path)
        self._speed = speed
        self._clock = clock
        self._closed = threading.Event()
        self._next = 0
        self._begun: float | None = None

    @override
    def read(self, timeout: float) -> bytes:
        if self._next >= len(self._marks):
            raise LinkError(f"{self.peer}: the recording is over")
        due, start, end = self._marks[self._next]
        if self._closed.wait(min(self._wait_for(due), timeout)):
            raise LinkError(f"{self.peer}: closed")
        if self._wait_for(due) > 0.0:
            return b""
        self._next += 1
        return self._data[start:end]

    @override
    def write(self, data: bytes) -> None:
        if self._closed.is_set():
            raise LinkError(f"{self.peer}: closed")
        self.written += len(data)

    @override
    def close(self) -> None:
        self._closed.set()

    def _wait_for(self, due: float) -> float:
        if not self._speed:
            return 0.0
        now = self._clock()
        if self._begun is None:
            self._begun = now
        return max(self._begun + due / self._speed - now, 0.0)


def _load(path: Path) -> tuple[bytes, list[tuple[float, int, int]]]:
    """The bytes, and (s since the first, first byte, end) of each piece."""
    index = path.with_suffix(".idx")
    data = read_bytes(path, MAX_BYTES, "recording")
    lines = read_text(index, "index", most=MAX_BYTES).splitlines() if index.is_file() else None
    if lines is None:
        return data, [(0.0, i, i + CHUNK) for i in range(0, len(data), CHUNK)]
    try:
        rows = [(float(seconds), int(offset)) for seconds, offset, _ in map(str.split, lines)]
    except ValueError as error:
        raise ConfigError(f"index {index}: a line is not 'seconds offset length': {error}") from error
    if not rows:
        raise ConfigError(f"index {index}: it is empty")
    ends = [offset for _, offset in rows[1:]] + [len(data)]
    first = rows[0][0]
    return data, [(seconds - first, offset, end) for (seconds, offset), end in zip(rows, ends, strict=True)]
