# SPDX-License-Identifier: Apache-2.0
"""Plays a recording on a thread of its own: at any speed, with pause, seek and loop."""

import threading
import time
from collections.abc import Callable, Iterator
from math import inf

from embodiment_bridge.bags.reader import BagReader, Message
from embodiment_bridge.core.errors import ConfigError

TICK = 0.01  # s of the recording between two ticks of its clock
SPEEDS = (0.01, 1000.0)  # times real time
LONGEST_WAIT = 0.2  # s


class Playback:
    """Publishes recorded messages at their times.

    Args:
        reader: the recording.
        topics: names of the topics to play.
        publish: called with each message, on the thread of the playback; after a jump first with latched older ones.
        tick: called with the time of the recording, s, every 10 ms of it and before each message.
        now: monotonic clock, s.
    """

    def __init__(
        self,
        reader: BagReader,
        topics: set[str],
        publish: Callable[[Message], None],
        tick: Callable[[float], None],
        *,
        speed: float = 1.0,
        loop: bool = False,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.rounds = 0
        self.error = ""
        self._reader, self._topics = reader, topics
        self._publish, self._tick, self._now = publish, tick, now
        self._loop = loop
        self._speed = speed
        self._paused = True
        self._mark = (0.0, 0.0)  # s of the recording, s of the monotonic clock
        self._jump: float | None = 0.0
        self._ended = False
        self._stopped = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="playback", daemon=True)
        self._thread.start()

    @property
    def position(self) -> float:
        """The position in the recording, s from its beginning."""
        jump = self._jump  # once: the playback's thread takes it away
        if jump is not None:
            return jump
        if self._paused or self._ended:
            return self._mark[0]
        place, when = self._mark
        return min(place + (self._now() - when) * self._speed, self._reader.duration)

    @property
    def paused(self) -> bool:
        """Whether the playback is paused."""
        return self._paused

    @property
    def ended(self) -> bool:
        """Whether the end was reached without ``loop``."""
        return self._ended

    @property
    def speed(self) -> float:
        """The speed as a factor on real time."""
        return self._speed

    def pause(self) -> None:
        """Pause the playback."""
        with self._changed:
            self._mark = (self.position, self._now())
            self._paused = True
            self._changed.notify()

    def resume(self) -> None:
        """Continue the playback; from the beginning if the end was reached."""
        with self._changed:
            if self._ended:
                self._jump, self._ended = 0.0, False
            self._mark = (self.position, self._now())
            self._paused = False
            self._changed.notify()

    def set_speed(self, speed: float) -> None:
        """Continue at another speed, a factor on real time.

        Raises:
            ConfigError: the speed is not within 0.01 to 1000.
        """
        if not SPEEDS[0] <= speed <= SPEEDS[1]:
            raise ConfigError(f"speed {speed:g} is not within {SPEEDS[0]:g} to {SPEEDS[1]:g} times real time")
        with self._changed:
            self._mark = (self.position, self._now())
            self._speed = speed
            self._changed.notify()

    def seek(self, place: float) -> None:
        """Continue from ``place`` s; a place after the end means the end.

        Raises:
            ConfigError: the place is below 0 or not finite.
        """
        if not 0.0 <= place < inf:
            raise ConfigError(f"time {place:g} s is not in the recording of {self._reader.duration:.2f} s")
        with self._changed:
            self._jump, self._ended = min(place, self._reader.duration), False
            self._changed.notify()

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._stopped:
                self._play_from_jump()
        except ConfigError as error:
            self.error, self._ended = str(error), True

    def _play_from_jump(self) -> None:
        """Play until the end, a seek or ``close``; first what was latched by then, also while it is paused."""
        with self._changed:
            start = self._jump or 0.0
            self._jump = None
            self._mark = (start, self._now())
        for message in self._reader.latched(self._topics, start):
            self._publish(message)
        for message in self._with_end(start):
            if not self._wait_until(message.time):
                return
            if message.topic:
                self._tick(message.time)
                self._publish(message)
        self.rounds += 1
        self._at_the_end()

    def _at_the_end(self) -> None:
        with self._changed:
            if self._jump is not None:  # since the end was reached
                return
            if self._loop:
                self._changed.wait_for(lambda: self._stopped, max(TICK - self._reader.duration, 0.0))
                self._jump = 0.0 if self._jump is None else self._jump
                return
            self._mark, self._ended = (self._reader.duration, self._now()), True
            self._changed.wait_for(lambda: self._stopped or self._jump is not None)

    def _with_end(self, start: float) -> Iterator[Message]:
        """The messages, and one without topic at the end of the recording."""
        yield from self._reader.messages(self._topics, start)
        yield Message(self._reader.duration, "", b"")

    def _wait_until(self, place: float) -> bool:
        """Wait with ticks until the time ``place``; False after a seek or ``close``."""
        while True:
            with self._changed:
                if self._stopped or self._jump is not None:
                    return False
                here = self.position
                if not self._paused and here >= place:
                    return True
                wait = LONGEST_WAIT if self._paused else min(place - here, TICK) / self._speed
                self._changed.wait(min(wait, LONGEST_WAIT))
                ticks = not self._paused
            if ticks:
                self._tick(min(self.position, place))
