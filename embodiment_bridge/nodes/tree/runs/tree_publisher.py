# SPDX-License-Identifier: Apache-2.0
"""Tells the graph what a run does: `~/events`, one message per transition, and `~/tree`, the tree on change.

The streams of py_trees_ros, too.
"""

from builtin_interfaces.msg import Time
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer
from std_msgs.msg import Header

from embodiment_bridge.behaviour.engine.journal import Transition
from embodiment_bridge.behaviour.engine.node import SnapshotNode, snapshot
from embodiment_bridge.behaviour.runs.run import Run, RunState
from embodiment_bridge.msg import NodeEvent, TreeNode, TreeSnapshot
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.tree.runs.py_trees_streams import PyTreesStreams

PAUSED = "", RunState.PAUSED  # without a run
GREET_S = 0.5  # s of wall time between two greetings


class TreePublisher:
    """Publishes the tree, once per tick of a run. Each topic is published only while it has subscribers."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._events = node.create_publisher(NodeEvent, "~/events", profile("events"))
        self._tree = node.create_publisher(TreeSnapshot, "~/tree", profile("state"))
        self._watchers = 0
        self._told: tuple[str, RunState] | None = None
        self._last = TreeSnapshot()  # for who comes during a pause
        self._greeter: Timer | None = None  # during a pause
        self._greeted: set[bytes] = set()  # ids of the subscriptions that know of the pause
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.streams = PyTreesStreams(node)

    def publish(self, run_id: str, run: Run) -> None:
        """Publish what happened since the last call."""
        events = run.take_events()
        self.streams.publish(run, events)
        newcomer = self._newcomer()
        state = run_id, run.state
        changed, self._told = state != self._told, state
        if not (events or newcomer or changed):
            return
        stamp = self._node.get_clock().now().to_msg()
        self._publish_events(run_id, run, events, stamp)
        if self._watchers or run.state is RunState.PAUSED:
            self._say(_tree(run_id, run, stamp))

    def tell_late(self, run_id: str, run: Run) -> None:
        """Publish what happened to a run after its end."""
        self._publish_events(run_id, run, run.take_events(), self._node.get_clock().now().to_msg())

    def _publish_events(self, run_id: str, run: Run, events: list[Transition], stamp: Time) -> None:
        if self._events.get_subscription_count():
            for event in events:
                sha256 = run.documents.hashes.of(event.origin.document)
                self._events.publish(_event(run_id, event, stamp, sha256))

    def rest(self, *, paused: bool) -> None:
        """Tell of a pause in which no run has the robot, and of its end."""
        if paused != (self._told == PAUSED):
            self._newcomer()
            self._told = PAUSED if paused else ("", RunState.ENDED)
            stamp = self._node.get_clock().now().to_msg()
            self._say(TreeSnapshot(header=Header(stamp=stamp), state=self._told[1].name))
        if self._is_paused and self._greeter is None:
            self._greeted = self._subscriptions()
            self._greeter = self._node.create_timer(GREET_S, self._greet, clock=self._steady)

    def _greet(self) -> None:
        """Tell newcomers of a pause, in which nothing ticks."""
        if not self._is_paused:
            self._end_greeting()
            return
        there, more = self._subscriptions(), self._newcomer()  # one may have gone when another came
        if more or there - self._greeted:
            self._tree.publish(self._last)
        self._greeted = there

    def _subscriptions(self) -> set[bytes]:
        found = self._node.get_subscriptions_info_by_topic(self._tree.topic_name)
        return {bytes(one.endpoint_gid) for one in found}

    def _end_greeting(self) -> None:
        if self._greeter is not None:
            self._node.destroy_timer(self._greeter)
            self._greeter = None

    @property
    def _is_paused(self) -> bool:
        return self._told is not None and self._told[1] is RunState.PAUSED

    def _say(self, message: TreeSnapshot) -> None:
        self._last = message
        if self._watchers:
            self._tree.publish(message)

    def _newcomer(self) -> bool:
        before, self._watchers = self._watchers, self._tree.get_subscription_count()
        return self._watchers > before


def _event(run_id: str, event: Transition, stamp: Time, sha256: str) -> NodeEvent:
    origin = event.origin
    return NodeEvent(
        header=Header(stamp=stamp),
        run_id=run_id,
        t=event.t,
        document=origin.document,
        pointer=origin.pointer,
        name=origin.name,
        type=origin.kind,
        event=event.event,
        status=event.status,
        code=event.code,
        message=event.message,
        sha256=sha256,
    )


def _tree(run_id: str, run: Run, stamp: Time) -> TreeSnapshot:
    message = TreeSnapshot(header=Header(stamp=stamp), run_id=run_id, state=run.state.name)
    message.elapsed = run.clock.seconds
    message.nodes = [_node(item) for item in snapshot(run.root)]
    return message


def _node(item: SnapshotNode) -> TreeNode:
    origin = item.origin
    return TreeNode(
        pointer=origin.pointer,
        name=origin.name,
        type=origin.kind,
        label=origin.label,
        status=item.status,
        parent=item.parent,
    )
