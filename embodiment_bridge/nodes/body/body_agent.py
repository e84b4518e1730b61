# SPDX-License-Identifier: Apache-2.0
"""What a session serves: percepts go to motion and out as a frame, then to ROS."""

from collections.abc import Callable, Iterable
from typing import Any

from builtin_interfaces.msg import Time

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.protocols.converter import Converter


class BodyAgent:
    """Joins converter, motion and publishers; every method runs on the session's thread.

    publish(topic, message) publishes on a topic of the room; stamp(seconds) gives the ROS time of an event from the
    body's own clock; ``stepped(state, stamp)`` is called after each step of motion.
    """

    def __init__(
        self,
        converter: Converter,
        queue: SkillQueue,
        publish: Callable[[str, Any], None],
        stamp: Callable[[float | None], Time],
        stepped: Callable[[BodyState, Time], None],
    ) -> None:
        self._converter = converter
        self._queue = queue
        self._publish = publish
        self._stamp = stamp
        self._stepped = stepped
        self._state: BodyState | None = None

    def greet(self) -> Iterable[Any]:
        """See ``session.Agent``."""
        self._queue.joined()
        return self._converter.greet()

    def respond(self, event: Any) -> Iterable[Any]:
        """See ``session.Agent``: one step of motion per percept."""
        self._state = self._converter.body_state(event)
        targets = None if self._state is None else self._queue.step(self._state)
        return self._converter.answer(event, targets)

    def ready(self, event: Any) -> bool:
        """See ``session.Agent``: the first percept of the body completes the handshake."""
        return self._state is not None

    def observe(self, event: Any) -> None:
        """See ``session.Agent``: publish what the event, the last one answered, says."""
        state = self._state
        stamp = self._stamp(None if state is None else state.time)
        for topic, message in self._converter.messages(event, state, stamp):
            self._publish(topic, message)
        if state is not None:
            self._stepped(state, stamp)

    def lost(self, reason: str) -> None:
        """See ``session.Agent``."""
        self._queue.lost(reason)
