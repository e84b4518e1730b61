# SPDX-License-Identifier: Apache-2.0
"""The agent of a session: percepts go to motion and are answered with a frame, then they go to ROS."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from builtin_interfaces.msg import Time

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.surroundings import FixedFrames
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.protocols.converter import Converter, Cycle

Event = TypeVar("Event")
Command = TypeVar("Command")


class BodyAgent(Generic[Event, Command]):
    """Joins converter, motion and publishers: an ``Agent`` of ``link/session.py``, on the session's thread.

    publish(topic, message) publishes on a topic of the protocol; stamp(seconds) gives the ROS time of an event from the
    body's own clock; ``sensed(state, stamp)`` is called before each step of motion and ``stepped(state, stamp)`` after
    its answer; ``framed(frames)`` when frames that do not move are others than before; ``tell(sentence)`` hears what of
    an event reaches no topic.
    """

    def __init__(
        self,
        converter: Converter[Event, Command],
        queue: SkillQueue,
        publish: Callable[[str, object], None],
        stamp: Callable[[float | None], Time],
        sensed: Callable[[BodyState, Time], None],
        stepped: Callable[[BodyState, Time], None],
        framed: Callable[[FixedFrames], None],
        tell: Callable[[str], object],
    ) -> None:
        self._converter = converter
        self._queue = queue
        self._publish = publish
        self._stamp = stamp
        self._sensed = sensed
        self._stepped = stepped
        self._framed = framed
        self._tell = tell
        self._frames = converter.fixed_frames()
        self._now: Time | None = None  # of the event that is served, where its state has been published

    def handshake(self) -> Iterable[Command]:
        """Begin with a body that has done nothing yet."""
        self._queue.joined()
        return self._converter.handshake()

    def came(self, count: int) -> str:
        """Let the converter judge whether the peer is late."""
        return self._converter.came(count)

    def perceive(self, event: Event) -> Cycle[Event]:
        """One step of motion for each state of the body."""
        state = self._converter.body_state(event)
        self._now = None
        if state is None:
            return Cycle(event, None, None)
        self._show_frames()
        self._now = self._stamp(state.time)
        self._sensed(state, self._now)
        return Cycle(event, state, self._queue.step(state))

    def respond(self, percept: Cycle[Event]) -> Iterable[Command]:
        """Commands that move the body on."""
        return self._converter.answer(percept)

    def ready(self, percept: Cycle[Event]) -> bool:
        """The first state of the body completes the handshake."""
        return percept.state is not None

    def observe(self, percept: Cycle[Event]) -> None:
        """Publish what else the event says. An event has one stamp, because that may publish the time on /clock."""
        state = percept.state
        self._show_frames()
        for sentence in self._converter.left_out():
            self._tell(sentence)
        stamp = self._now or self._stamp(None)
        for topic, message in self._converter.messages(percept, stamp):
            self._publish(topic, message)
        if state is not None:
            self._stepped(state, stamp)

    def _show_frames(self) -> None:
        frames = self._converter.fixed_frames()
        if frames is not self._frames:
            self._frames = frames
            self._framed(frames)

    def lost(self, reason: str) -> None:
        """The skills that run have failed."""
        self._queue.lost(reason)
