# SPDX-License-Identifier: Apache-2.0
"""Where the body is and what is around it, for the actions of plans: the latest of `pose` and `entities`."""

import time

from geometry_msgs.msg import PoseStamped
from rclpy.node import Node

from embodiment_bridge.core.rotation import Vector, rpy_from_quaternion
from embodiment_bridge.msg import EntityArray
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.plans.world import Place, World

SETTLE = 2.0  # s of wall time from subscribing on; what has not come by then may never come


class PlanSurroundings:
    """Listens from the first ``listen`` on, so that a robot without plans pays nothing."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._subscribed: list[object] = []
        self._since = 0.0
        self._pose: Place | None = None
        self._entities: dict[str, Vector] | None = None
        self._reaches: dict[str, float] = {}
        self._owners: dict[str, str] = {}

    def listen(self) -> None:
        """Subscribe, once."""
        if self._subscribed:
            return
        self._since = time.monotonic()
        create, sensor = self._node.create_subscription, profile("sensor")
        self._subscribed = [
            create(PoseStamped, "pose", self._take_pose, sensor),
            create(EntityArray, "entities", self._take_entities, sensor),
        ]

    def known(self) -> bool:
        """Whether both have come, or had the time to."""
        if self._pose is not None and self._entities is not None:
            return True
        return time.monotonic() - self._since > SETTLE

    def world(self) -> World:
        """The latest of both."""
        return World(self._pose, self._entities or {}, self._reaches, self._owners)

    def destroy(self) -> None:
        """Take the subscriptions off the graph."""
        for subscription in self._subscribed:
            self._node.destroy_subscription(subscription)
        self._subscribed = []

    def _take_pose(self, message: PoseStamped) -> None:
        place, turn = message.pose.position, message.pose.orientation
        yaw = rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))[2]
        self._pose = Place(place.x, place.y, yaw, place.z)

    def _take_entities(self, message: EntityArray) -> None:
        found = {}
        for entity in message.entities:
            place = entity.pose.position
            found[entity.id] = (place.x, place.y, place.z)
        self._entities = found
        self._reaches = {entity.id: 0.5 * max(entity.size.x, entity.size.y) for entity in message.entities}
        self._owners = {
            entity.id: item.value
            for entity in message.entities
            for item in entity.properties
            if item.key == "owner" and item.value
        }
