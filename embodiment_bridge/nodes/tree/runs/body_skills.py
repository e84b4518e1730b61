# SPDX-License-Identifier: Apache-2.0
"""Knows the skills of the body of this namespace, and why it is not there."""

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.msg import LinkState, SkillList
from embodiment_bridge.nodes.base.bridge_node import REFUSALS
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.skill_server import skill_infos


class FailedNodes:
    """Listens to /diagnostics until ``destroy``: once a second each node says there what is wrong with it."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._folder = node.get_namespace().rstrip("/") + "/"
        self._reasons: dict[str, str] = {}
        self._topic = node.create_subscription(DiagnosticArray, "/diagnostics", self._take, profile("state"))

    def __str__(self) -> str:
        """Return ``/mock_body: not configured: ...``; empty if no node said so."""
        return "; ".join(f"{name}: {reason}" for name, reason in self._reasons.items())

    def destroy(self) -> None:
        """Take the topic off the graph."""
        self._node.destroy_subscription(self._topic)

    def _take(self, message: DiagnosticArray) -> None:
        for status in message.status:
            folder, _, name = status.name.rpartition("/")
            if f"{folder}/" != self._folder or name == self._node.get_name():
                continue
            if status.level == DiagnosticStatus.ERROR and status.message.startswith(REFUSALS):
                self._reasons[status.name] = status.message
            else:
                self._reasons.pop(status.name, None)


class BodySkills:
    """Holds the latest list; empty while there is no body. ``changed()`` is called for each new one.

    ``link`` is the state of its link, as in LinkState; None: not told.
    """

    def __init__(self, node: Node, changed: Callable[[], None]) -> None:
        self.skills: dict[str, SkillInfo] = {}
        self.link: int | None = None
        self.name = ""  # name in the body's description
        self._node = node
        self._changed = changed
        self._failed: FailedNodes | None = FailedNodes(node)  # while there is no body
        node.create_subscription(SkillList, "skills", self._take, profile("latched"))
        node.create_subscription(LinkState, "link_state", self._take_link, profile("latched"))

    @property
    def missing(self) -> str:
        """``body`` while there is none, ``link`` while its link is being opened; empty: nothing."""
        if not self.skills:
            return "body"
        return "link" if self.link in (LinkState.CONNECTING, LinkState.HANDSHAKE) else ""

    @property
    def absence(self) -> str:
        """The reason for refusing a goal while there is no body; it quotes nodes of this namespace that failed."""
        why = str(self._failed or "") or "start one first"
        return f"no body has published its skills in this namespace; {why}"

    def _take(self, message: SkillList) -> None:
        self.name = message.body
        self.skills = skill_infos(message)
        self._look_for_failed(wanted=not self.skills)
        self._changed()

    def _take_link(self, message: LinkState) -> None:
        self.link = message.state
        self._changed()

    def _look_for_failed(self, *, wanted: bool) -> None:
        if wanted and self._failed is None:
            self._failed = FailedNodes(self._node)
        elif not wanted and self._failed is not None:
            self._failed.destroy()
            self._failed = None
