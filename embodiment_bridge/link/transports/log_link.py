# SPDX-License-Identifier: Apache-2.0
"""A monitor log as a link: its messages come again in their own time, faster, or from elsewhere in the log."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.link.transports.monitor_log import MonitorLog
from embodiment_bridge.wire.codec import Codec, Malformed
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME, frame

Event = TypeVar("Event")
Command = TypeVar("Command")

FASTEST: Final = 1000.0  # times real time; 0 stands for as fast as possible


@dataclass(frozen=True, slots=True)
class Position:
    """The position in a log that is played: s from its beginning."""

    time: float
    duration: float
    paused: bool
    speed: float


class LogPlayer:
    """Decides which message is due; used by the link's thread and by the one that controls it."""

    def __init__(self, log: MonitorLog, speed: float, clock: Callable[[], float]) -> None:
        self.log = log
        self._clock = clock
        self._condition = threading.Condition()
        self._speed = 1.0
        self._paused = False
        self._at = 0.0  # s of the log, at _since of the clock
        self._since = clock()
        self._next = 0
        self._closed = False
        self.set_speed(speed)

    def position(self) -> Position:
        """The position."""
        with self._condition:
            return Position(min(self._now(), self.log.duration), self.log.duration, self._paused, self._speed)

    def pause(self, paused: bool) -> None:
        """Stand still, or go on."""
        with self._condition:
            self._mark()
            self._paused = paused
            self._condition.notify_all()

    def set_speed(self, speed: float) -> None:
        """Times real time; 0 is as fast as possible.

        Raises:
            ConfigError: it is neither.
        """
        if not 0.0 <= speed <= FASTEST:
            raise ConfigError(f"speed is {speed:g}; it must be 0 (as fast as possible) to {FASTEST:g}")
        with self._condition:
            self._mark()
            self._speed = speed
            self._condition.notify_all()

    def seek(self, seconds: float) -> None:
        """Go on from there; what comes next begins with the full message before.

        Raises:
            ConfigError: that is no time.
        """
        if not seconds >= 0.0:
            raise ConfigError(f"time is {seconds}; it must be 0 or more")
        with self._condition:
            self._next, last = self.log.before(seconds)
            self._at = self.log.entries[last].seconds
            self._since = self._clock()
            self._condition.notify_all()

    def close(self) -> None:
        """Wake the thread that waits, for the last time."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def due(self, timeout: float) -> int | None:
        """The number of the next message when its time has come; None if it does not within ``timeout`` s.

        Raises:
            LinkError: the player was closed.
        """
        with self._condition:
            if not self._is_due():
                self._condition.wait(min(timeout, self._wait_time()))
            if self._closed:
                raise LinkError(f"log://{self.log.path}: closed")
            if not self._is_due():
                return None
            index, self._next = self._next, self._next + 1
            if not self._speed:
                self._at = max(self._at, self.log.entries[index].seconds)
            return index

    def _now(self) -> float:
        return self._at if self._paused else self._at + (self._clock() - self._since) * self._speed

    def _mark(self) -> None:
        self._at, self._since = min(self._now(), self.log.duration), self._clock()

    def _is_due(self) -> bool:
        if self._next >= len(self.log.entries):
            return False
        seconds = self.log.entries[self._next].seconds
        return seconds <= self._now() or (not self._speed and not self._paused)

    def _wait_time(self) -> float:
        if self._paused or self._next >= len(self.log.entries) or not self._speed:
            return threading.TIMEOUT_MAX
        return max(self.log.entries[self._next].seconds - self._now(), 0.0) / self._speed


class LogLink(Generic[Event, Command]):
    """Plays a log: an ``EventLink`` (``link/event_link.py``). The end of the log is not the end of the link."""

    silent = ""

    def __init__(self, player: LogPlayer, codec: Codec[Event, Command], clock: Callable[[], float]) -> None:
        self.arrived = clock()
        self.peer = f"log://{player.log.path}"
        self._player = player
        self._codec = codec
        self._clock = clock

    def fileno(self) -> None:
        """None: a log is read on a thread of its own."""

    def read(self, timeout: float) -> Sequence[Event | Malformed]:
        """The events of the next message, when its time has come."""
        index = self._player.due(timeout)
        self.arrived = self._clock()
        if index is None:
            return []
        message = self._player.log.message(index)
        if not 0 < len(message) <= DEFAULT_MAX_FRAME:
            return [Malformed(self._player.log.entries[index].start, f"message of {len(message)} bytes")]
        return self._codec.feed(frame(message))

    def write(self, commands: Iterable[Command]) -> bool:
        """Send nothing: a log takes no commands."""
        return False

    def close(self) -> None:
        """Wake a waiting ``read``."""
        self._player.close()
