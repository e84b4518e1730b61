# SPDX-License-Identifier: Apache-2.0
"""What the body of this namespace can do, by its topic `skills`."""

from collections.abc import Callable

from rclpy.node import Node

from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.msg import SkillList
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.skill_server import skill_infos


class BodySkills:
    """The latest list; empty while there is no body. ``changed()`` is called for each new one."""

    def __init__(self, node: Node, changed: Callable[[], None]) -> None:
        self.skills: dict[str, SkillInfo] = {}
        self.name = ""  # of the body's description
        self._node = node
        self._changed = changed
        self._topic = node.create_subscription(SkillList, "skills", self._take, profile("latched"))

    def destroy(self) -> None:
        """Take the topic off the graph."""
        self._node.destroy_subscription(self._topic)

    def _take(self, message: SkillList) -> None:
        self.name = message.body
        self.skills = skill_infos(message)
        self._changed()
