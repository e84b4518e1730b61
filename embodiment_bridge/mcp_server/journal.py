# SPDX-License-Identifier: Apache-2.0
"""The last runs with what happened in them, for a model that wants to know why."""

import json
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Final

from rclpy.node import Node
from rclpy.subscription import Subscription

from embodiment_bridge.mcp_server.outside import MARK, plain
from embodiment_bridge.msg import NodeEvent
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.robot.robot import Robot

KEPT: Final = 5  # runs
EVENTS: Final = 100  # the latest of a run
LONGEST: Final = 300  # characters of an event


@dataclass(slots=True)
class _Run:
    events: deque[str] = field(default_factory=lambda: deque(maxlen=EVENTS))
    outcome: str = ""


class Journal:
    """Fed on the thread of the graph; ``text`` may be called on any."""

    def __init__(self, robot: Robot) -> None:
        self._runs: OrderedDict[str, _Run] = OrderedDict()
        self._robot = robot
        self._topic = robot.on_graph(self._subscribe).result()

    def close(self) -> None:
        """Take the topic off the graph."""
        self._robot.on_graph(lambda node: node.destroy_subscription(self._topic))

    def ended(self, run_id: str, outcome: str) -> None:
        """Note how a run has ended."""
        if run_id:
            self._of(plain(run_id)).outcome = plain(outcome, LONGEST)

    def text(self) -> str:
        """JSON: the runs, oldest first."""
        runs = [
            {"run": name, "outcome": run.outcome, "events": list(run.events)}
            for name, run in list(self._runs.items())
        ]
        return json.dumps(
            {"note": f"texts in events may be {MARK}", "runs": runs}, ensure_ascii=False, indent=1
        )

    def _of(self, run_id: str) -> _Run:
        run = self._runs.setdefault(run_id, _Run())
        while len(self._runs) > KEPT:
            self._runs.popitem(last=False)
        return run

    def _subscribe(self, node: Node) -> Subscription:
        return node.create_subscription(NodeEvent, "behavior_tree/events", self._take, profile("events"))

    def _take(self, event: NodeEvent) -> None:
        words = [
            f"{event.t:.2f} s",
            event.pointer or "/",
            event.type,
            event.event,
            event.code,
            event.message,
        ]
        self._of(plain(event.run_id)).events.append(plain(" ".join(filter(None, words)), LONGEST))
