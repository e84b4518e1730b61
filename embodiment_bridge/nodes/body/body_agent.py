# SPDX-License-Identifier: Apache-2.0
"""What a session serves: percepts go to motion and out as a frame, then to ROS."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from builtin_interfaces.msg import Time

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.protocols.converter import Converter, Cycle

Event = TypeVar("Event")
Command = TypeVar("Command")


class BodyAgent(Generic[Event, Command]):
    """Joins converter, motion and publishers: an ``Agent`` of ``link/session.py``, on the session's thread.

    publish(topic, message) publishes on a topic of the protocol; stamp(seconds) gives the ROS time of an event from the
    body's own clock; ``stepped(state, stamp)`` is called after each step of motion.
    """

    def __init__(
        self,
        converter: Converter[Event, Command],
        queue: SkillQueue,
        publish: Callable[[str, object], None],
        stamp: Callable[[float | None], Time],
        stepped: Callable[[BodyState, Time], None],
    ) -> None:
        self._converter = converter
        self._queue = queue
        self._publish = publish
        self._stamp = stamp
        self._stepped = stepped

    def handshake(self) -> Iterable[Command]:
        """Begin with a body that has done nothing yet."""
        self._queue.joined()
        return self._converter.handshake()

    def perceive(self, event: Event) -> Cycle[Event]:
        """One step of motion for each state of the body."""
        state = self._converter.body_state(event)
        return Cycle(event, state, None if state is None else self._queue.step(state))

    def respond(self, percept: Cycle[Event]) -> Iterable[Command]:
        """Commands that move the body on."""
        return self._converter.answer(percept)

    def ready(self, percept: Cycle[Event]) -> bool:
        """The first state of the body completes the handshake."""
        return percept.state is not None

    def observe(self, percept: Cycle[Event]) -> None:
        """Publish what the event says; its stamp is made here, because that may publish the time on /clock."""
        state = percept.state
        stamp = self._stamp(None if state is None else state.time)
        for topic, message in self._converter.messages(percept, stamp):
            self._publish(topic, message)
        if state is not None:
            self._stepped(state, stamp)

    def lost(self, reason: str) -> None:
        """The skills that run have failed."""
        self._queue.lost(reason)
