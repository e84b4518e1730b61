# SPDX-License-Identifier: Apache-2.0
"""A log of a soccer server's monitor port on disk: where its messages are, and when they were sent.

rcssserver3d ($recordLogfile, sparkmonitor.log) and rcssservermj (--logfile) write one message per line. RoboViz does
too, with ``[..]`` before some. A byte stream as received from the port, with a length before each message, does as
well; an index ``<name>.idx`` beside it has a line "seconds offset length" per message.
"""

import bisect
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME, PREFIX_SIZE

LINE_PERIOD: Final = 0.2  # s between the lines of rcssserver3d 0.7.3, which tell no time of the simulation
FRAME_PERIOD: Final = 0.04  # s between the messages of either port
LONGEST_GAP: Final = 60.0  # s; a longer one, or a step back, is where another game was appended
_TIME: Final = re.compile(rb"\(\(gt \d+ \d+\)\s*(\d{1,9}(?:\.\d{1,9})?)\)")
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


class MonitorLog:
    """A log file; its messages are read when they are asked for.

    Raises:
        ConfigError: it cannot be read, or has no messages.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                lines = file.read(1) in (b"(", b"[", b"\n", b"\r", b" ")
                file.seek(0)
                self.entries = _lines(file.readline) if lines else _frames(path)
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"recording {path}: {error}") from error
        if not self.entries:
            raise ConfigError(f"recording {path}: there is no message in it")

    @property
    def duration(self) -> float:
        """Time from the first message to the last, s."""
        return self.entries[-1].seconds

    def message(self, index: int) -> bytes:
        """The bytes of one message."""
        entry = self.entries[index]
        with self.path.open("rb") as file:
            file.seek(entry.start)
            return file.read(entry.end - entry.start)

    def before(self, seconds: float) -> tuple[int, int]:
        """The last message not after ``seconds``, and the last full one not after that, or the first of all."""
        last = max(bisect.bisect_right(self.entries, seconds, key=lambda entry: entry.seconds) - 1, 0)
        full = next((i for i in range(last, -1, -1) if self.entries[i].full), 0)
        return full, last


def _lines(read_line: Callable[[int], bytes]) -> list[LogEntry]:
    entries: list[LogEntry] = []
    clock = _Clock(LINE_PERIOD)
    at = 0
    while line := read_line(DEFAULT_MAX_FRAME + 1):
        mark = _MARK.match(line)
        start, end = (mark.end() if mark else 0), len(line.rstrip())
        if start < end:
            entries.append(_entry(clock, line[start : start + HEAD], at + start, at + end))
        at += len(line)
    return entries


def _frames(path: Path) -> list[LogEntry]:
    """Of a byte stream; an unfinished last frame is left out."""
    times = _index(path.with_suffix(".idx"))
    entries: list[LogEntry] = []
    clock = _Clock(FRAME_PERIOD)
    size, at = path.stat().st_size, 0
    with path.open("rb") as file:
        while len(prefix := file.read(PREFIX_SIZE)) == PREFIX_SIZE:
            length = int.from_bytes(prefix, "big")
            start, at = at + PREFIX_SIZE, at + PREFIX_SIZE + length
            if not 0 < length <= DEFAULT_MAX_FRAME or at > size:
                break
            entry = _entry(clock, file.read(min(length, HEAD)), start, at)
            if len(entries) < len(times):
                entry = LogEntry(times[len(entries)], start, at, entry.full)
            entries.append(entry)
            file.seek(at)
    return entries


def _index(path: Path) -> list[float]:
    """Seconds since the first message, of all; none where there is no index. Time does not go back."""
    if not path.is_file():
        return []
    rows = [row.split() for row in path.read_text("ascii").splitlines()]
    try:
        times = [float(row[0]) for row in rows]
    except (ValueError, IndexError) as error:
        raise ConfigError(f"index {path}: a line is not 'seconds offset length': {error}") from error
    return [max(0.0, time - times[0]) for time in accumulate(times, max)]


class _Clock:
    """Time since the first message, s: by the server's time where it tells it, else by its period."""

    def __init__(self, period: float) -> None:
        self._period = period
        self._now = -period
        self._told: float | None = None

    def next(self, head: bytes) -> float:
        found = _TIME.search(head)
        told = float(found[1]) if found else None
        step = self._period
        if told is not None and self._told is not None and 0.0 <= told - self._told <= LONGEST_GAP:
            step = told - self._told
        self._told = told
        self._now += step
        return self._now


def _entry(clock: _Clock, head: bytes, start: int, end: int) -> LogEntry:
    return LogEntry(clock.next(head), start, end, _FULL.search(head) is not None)
