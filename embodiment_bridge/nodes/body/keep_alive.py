# SPDX-License-Identifier: Apache-2.0
"""The dead man's switch: a client that moves a body keeps sending its name; while it is silent the body holds."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer
from std_msgs.msg import String

from embodiment_bridge.motion.skills.holds import LONGEST_SOURCE
from embodiment_bridge.nodes.base.qos import profile

TOPIC = "keep_alive"
LOOK_S = 0.05  # s of wall time between two checks
# Of wall time; a check that comes so long after the one before tells of this process, not of others
LATE_S = 0.2
MAX_KNOWN = 100  # remembered sources
PER_LIMIT = 5  # messages of a client within the time after which it would count as silent
# dead_man of a client of the tree: half of the default of the tree, so that late signs are in time
CLIENT_S = 0.25


class KeepAlive:
    """Implements the client's side: call ``tell`` in every tick; it publishes as often as needed.

    Without ticks, such as in a pause, call ``rest``: a timer then publishes until the next ``tell``.

    dead_man: s of wall time after which the body would hold; 0: nothing is published.
    topic: that of the robot, where it is in another namespace.
    """

    def __init__(
        self,
        node: Node,
        dead_man: float,
        monotonic: Callable[[], float] = time.monotonic,
        topic: str = TOPIC,
    ) -> None:
        self._node = node
        self._period = dead_man / PER_LIMIT
        self._monotonic = monotonic
        self._next = 0.0
        self._resting: tuple[str, ...] = ()
        self._pulse: Timer | None = None
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._topic = node.create_publisher(String, topic, profile("command")) if dead_man > 0.0 else None

    def tell(self, sources: Iterable[str]) -> None:
        """Publish that these sources are alive, if it is time."""
        self._stop_pulse()
        self._publish(sources)

    def rest(self, sources: Iterable[str]) -> None:
        """Publish by a timer that these sources are alive, until the next ``tell``."""
        self._resting = tuple(sources)
        if self._resting and self._pulse is None and self._topic is not None:
            self._pulse = self._node.create_timer(self._period, self._beat, clock=self._steady)

    def _beat(self) -> None:
        self._next = 0.0  # the timer is the measure: with a second one each other beat would be left out
        self._publish(self._resting)

    def _publish(self, sources: Iterable[str]) -> None:
        if self._topic is None or self._monotonic() < self._next:
            return
        self._next = self._monotonic() + self._period
        for source in sources:
            self._topic.publish(String(data=source))

    def destroy(self) -> None:
        """Take the topic off the graph."""
        self._stop_pulse()
        if self._topic is not None:
            self._node.destroy_publisher(self._topic)
            self._topic = None

    def _stop_pulse(self) -> None:
        if self._pulse is not None:
            self._node.destroy_timer(self._pulse)
            self._pulse = None


@dataclass(slots=True)
class _Watched:
    """Holds one source: its limit in s, time of its last message (None: never), its skills, whether it is silent."""

    limit: float
    begun: float
    heard: float | None = None
    skills: set[str] = field(default_factory=set)
    silent: bool = False


class DeadMan:
    """Implements the body's side: watches the sources of skills that ask for it, and reports silence and return.

    A source that was never heard does not count as silent: its topic may not lead here, which is logged as a warning.

    Args:
        node: subscribes to the topic.
        changed: called as ``changed(source, silent)``.
        monotonic: s of wall time.
        warns: whether sources that are never heard are worth a warning.
    """

    def __init__(
        self,
        node: Node,
        changed: Callable[[str, bool], None],
        monotonic: Callable[[], float] = time.monotonic,
        warns: bool = True,
    ) -> None:
        self._node = node
        self._changed = changed
        self._monotonic = monotonic
        self._watched: dict[str, _Watched] = {}
        self._known: dict[str, None] = {}  # sources that have been heard, the latest last
        self._warned = not warns
        self._looked = 0.0
        self._timer: Timer | None = None
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._topic = node.create_subscription(String, TOPIC, self._hear, profile("command"))

    def begin(self, source: str, skill_id: str, limit: float) -> None:
        """Note that a skill of ``source`` begins; it is watched if ``limit`` (s) is over 0."""
        if not limit > 0.0:
            return
        now = self._monotonic()
        if self._timer is None:
            self._looked = now
            self._timer = self._node.create_timer(LOOK_S, self.look, clock=self._steady)
        one = self._watched.setdefault(source, _Watched(limit, now))
        one.limit = min(limit, one.limit)
        if source in self._known:
            one.heard = now
        one.skills.add(skill_id)
        self._back(source, one)

    def end(self, source: str, skill_id: str) -> None:
        """Note that a skill of ``source`` has ended; without skills the source is not watched any more."""
        one = self._watched.get(source)
        if one is None:
            return
        one.skills.discard(skill_id)
        if not one.skills:
            del self._watched[source]
            self._back(source, one)
        if not self._watched:
            self._stop_timer()

    def is_silent(self, source: str) -> bool:
        """Return whether the skills of ``source`` are held because it is silent."""
        return source in self._watched and self._watched[source].silent

    def look(self) -> None:
        """Find sources that have been silent for too long; after a late check each has half of its limit left."""
        now = self._monotonic()
        late, self._looked = now - self._looked > LATE_S, now
        for source, one in list(self._watched.items()):
            if one.heard is None:
                self._warn_of(source, now - one.begun > one.limit)
                continue
            if late:
                one.heard = max(one.heard, now - one.limit / 2.0)
            if not one.silent and now - one.heard > one.limit:
                one.silent = True
                self._changed(source, True)

    def _hear(self, message: String) -> None:
        if len(message.data) > LONGEST_SOURCE:
            return
        self._known.pop(message.data, None)
        self._known[message.data] = None
        if len(self._known) > MAX_KNOWN:
            del self._known[next(iter(self._known))]
        one = self._watched.get(message.data)
        if one is not None:
            one.heard = self._monotonic()
            self._back(message.data, one)

    def _warn_of(self, source: str, long_enough: bool) -> None:
        if long_enough and not self._warned:
            self._warned = True
            text = f"{source[:100]!r} wants its skills held when it falls silent, but is never heard on {TOPIC}: "
            self._node.get_logger().warning(text + "they are not held (does the topic lead here?)")

    def _back(self, source: str, one: _Watched) -> None:
        if one.silent:
            one.silent = False
            self._changed(source, False)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
