# SPDX-License-Identifier: Apache-2.0
"""A light that is as bright as the mouth is open, so that people see which robot speaks, and its parameters."""

from collections.abc import Iterable

from rclpy.node import Node
from rclpy.subscription import Subscription

from embodiment_bridge.core.parameter import NodeValues, Parameter
from embodiment_bridge.media.cue import PLAYING, ChannelState
from embodiment_bridge.motion.skills.lights import LIGHTS
from embodiment_bridge.msg import LightCommand, SkillList
from embodiment_bridge.nodes.base.qos import profile

AUTO, NONE = "auto", "none"
PARAMETERS = (
    Parameter(
        "mouth_light",
        AUTO,
        "The light that is as bright as the mouth is open; auto: the face that a body has, else its eyes.",
        choices=(AUTO, *LIGHTS, NONE),
    ),
    Parameter("mouth_closed", 0.2, "How bright it is while the mouth is closed, of 1.", 0.0, 1.0),
)


LEVEL = "level"


class MouthLight:
    """Publishes on ``lights`` during speech; call ``show`` about twenty times a second meanwhile."""

    def __init__(self, node: Node, values: NodeValues) -> None:
        self._node = node
        self._closed = values["mouth_closed"]
        self._light = "" if values["mouth_light"] in (AUTO, NONE) else values["mouth_light"]
        self._speaking = False
        self._list: Subscription[SkillList] | None = None
        self._topic = None
        if values["mouth_light"] != NONE:
            self._topic = node.create_publisher(LightCommand, "lights", profile("command"))
        if values["mouth_light"] == AUTO:
            self._list = node.create_subscription(SkillList, "skills", self._choose, profile("latched"))

    def show(self, states: Iterable[ChannelState]) -> None:
        """Update from the channels of the player; of several that speak, the widest mouth counts."""
        mouths = [state.mouth for state in states if state.speaks and state.state == PLAYING]
        if mouths:
            self._publish(self._closed + (1.0 - self._closed) * max(mouths))
        elif self._speaking:
            self._publish(1.0)
        self._speaking = bool(mouths)

    def destroy(self) -> None:
        """Remove the topics from the graph."""
        if self._topic is not None:
            self._node.destroy_publisher(self._topic)
            self._topic = None
        if self._list is not None:
            self._node.destroy_subscription(self._list)
            self._list = None

    def _publish(self, level: float) -> None:
        if self._topic is None or not self._light:
            return
        message = LightCommand(light=self._light, pattern=LEVEL, level=level)
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._topic.publish(message)

    def _choose(self, message: SkillList) -> None:
        there = {channel for skill in message.skills if skill.available for channel in skill.channels}
        self._light = next((light for light in ("face", "eyes") if light in there), "")
