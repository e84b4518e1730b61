# SPDX-License-Identifier: Apache-2.0
"""A mock body, the behaviour-tree node, and everything that a watcher of a run sees."""

from typing import Any

from embodiment_bridge.msg import NodeEvent
from mock_node_stage import FAST, Mock
from std_srvs.srv import Trigger

from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.tree.bml_client import BmlClient


class RunStage(Mock):
    """As ``Mock``, with parameters for the tree; keeps events and every joint state."""

    def __init__(
        self, runtime: Runtime, namespace: str, body: dict[str, Any] | None = None, **of_tree: Any
    ) -> None:
        super().__init__(runtime, namespace, tree=of_tree, **{**FAST, "speed": 5.0, **(body or {})})
        self.events: list[NodeEvent] = self.collect(NodeEvent, "behavior_tree/events", "events")

    def guest(self, document: str, **wishes: Any) -> BmlClient:
        """Send another document."""
        client = self.documents()
        self.until(lambda: client.server_is_there)
        client.send(document, source="guest", **wishes)
        return client

    def control(self, name: str) -> Trigger.Response:
        return self.call(Trigger, f"behavior_tree/{name}")

    def wait_for(self, state: str) -> None:
        self.until(lambda: bool(self.feedback) and self.feedback[-1].state == state)

    def pause(self) -> None:
        assert self.control("pause").success
        self.wait_for("PAUSED")
        self.steps(20)  # the joints follow the commands, and their states are on the way

    def joints(self) -> dict[str, float]:
        message = self.last["joint_states"]
        return dict(zip(message.name, message.position, strict=True))

    def steps(self, number: int) -> None:
        """Let the world take so many steps."""
        before = self.watcher.percepts
        self.until(lambda: self.watcher.percepts >= before + number)

    def told(self, event: str) -> list[NodeEvent]:
        return [one for one in self.events if one.event == event]
