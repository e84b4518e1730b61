# SPDX-License-Identifier: Apache-2.0
"""Makes the messages of py_trees_ros_interfaces: the nodes of a tree, how its ticks go, what is on the blackboard."""

from collections import deque
from collections.abc import Iterator, Mapping
from statistics import fmean, variance
from typing import Any, Final
from uuid import UUID

from diagnostic_msgs.msg import KeyValue
from py_trees.common import Status
from py_trees_ros_interfaces import msg
from unique_identifier_msgs.msg import UUID as IdMessage  # noqa: N811 - two things of one name

from embodiment_bridge.behaviour.engine.journal import Origin
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.composite import Parallel, ReactiveSelector, Selector, Sequence
from embodiment_bridge.bml.base.conditions import Value

MAX_NODES = 200  # limit of a snapshot: a node costs 0.15 ms (measured), and ticks wait meanwhile
WINDOW: Final = 10  # ticks of an average, as in py_trees_ros


class TickTimes:
    """Counts ticks, and knows how long the last ones took and how far they were apart (s)."""

    def __init__(self) -> None:
        self.count = 0
        self._began: float | None = None
        self._series = {name: deque[float](maxlen=WINDOW) for name in ("tick_duration", "tick_interval")}

    def note(self, began: float, ended: float) -> None:
        """Note one tick: s of a clock that does not go back."""
        self.count += 1
        self._series["tick_duration"].append(ended - began)
        self._series["tick_interval"].append(0.0 if self._began is None else began - self._began)
        self._began = began

    def message(self) -> Any:
        """Return the statistics, without a stamp."""
        made = msg.Statistics(count=self.count)
        for name, series in self._series.items():
            if series:
                setattr(made, name, series[-1])
                setattr(made, f"{name}_average", fmean(series))
                setattr(made, f"{name}_variance", variance(series) if len(series) > 1 else 0.0)
        return made


def board_items(values: Mapping[str, Value]) -> list[KeyValue]:
    """Return all that is on a blackboard. Which nodes look at what is not known."""
    return [KeyValue(key=key, value=str(value)) for key, value in sorted(values.items())]


def activity(before: Mapping[str, Value], now: Mapping[str, Value]) -> Iterator[Any]:
    """Yield what was written to a blackboard, or taken from it. Who did it is not known."""
    kinds = msg.ActivityItem
    for key in sorted(before.keys() | now.keys()):
        if key not in now:
            kind = kinds.UNSET
        elif key not in before:
            kind = kinds.INITIALISED
        elif before[key] != now[key]:
            kind = kinds.WRITE
        else:
            continue
        old, new = (str(side[key]) if key in side else "" for side in (before, now))
        yield msg.ActivityItem(key=key, activity_type=kind, previous_value=old, current_value=new)


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
