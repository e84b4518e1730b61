# SPDX-License-Identifier: Apache-2.0
"""The needs of one body for its OAC: measured, modelled, and published on the topic where others tell them, too."""

from collections import deque
from collections.abc import Mapping

from sensor_msgs.msg import BatteryState
from std_msgs.msg import Header

from embodiment_bridge.msg import PhysiologyLevels
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.protocols.opencog.world.feelings import PhysiologyModel, Rates
from embodiment_bridge.protocols.opencog.xml.parts import Level

OWN_MESSAGES = 100  # that are remembered until they come back


class OpencogNeeds:
    """Needs on the topics with ``prefix``. ``levels`` is for the session's thread, the rest for the executor's."""

    def __init__(self, node: BridgeNode, prefix: str, rates: Rates) -> None:
        self._node = node
        self._model = PhysiologyModel(rates)
        self._own: deque[PhysiologyLevels] = deque(maxlen=OWN_MESSAGES)
        topic, state = f"{prefix}physiology", profile("state")
        self._subscribed = [
            node.create_subscription(PhysiologyLevels, topic, self._take_levels, state),
            node.create_subscription(BatteryState, f"{prefix}battery", self._take_battery, state),
        ]
        self._published = node.create_publisher(PhysiologyLevels, topic, state)

    def destroy(self) -> None:
        """Remove everything from the graph."""
        for subscription in self._subscribed:
            self._node.destroy_subscription(subscription)
        self._node.destroy_publisher(self._published)

    def act(self, changes: Mapping[str, float]) -> None:
        """Change levels at once: eating reduces hunger."""
        self._model.act(changes)

    def levels(self, now_s: float) -> tuple[Level, ...]:
        """All known levels, which are published as well; ``now_s``: time in s."""
        levels = self._model.levels(now_s)
        if levels:
            message = PhysiologyLevels(header=Header(stamp=self._node.get_clock().now().to_msg()))
            message.names, message.levels = [one.name for one in levels], [one.value for one in levels]
            self._own.append(message)  # before it is published, as it comes back
            self._published.publish(message)
        return levels

    def _take_levels(self, message: PhysiologyLevels) -> None:
        if message not in tuple(self._own):  # what the bridge itself knows is no measurement
            self._model.told(dict(zip(message.names, message.levels, strict=False)))

    def _take_battery(self, message: BatteryState) -> None:
        self._model.battery(message.percentage)
