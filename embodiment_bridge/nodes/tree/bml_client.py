# SPDX-License-Identifier: Apache-2.0
"""Sends a BML document to the running graph and follows it to its end."""

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.nodes.base.goal_client import BmlGoal, DocumentClient, document_goal


class BmlClient:
    """Follows one goal of `execute_bml`. ``result`` is set at its end; ``on_feedback(feedback)`` hears progress.

    prefix: of the name of the action, for a robot in another namespace: ``/robot2/``.
    """

    def __init__(
        self, node: Node, on_feedback: Callable[[ExecuteBml.Feedback], None], prefix: str = ""
    ) -> None:
        self._on_feedback = on_feedback
        self._client = DocumentClient(node, f"{prefix}execute_bml")
        self.sent: BmlGoal | None = None  # the newest

    @property
    def server_is_there(self) -> bool:
        """Whether a behaviour-tree node serves the action."""
        return self._client.server_is_there

    @property
    def result(self) -> ExecuteBml.Result | None:
        """The result of the goal; None until it has ended."""
        return None if self.sent is None else self.sent.result

    def send(self, document: str, *, source: str, **others: Any) -> BmlGoal:
        """Ask for a document to be run; ``others`` as of ``document_goal``."""
        self.sent = self._client.send(document_goal(document, source=source, **others), self._on_feedback)
        return self.sent

    def cancel(self) -> None:
        """Ask for the end; ``result`` follows when the body is at rest."""
        if self.sent is not None:
            self.sent.cancel()

    def destroy(self) -> None:
        """Take the client off the graph."""
        self._client.destroy()
