# SPDX-License-Identifier: Apache-2.0
"""Snapshot streams for `py-trees-tree-watcher` and py_trees_ros_viewer, where py_trees_ros_interfaces is installed.

Services, topics, QoS and messages are those of ``py_trees_ros.trees.BehaviourTree`` (2.2.2). That class itself is not
used: it ticks the tree on its own, and walks every node of it in each tick.
"""

import math
import time
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from py_trees.common import Status
from rclpy.exceptions import NameValidationException
from rclpy.node import Node as RosNode
from rclpy.publisher import Publisher
from unique_identifier_msgs.msg import UUID as IdMessage  # noqa: N811 - two things of one name

from embodiment_bridge.behaviour.engine.journal import Origin, Transition
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.composite import Parallel, ReactiveSelector, Selector, Sequence
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.nodes.base.qos import profile

try:
    from py_trees_ros_interfaces import msg, srv
except ImportError:
    msg = srv = None

MAX_STREAMS = 16  # a watcher that dies leaves its stream open; the oldest without a subscriber makes room
MAX_NODES = 200  # limit of a snapshot: a node costs 0.15 ms (measured), and ticks wait meanwhile


@dataclass(slots=True)
class Stream:
    """Represents an open stream: ``period`` in s is how often it gets a snapshot when nothing changes."""

    publisher: Publisher
    period: float
    told: float = -math.inf  # time.monotonic() of its last snapshot


def streams_of(node: RosNode) -> "PyTreesStreams | None":
    """Return the snapshot streams that this node now serves; None where the interfaces are not installed."""
    if msg is None:
        node.get_logger().debug(
            "no streams for py-trees-tree-watcher: py_trees_ros_interfaces is not installed"
        )
        return None
    return PyTreesStreams(node)


class PyTreesStreams:
    """Opens and closes streams as watchers ask, and tells those that are open what changes."""

    def __init__(self, node: RosNode) -> None:
        self._node = node
        self._streams: dict[str, Stream] = {}
        self._named = 0
        self._ticks = 0
        for name, kind, callback in (
            ("open", srv.OpenSnapshotStream, self._open),
            ("close", srv.CloseSnapshotStream, self._close),
            ("reconfigure", srv.ReconfigureSnapshotStream, self._reconfigure),
        ):
            node.create_service(kind, f"~/snapshot_streams/{name}", callback)

    def publish(self, run: Run, events: list[Transition]) -> None:
        """Publish the events of one tick; called once per tick of a run."""
        self._ticks += 1
        if not self._streams or run.last_root is None:
            return
        now = time.monotonic()
        due = [s for s in self._streams.values() if events or now - s.told >= s.period]
        if not due:
            return
        message = msg.BehaviourTree(behaviours=behaviours(run.last_root, {event.origin for event in events}))
        message.changed = bool(events)
        message.statistics.count = self._ticks
        message.statistics.stamp = self._node.get_clock().now().to_msg()
        for stream in due:
            stream.told = now
            stream.publisher.publish(message)

    def _open(self, request: Any, response: Any) -> Any:
        """Answer with the name of the topic, or with an empty one when it cannot be opened."""
        try:
            name = self._node.resolve_topic_name(self._wanted(request.topic_name))
            if name not in self._streams:
                self._make_room()
                publisher = self._node.create_publisher(msg.BehaviourTree, name, profile("latched"))
                self._streams[name] = Stream(publisher, math.inf)
        except (NameValidationException, RuntimeError) as error:
            self._node.get_logger().warning(f"no snapshot stream {request.topic_name!r}: {error}")
            return response
        self._streams[name].period = period_of(request.parameters)
        response.topic_name = name
        return response

    def _wanted(self, name: str) -> str:
        """Return the topic that a request asks for: a full or private name as it is, others below this node."""
        if not name:
            name = f"_snapshots_{self._named}"
            self._named += 1
        return name if name.startswith(("/", "~")) else f"~/snapshot_streams/{name}"

    def _make_room(self) -> None:
        if len(self._streams) < MAX_STREAMS:
            return
        for name, stream in self._streams.items():
            if stream.publisher.get_subscription_count() == 0:
                self._shut(name)
                return
        raise RuntimeError(f"{MAX_STREAMS} streams are open and heard already")

    def _close(self, request: Any, response: Any) -> Any:
        response.result = request.topic_name in self._streams
        if response.result:
            self._shut(request.topic_name)
        return response

    def _reconfigure(self, request: Any, response: Any) -> Any:
        response.result = request.topic_name in self._streams
        if response.result:
            self._streams[request.topic_name].period = period_of(request.parameters)
        return response

    def _shut(self, name: str) -> None:
        self._node.destroy_publisher(self._streams.pop(name).publisher)


def period_of(parameters: Any) -> float:
    """Return the seconds between two snapshots when nothing changes; the blackboard is not sent."""
    period = float(parameters.snapshot_period)
    return math.inf if math.isnan(period) else period


def behaviours(root: Node, touched: set[Origin]) -> list[Any]:
    """Return a message for each node, the root first; of a large tree only the upper ``MAX_NODES``.

    ``touched`` are the origins of the nodes that began or ended in the last tick.
    """
    shown = [root]
    for node in shown:
        shown.extend(node.children[: MAX_NODES - len(shown)])
    ids = {node.id for node in shown}
    return [_behaviour(node, ids, node.origin in touched) for node in shown]


def _behaviour(node: Node, shown: set[UUID], touched: bool) -> Any:
    origin = node.origin
    children = [child.id for child in node.children if child.id in shown]
    message = msg.Behaviour(
        name=node.name,
        class_name=f"{type(node).__module__}.{type(node).__name__}",
        own_id=_id(node.id),
        child_ids=[_id(child) for child in children],
        type=_type(node),
        additional_detail=_detail(node),
        blackbox_level=msg.Behaviour.BLACKBOX_LEVEL_NOT_A_BLACKBOX,
        status=getattr(msg.Behaviour, node.status.name),
        is_active=node.running or (touched and node.status is not Status.INVALID),
    )
    message.message = node.feedback_message or (origin.label if origin.label != node.name else "")
    if len(children) < len(node.children):
        message.message += f" ({len(node.children) - len(children)} children not shown)"
    if node.parent is not None:
        message.parent_id = _id(node.parent.id)
    current = getattr(node, "current_child", None)
    if current is not None and current.id in shown:
        message.current_child_id = _id(current.id)
    return message


def _type(node: Node) -> int:
    for cls, name in ((Sequence, "SEQUENCE"), (Selector, "SELECTOR"), (Parallel, "PARALLEL")):
        if isinstance(node, cls):
            return int(getattr(msg.Behaviour, name))
    if len(node.children) > 1:  # a node and its clean-up; of a decorator, watchers draw the last child only
        return int(msg.Behaviour.SEQUENCE)
    return int(msg.Behaviour.DECORATOR if node.children else msg.Behaviour.BEHAVIOUR)


def _detail(node: Node) -> str:
    """Return the detail that watchers look at, in the words of py_trees_ros; else the node's JSON pointer."""
    if isinstance(node, (Sequence, Selector)):
        return "" if isinstance(node, ReactiveSelector) else "WithMemory"
    if isinstance(node, Parallel):
        return "OnOne" if node.policy.succeed_on_one else "OnAll"
    return node.origin.pointer


def _id(number: UUID) -> IdMessage:
    return IdMessage(uuid=list(number.bytes))
