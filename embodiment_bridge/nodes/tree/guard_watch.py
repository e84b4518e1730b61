# SPDX-License-Identifier: Apache-2.0
"""Reports a guard that can never hold, because nothing on the graph publishes its value."""

from collections.abc import Sequence

from rclpy.clock import Clock
from rclpy.clock_type import ClockType

from embodiment_bridge.bml.base.conditions import Compare, describe
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.tree.runs.body_skills import BodySkills
from embodiment_bridge.nodes.tree.values.blackboard_feed import BlackboardFeed

LOOK_S = 1.0  # s of wall time
LOOKS = 5  # with a body and without the value; what a robot publishes begins soon after its skills


class GuardWatch:
    """Looks at the values of ``guards`` once the ``body`` is there; each ``trouble`` is an error in the log, once."""

    def __init__(
        self, node: BridgeNode, guards: Sequence[Compare], feed: BlackboardFeed, body: BodySkills
    ) -> None:
        self.trouble = ""
        self._node, self._guards, self._feed, self._body = node, guards, feed, body
        self._looks = 0
        self._timer = None
        if guards:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._timer = node.create_timer(LOOK_S, self.look, clock=steady)

    def look(self) -> None:
        """See whether each guard has a value."""
        waiting = bool(self._body.missing) or not self._node.active
        self._looks = 0 if waiting else self._looks + 1
        if self._looks < LOOKS:
            return
        troubles = self._feed.unpublished
        found = next((guard for guard in self._guards if guard.key in troubles), None)
        trouble = "" if found is None else _text(found, troubles[found.key])
        if trouble and trouble != self.trouble:
            self._node.get_logger().error(trouble)
        self.trouble = trouble

    def destroy(self) -> None:
        """Take the timer off the node."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)


def _text(guard: Compare, why: str) -> str:
    return f"parameter guards: {describe(guard)} cannot hold, so nothing runs: {why}"
