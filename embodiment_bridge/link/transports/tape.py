# SPDX-License-Identifier: Apache-2.0
"""Records the bytes of another transport with their times, or as a monitor log, and plays them back."""

import gzip
import logging
import threading
import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import ExitStack, suppress
from itertools import count
from pathlib import Path
from typing import IO, Final

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.core.input_file import read_bytes, read_text
from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.wire.framing import Frame, Framer

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


FLUSH_S: Final = 1.0  # what a process that is killed may lose


class RecordingTransport(Transport):
    """Passes ``inner`` through; a subclass says which files there are and how they are written.

    Nothing is overwritten: where ``path`` exists, ``<name>-2`` is made, and so on: one for each connection. A disk
    that is full ends the writing, not the link. Of a connection on which nothing came no file is left.

    Raises:
        ConfigError: the files cannot be made; ``inner`` is closed then.
    """

    def __init__(self, inner: Transport, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._flushed = clock, clock()
        self.peer = inner.peer
        self._inner = inner
        self._files = ExitStack()
        self._lock = threading.Lock()  # close comes from any thread
        self._empty = True
        try:
            self._made = self._make_files(path)
        except (OSError, ValueError) as error:
            self._files.close()
            inner.close()
            raise ConfigError(f"recording {path}: {error}") from error
        self.path = self._made[0]
        self._open = True

    @override
    def read(self, timeout: float) -> bytes:
        data = self._inner.read(timeout)
        if data:
            with self._lock:
                self._keep(data)
        return data

    @override
    def write(self, data: bytes) -> None:
        self._inner.write(data)

    @override
    def close(self) -> None:
        self._inner.close()
        with self._lock:
            self._end()

    @abstractmethod
    def _make_files(self, path: Path) -> tuple[Path, ...]:
        """Open the files, in ``self._files``; returns their paths, first the one that was free.

        Raises:
            OSError: a file cannot be made.
            ValueError: the path cannot be used.
        """

    @abstractmethod
    def _write(self, data: bytes) -> None:
        """Write what came.

        Raises:
            OSError: the disk is full, or gone.
        """

    @abstractmethod
    def _flush(self) -> None:
        """Hand what was written to the system.

        Raises:
            OSError: the disk is full, or gone.
        """

    def _keep(self, data: bytes) -> None:
        if not self._open:
            return
        self._empty = False
        try:
            self._write(data)
            if self._clock() >= self._flushed + FLUSH_S:
                self._flushed = self._clock()
                self._flush()
        except OSError as error:
            logging.getLogger(__name__).warning("recording %s ends here: %s", self.path, error)
            self._open = False
            with suppress(OSError):  # the same once more
                self._files.close()

    def _end(self) -> None:
        if self._open:
            self._open = False
            try:
                self._files.close()
            except OSError as error:  # what was left to write
                logging.getLogger(__name__).warning("recording %s lacks its end: %s", self.path, error)
            if self._empty:  # a peer that refuses is tried again for ever
                for path in self._made:
                    with suppress(OSError):  # somebody else took it away
                        path.unlink()


PACKED: Final = ".gz"
# Of gzip: higher levels take several times as long on the link's thread for a tenth of the size
LEVEL: Final = 3


class LogTape(RecordingTransport):
    """The messages that come go to ``path``, packed by gzip where that ends in ``.gz``."""

    def __init__(self, inner: Transport, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._framer = Framer()
        super().__init__(inner, path, clock=clock)

    @override
    def _make_files(self, path: Path) -> tuple[Path, ...]:
        free = _free_log(path)
        self._file: IO[bytes] | gzip.GzipFile = self._files.enter_context(free.open("xb"))
        if free.suffix == PACKED:
            packed = gzip.GzipFile(free.stem, "wb", LEVEL, self._file)
            self._files.push(packed)
            self._file = packed
        return (free,)

    @override
    def _write(self, data: bytes) -> None:
        for one in self._framer.feed(data):
            if isinstance(one, Frame):
                self._file.write(one.payload.replace(b"\n", b" ") + b"\n")

    @override
    def _flush(self) -> None:
        self._file.flush()


def _free_log(path: Path) -> Path:
    """The path, or the first with a number after its name that does not exist: ``game-2.log.gz``."""
    name, dot, endings = path.name.partition(".")
    paths = (path if number == 1 else path.with_name(f"{name}-{number}{dot}{endings}") for number in count(1))
    return next(one for one in paths if not one.exists())


class Tape(RecordingTransport):
    """The bytes that come go to ``path``, their times to ``<name>.idx`` (see ``Replay``)."""

    def __init__(self, inner: Transport, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._offset = 0
        super().__init__(inner, path, clock=clock)

    @override
    def _make_files(self, path: Path) -> tuple[Path, ...]:
        free = _free(path)
        index = free.with_suffix(".idx")
        self._data = self._files.enter_context(free.open("xb"))
        self._index = self._files.enter_context(index.open("x", encoding="ascii"))
        return free, index

    @override
    def _write(self, data: bytes) -> None:
        self._index.write(f"{self._clock():.6f} {self._offset} {len(data)}\n")
        self._data.write(data)
        self._offset += len(data)

    @override
    def _flush(self) -> None:
        self._data.flush()
        self._index.flush()


def _free(path: Path) -> Path:
    """The path, or the first with a number after its name that does not exist."""
    if path.suffix == ".idx":
        raise ValueError(".idx is the suffix of its index")
    paths = (path if number == 1 else path.with_stem(f"{path.stem}-{number}") for number in count(1))
    return next(one for one in paths if not (one.exists() or one.with_suffix(".idx").exists()))
