# SPDX-License-Identifier: Apache-2.0
"""Serves the streams of `py-trees-tree-watcher`, `py-trees-blackboard-watcher` and py_trees_ros_viewer.

Services, topics, QoS and messages are those of ``py_trees_ros.trees.BehaviourTree`` (2.2.2) and of its
``blackboard.Exchange``. Those classes themselves are not used: they tick the tree on their own, walk every node of it
in each tick, and know only py_trees' own blackboard.
"""

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from py_trees_ros_interfaces import msg, srv
from rclpy.exceptions import NameValidationException
from rclpy.node import Node as RosNode
from rclpy.publisher import Publisher
from std_msgs.msg import String

from embodiment_bridge.behaviour.engine.journal import Transition
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.tree.runs.py_trees_messages import TickTimes, activity, behaviours, board_items

# A watcher that dies leaves its stream open; the oldest without a subscriber makes room.
MAX_STREAMS: Final = 16
MISSING: Final = "-"  # the value of a key that is not on the blackboard

Asked = TypeVar("Asked")


class OpenStreams(Generic[Asked]):
    """Keeps the topics that watchers opened below ``folder``, by name, each with what was asked for."""

    def __init__(self, node: RosNode, kind: type, folder: str, unnamed: str) -> None:
        self._node = node
        self._kind = kind
        self._folder = folder
        self._unnamed = unnamed
        self._count = 0
        self._publishers: dict[str, Publisher] = {}
        self.asked: dict[str, Asked] = {}

    def open(self, wanted: str, asked: Asked) -> str:
        """Return the name of a topic that is open now; an empty one when it cannot be opened.

        wanted: a full or private name as it is, others below the folder; empty for a new one.
        """
        if not wanted:
            wanted = f"{self._unnamed}{self._count}"
            self._count += 1
        inside = wanted if wanted.startswith(("/", "~")) else f"~/{self._folder}/{wanted}"
        try:
            name = str(self._node.resolve_topic_name(inside))
            if name not in self.asked:
                self._make_room()
                self._publishers[name] = self._node.create_publisher(self._kind, name, profile("latched"))
        except (NameValidationException, RuntimeError) as error:
            self._node.get_logger().warning(f"no stream {wanted!r}: {error}")
            return ""
        self.asked[name] = asked
        return name

    def close(self, name: str) -> bool:
        """Return whether the topic was open; it is not any more."""
        if name not in self.asked:
            return False
        del self.asked[name]
        self._node.destroy_publisher(self._publishers.pop(name))
        return True

    def publish(self, name: str, message: object) -> None:
        """Publish on an open topic."""
        self._publishers[name].publish(message)

    def is_heard(self, name: str) -> bool:
        """Return whether an open topic has a subscriber."""
        return bool(self._publishers[name].get_subscription_count())

    def _make_room(self) -> None:
        if len(self.asked) < MAX_STREAMS:
            return
        for name in self.asked:
            if not self.is_heard(name):
                self.close(name)
                return
        raise RuntimeError(f"{MAX_STREAMS} streams are open and heard already")


@dataclass(slots=True)
class Snapshots:
    """Holds what a watcher of the tree asked for, and when it was told last (``time.monotonic()``).

    period: s between two snapshots when nothing changes. data, activity: of the blackboard.
    """

    period: float
    data: bool
    activity: bool
    told: float = -math.inf


@dataclass(slots=True)
class View:
    """Holds what a watcher of the blackboard asked for, and the last text sent to it. No names: everything."""

    names: tuple[str, ...]
    activity: bool
    told: str = ""


class PyTreesStreams:
    """Opens and closes streams as watchers ask, and tells those that are open what changes."""

    def __init__(self, node: RosNode) -> None:
        self._node = node
        self._times = TickTimes()
        self._trees = OpenStreams[Snapshots](node, msg.BehaviourTree, "snapshot_streams", "_snapshots_")
        self._views = OpenStreams[View](node, String, "blackboard_streams", "_watcher_")
        self._run: Run | None = None
        self._board: Mapping[str, Value] | None = None  # of that run, as a watcher was told of it last
        for name, kind, callback in (
            ("snapshot_streams/open", srv.OpenSnapshotStream, self._open),
            ("snapshot_streams/close", srv.CloseSnapshotStream, self._close),
            ("snapshot_streams/reconfigure", srv.ReconfigureSnapshotStream, self._reconfigure),
            ("blackboard_streams/get_variables", srv.GetBlackboardVariables, self._list_keys),
            ("blackboard_streams/open", srv.OpenBlackboardStream, self._open_view),
            ("blackboard_streams/close", srv.CloseBlackboardStream, self._close_view),
        ):
            node.create_service(kind, f"~/{name}", callback)

    def ticked(self, began: float, ended: float) -> None:
        """Take in when a tick began and ended (``time.monotonic()``), before what it changed is published."""
        self._times.note(began, ended)

    def publish(self, run: Run, events: list[Transition]) -> None:
        """Publish the events of one tick; called once per tick of a run."""
        root = run.last_root
        if root is None:
            return
        before = self._board if run is self._run else None
        self._run, self._board = run, None
        if not (self._trees.asked or self._views.asked):
            return
        self._board = board = run.blackboard.values()
        changes = list(activity(board if before is None else before, board))
        now = time.monotonic()
        due = {
            name: one
            for name, one in self._trees.asked.items()
            if events or (one.activity and changes) or now - one.told >= one.period
        }
        if due:
            self._publish_tree(root, events, board, changes, due)
            for one in due.values():
                one.told = now
        for name, view in self._views.asked.items():
            text = "\n".join(board_lines(board, view.names))
            if text != view.told and self._views.is_heard(name):  # a watcher comes after it has asked
                view.told = text
                self._views.publish(name, String(data="\n".join([text, *_activity_lines(view, changes)])))

    def _publish_tree(
        self,
        root: Node,
        events: list[Transition],
        board: Mapping[str, Value],
        changes: list[Any],
        due: Mapping[str, Snapshots],
    ) -> None:
        message = msg.BehaviourTree(behaviours=behaviours(root, {event.origin for event in events}))
        message.changed = bool(events)
        message.statistics = self._times.message()
        message.statistics.stamp = self._node.get_clock().now().to_msg()
        items = board_items(board)
        for name, one in due.items():
            message.blackboard_on_visited_path = items if one.data else []
            message.blackboard_activity = changes if one.activity else []
            self._trees.publish(name, message)

    def _open(self, request: Any, response: Any) -> Any:
        response.topic_name = self._trees.open(request.topic_name, snapshots_of(request.parameters))
        return response

    def _close(self, request: Any, response: Any) -> Any:
        response.result = self._trees.close(request.topic_name)
        return response

    def _reconfigure(self, request: Any, response: Any) -> Any:
        response.result = request.topic_name in self._trees.asked
        if response.result:
            told = self._trees.asked[request.topic_name].told
            self._trees.asked[request.topic_name] = snapshots_of(request.parameters, told)
        return response

    def _list_keys(self, _: Any, response: Any) -> Any:
        response.variables = [] if self._run is None else sorted(self._run.blackboard.values())
        return response

    def _open_view(self, request: Any, response: Any) -> Any:
        view = View(tuple(request.variables), request.with_activity_stream)
        response.topic = self._views.open("", view)
        return response

    def _close_view(self, request: Any, response: Any) -> Any:
        response.result = self._views.close(request.topic_name)
        return response


def snapshots_of(parameters: Any, told: float = -math.inf) -> Snapshots:
    """Return what the parameters of a stream ask for."""
    period = float(parameters.snapshot_period)
    period = math.inf if math.isnan(period) else period
    return Snapshots(period, parameters.blackboard_data, parameters.blackboard_activity, told)


def board_lines(values: Mapping[str, Value], names: Iterable[str] = ()) -> list[str]:
    """Return a line for each key, or for each of ``names``, as the watcher prints them."""
    shown = sorted(names) or sorted(values)
    width = max(map(len, shown), default=0)
    return [f"    {name:<{width}} : {values.get(name, MISSING)}" for name in shown]


def _activity_lines(view: View, changes: Iterable[Any]) -> list[str]:
    if not view.activity:
        return []
    lines = [
        f"    {item.key} : {item.activity_type} {item.previous_value} -> {item.current_value}"
        for item in changes
        if not view.names or item.key in view.names
    ]
    return ["Blackboard Activity Stream", *lines]
