# SPDX-License-Identifier: Apache-2.0
"""The nodes of one robot in this process, and a watcher that listens to them, calls their services and sends goals."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cached_property
from typing import Any

from diagnostic_msgs.msg import KeyValue
from embodiment_bridge.action import ExecuteSkill
from rclpy.action import ActionClient
from rclpy.parameter import Parameter
from waiting import GRAPH, spin_for, spin_until

from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree.bml_client import BmlClient

SUCCEEDED, FAILED = ExecuteSkill.Result.SUCCEEDED, ExecuteSkill.Result.FAILED


class Stage:
    """One namespace of a graph that the test serves. ``last``: the last message by topic; ``feedback``: of ``bml``.

    served: a runtime, or the graph of a launch file.
    """

    patience = GRAPH

    def __init__(self, served: Runtime | Graph, namespace: str = "/") -> None:
        self._served = served
        self.runtime = served.runtime if isinstance(served, Graph) else served
        self.common: dict[str, Any] = {"context": self.runtime.context, "namespace": namespace}
        self.watcher = self.runtime.add(Watcher(**self.common))
        self.last: dict[str, Any] = {}
        self.feedback: list[Any] = []
        self.ends = ExitStack()

    @cached_property
    def bml(self) -> BmlClient:
        """Sends documents to the tree of this namespace."""
        return self.documents(self.feedback.append)

    @cached_property
    def skills(self) -> ActionClient:
        """Sends goals to the body of this namespace."""
        client = ActionClient(self.watcher, ExecuteSkill, "execute_skill")
        self.ends.callback(client.destroy)
        return client

    def documents(self, on_feedback: Callable[[Any], None] = lambda feedback: None) -> BmlClient:
        """One more client of the tree."""
        client = BmlClient(self.watcher, on_feedback)
        self.ends.callback(client.destroy)
        return client

    def add(self, make: Callable[..., Any], **parameters: Any) -> Any:
        """Serve the node that ``make`` makes in this namespace with these parameters."""
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        return self.runtime.add(make(parameter_overrides=overrides, **self.common))

    def listen(
        self, topics: Mapping[str, tuple[Any, str]], take: Callable[[str, Any], None] | None = None
    ) -> None:
        """Keep the last message of each topic (type, QoS profile), and hand it to ``take`` with the topic."""

        def subscribe(topic: str, kind: Any, role: str) -> None:
            def keep(message: Any) -> None:
                self.last[topic] = message
                if take is not None:
                    take(topic, message)

            self.watcher.create_subscription(kind, topic, keep, profile(role))

        for topic, (kind, role) in topics.items():
            subscribe(topic, kind, role)

    def collect(self, kind: Any, topic: str, role: str) -> list[Any]:
        """All messages of a topic from now on."""
        messages: list[Any] = []
        self.watcher.create_subscription(kind, topic, messages.append, profile(role))
        return messages

    def until(self, condition: Callable[[], Any], patience: float | None = None) -> None:
        """Serve the graph until the condition holds."""
        __tracebackhide__ = True
        spin_until(self._served, condition, self.why, patience or self.patience)

    def spin(self, seconds: float) -> None:
        """Serve the graph for so long."""
        spin_for(self._served, seconds)

    def why(self) -> Any:
        """What a failed test says of the robot."""
        return f"link {self.watcher.link}: {self.watcher.reason}"

    def call(self, kind: Any, service: str, /, **fields: Any) -> Any:
        """The response of a service."""
        client = self.watcher.create_client(kind, service)
        try:
            self.until(client.service_is_ready)
            return self.result(client.call_async(kind.Request(**fields)))
        finally:
            self.watcher.destroy_client(client)

    def result(self, future: Any) -> Any:
        """Serve the graph until it is there."""
        self.until(future.done)
        return future.result()

    def publish(self, kind: Any, topic: str, message: Any, role: str = "command") -> None:
        """Publish once somebody listens."""
        publisher = self.publisher(kind, topic, role)
        publisher.publish(message)

    def publisher(self, kind: Any, topic: str, role: str = "command") -> Any:
        """A publisher to which somebody listens."""
        publisher = self.watcher.create_publisher(kind, topic, profile(role))
        self.until(lambda: publisher.get_subscription_count() > 0)
        return publisher

    def ask(self, name: str, slot: float = 0.0, **parameters: Any) -> Any:
        """The handle of a goal for a skill, accepted or not."""
        goal = ExecuteSkill.Goal(name=name, slot=slot, source="test")
        goal.parameters = [KeyValue(key=key, value=str(value)) for key, value in parameters.items()]
        return self.result(self.skills.send_goal_async(goal))

    def ended(self, handle: Any) -> Any:
        """The result of a goal that was accepted."""
        return self.result(handle.get_result_async()).result

    def skill(self, name: str, slot: float = 0.0, **parameters: Any) -> Any:
        """The result of a skill."""
        return self.ended(self.ask(name, slot, **parameters))

    def did(self, name: str, slot: float = 0.0, **parameters: Any) -> tuple[int, str]:
        """Status and reason of a skill."""
        result = self.skill(name, slot, **parameters)
        return result.status, result.reason

    def begin(self, document: str, **wishes: Any) -> None:
        """Send a document."""
        self.feedback.clear()
        self.bml.send(document, source="test", **wishes)

    def finish(self) -> Any:
        """The result of the document that was sent last."""
        self.until(lambda: self.bml.result is not None)
        return self.bml.result

    def run(self, document: str, **wishes: Any) -> Any:
        """The result of a document."""
        self.begin(document, **wishes)
        return self.finish()

    def close(self) -> None:
        """Take the clients off the graph."""
        self.ends.close()
