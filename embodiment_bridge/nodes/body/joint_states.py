# SPDX-License-Identifier: Apache-2.0
"""Publishes `joint_states` of a body whose state has all of it."""

from array import array
from collections.abc import Sequence
from functools import partial

from builtin_interfaces.msg import Time
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.nodes.base.outlet import Outlet
from embodiment_bridge.nodes.base.packed import PackedOutlet
from embodiment_bridge.nodes.base.qos import profile


class JointStates:
    """``joint_states`` with angles (rad) and rates (rad/s) of the joints ``names``, if there are subscribers."""

    def __init__(self, node: Node, names: Sequence[str]) -> None:
        outlet = Outlet(node, JointState, "joint_states", profile("sensor"))
        self._topic: PackedOutlet[tuple[str, ...]] = PackedOutlet(outlet, _message)
        self._names = tuple(names)

    def publish(self, state: BodyState, stamp: Time) -> None:
        """Publish what a state says of the joints."""
        if self._topic.wanted:
            self._topic.publish(self._names, state.position + state.velocity, stamp)

    def destroy(self) -> None:
        """Take the topic off the graph."""
        self._topic.destroy()


def _message(names: tuple[str, ...], numbers: Sequence[float], stamp: Time) -> JointState:
    half = len(numbers) // 2
    make = partial(array, "d")  # the only sequence of which rosidl does not check each value
    return JointState(
        header=Header(stamp=stamp), name=names, position=make(numbers[:half]), velocity=make(numbers[half:])
    )
