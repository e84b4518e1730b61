# SPDX-License-Identifier: Apache-2.0
"""A log of a soccer server's monitor port on disk: where its messages are, and when they were sent.

rcssserver3d ($recordLogfile, sparkmonitor.log) and rcssservermj (--logfile) write one message per line, as ``LogTape``
does. RoboViz does too, with ``[..]`` before some. A byte stream as received from the port, with a length before each
message, does as well; an index ``<name>.idx`` beside it has a line "seconds offset length" per message. Each may be
packed by gzip.
"""

import bisect
import gzip
import os
import re
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import check_file, read_text
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME, PREFIX_SIZE

LINE_PERIOD: Final = 0.2  # s between the lines of rcssserver3d 0.7.3, where no time goes on
FRAME_PERIOD: Final = 0.04  # s between the messages of either port
# s of the server's clock; a longer one, or a step back, is where another game was appended
LONGEST_GAP: Final = 60.0
LONGEST_STEP: Final = 5.0  # s of play; a longer one is a trainer's
MAX_UNPACKED: Final = 8 << 30  # bytes; ten minutes of a full game have 1.1 GB
GZIP: Final = b"\x1f\x8b"
_CLOCK: Final = re.compile(rb"\(\(gt \d+ \d+\)\s*(\d{1,9}(?:\.\d{1,9})?)\)")
_PLAY: Final = re.compile(rb"\(time ([0-9.]{1,16}(?:e[-+]?[0-9]{1,2})?)\)")
_FULL: Final = re.compile(rb"\(RSG |\)\s*full\s*\(nd")
_MARK: Final = re.compile(rb"\[[^\]]*\]")
HEAD: Final = 4096  # bytes of a message in which its time and kind stand


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One message: ``seconds`` since the first, where its bytes are in the file, and whether it tells everything."""

    seconds: float
    start: int
    end: int
    full: bool


class _Row(NamedTuple):
    """A message before its time is known: what it says of the server's clock and of the time of play, s."""

    start: int
    end: int
    full: bool
    clock: float | None
    play: float | None


class MonitorLog:
    """A log file; its messages are read when they are asked for.

    Raises:
        ConfigError: it cannot be read, or has no messages.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        check_file(path, MAX_UNPACKED, "recording")
        try:
            with path.open("rb") as file:
                packed = file.read(len(GZIP)) == GZIP
            self._data = self._unpacked(path) if packed else path
            with self._data.open("rb") as file:
                lines = file.read(1) in (b"(", b"[", b"\n", b"\r", b" ")
                file.seek(0)
                rows = list(_lines(file.readline) if lines else _frames(self._data))
            times = [] if lines else _index((path.with_suffix("") if packed else path).with_suffix(".idx"))
        except (OSError, EOFError, zlib.error) as error:
            raise ConfigError(f"recording {path}: {error}") from error
        seconds = _told_by(times, _seconds(rows, LINE_PERIOD if lines else FRAME_PERIOD))
        self.entries = [
            LogEntry(at, row.start, row.end, row.full) for at, row in zip(seconds, rows, strict=True)
        ]
        if not self.entries:
            raise ConfigError(f"recording {path}: there is no message in it")

    @property
    def duration(self) -> float:
        """Time from the first message to the last, s."""
        return self.entries[-1].seconds

    def message(self, index: int) -> bytes:
        """The bytes of one message."""
        entry = self.entries[index]
        with self._data.open("rb") as file:
            file.seek(entry.start)
            return file.read(entry.end - entry.start)

    def before(self, seconds: float) -> tuple[int, int]:
        """The last message not after ``seconds``, and the last full one not after that, or the first of all."""
        last = max(bisect.bisect_right(self.entries, seconds, key=lambda entry: entry.seconds) - 1, 0)
        full = next((i for i in range(last, -1, -1) if self.entries[i].full), 0)
        return full, last

    def _unpacked(self, path: Path) -> Path:
        """A file with the content, which goes with this log."""
        handle, name = tempfile.mkstemp(prefix="embodiment_bridge_log_")
        weakref.finalize(self, _remove, name)
        with gzip.open(path) as packed, os.fdopen(handle, "wb") as plain:
            while block := _whole(packed):
                plain.write(block)
                if plain.tell() > MAX_UNPACKED:
                    raise ConfigError(f"recording {path}: it has more than {MAX_UNPACKED} bytes unpacked")
        return Path(name)


def _whole(packed: gzip.GzipFile) -> bytes:
    """The next block; none at the end, also where the process that wrote it was killed."""
    try:
        return packed.read1(1 << 20)
    except EOFError:
        return b""


def _remove(name: str) -> None:
    Path(name).unlink(missing_ok=True)


def _lines(read_line: Callable[[int], bytes]) -> Iterator[_Row]:
    at = 0
    while line := read_line(DEFAULT_MAX_FRAME + 1):
        mark = _MARK.match(line)
        start, end = (mark.end() if mark else 0), len(line.rstrip())
        if start < end:
            yield _row(line[start : start + HEAD], at + start, at + end)
        at += len(line)


def _frames(path: Path) -> Iterator[_Row]:
    """Cut a byte stream into frames; an unfinished last frame is left out."""
    size, at = path.stat().st_size, 0
    with path.open("rb") as file:
        while len(prefix := file.read(PREFIX_SIZE)) == PREFIX_SIZE:
            length = int.from_bytes(prefix, "big")
            start, at = at + PREFIX_SIZE, at + PREFIX_SIZE + length
            if not 0 < length <= DEFAULT_MAX_FRAME or at > size:
                break
            yield _row(file.read(min(length, HEAD)), start, at)
            file.seek(at)


def _index(path: Path) -> list[float]:
    """Seconds since the first message, of all; none where there is no index. Time does not go back."""
    if not path.is_file():
        return []
    rows = [row.split() for row in read_text(path, "index", most=MAX_UNPACKED // 64).splitlines()]
    try:
        times = [float(row[0]) for row in rows]
    except (ValueError, IndexError) as error:
        raise ConfigError(f"index {path}: a line is not 'seconds offset length': {error}") from error
    return [max(0.0, time - times[0]) for time in accumulate(times, max)]


def _row(head: bytes, start: int, end: int) -> _Row:
    clock, play = _CLOCK.search(head), _PLAY.search(head)
    try:
        return _Row(
            start,
            end,
            _FULL.search(head) is not None,
            float(clock[1]) if clock else None,
            float(play[1]) if play else None,
        )
    except ValueError:  # 1.2.3
        return _Row(start, end, _FULL.search(head) is not None, None, None)


def _seconds(rows: list[_Row], period: float) -> list[float]:
    """Time of each message since the first, s: by the server's clock where it tells it, else by the time of play.

    rcssserver3d tells only the time of play, which stands still before kick-off. Meanwhile its messages come as fast as
    they do later in the same log; where it never goes on, every ``period``.
    """
    steps = [_step(before.play, row.play, LONGEST_STEP) for before, row in pairwise(rows)]
    going = [step for step in steps if step]
    usual = median(going) if going else period
    seconds = [0.0] if rows else []
    for (before, row), step in zip(pairwise(rows), steps, strict=True):
        if row.clock is None:
            passed = step or usual
        else:
            told = _step(before.clock, row.clock, LONGEST_GAP)
            passed = period if told is None else told
        seconds.append(seconds[-1] + passed)
    return seconds


def _told_by(times: list[float], seconds: list[float]) -> list[float]:
    """Times of an index; what is beyond its end, as after a full disk, follows as far apart as in ``seconds``."""
    known = min(len(times), len(seconds))
    later = times[known - 1] - seconds[known - 1] if known else 0.0
    return [*times[:known], *(time + later for time in seconds[known:])]


def _step(before: float | None, now: float | None, longest: float) -> float | None:
    """From one told time to the next, s; None where they do not say it."""
    if before is None or now is None or not 0.0 <= now - before <= longest:
        return None
    return now - before
