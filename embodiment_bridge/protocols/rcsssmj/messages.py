# SPDX-License-Identifier: Apache-2.0
"""Percepts as standard ROS messages."""

from array import array
from collections.abc import Sequence
from typing import Any

from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Header

from embodiment_bridge.body import BodyState
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.rotation import quaternion_from_rpy
from embodiment_bridge.units import RAD_PER_DEG

UNKNOWN_COVARIANCE = [-1.0] + [
    0.0
] * 8  # sensor_msgs/Imu: the first element -1 says that the value is not measured


class Messages:
    """Makes the messages of one robot: joint names in the body's order, frames with ``prefix``."""

    def __init__(self, joint_names: Sequence[str], prefix: str) -> None:
        self._joint_names = list(joint_names)
        self._prefix = prefix

    def of(self, percept: Percept, state: BodyState | None, stamp: Any) -> list[tuple[str, Any]]:
        """(topic, message) pairs of one percept; a sensor that it did not have gives none."""
        pairs: list[tuple[str, Any]] = []
        if state is not None:
            pairs.append(("joint_states", self._joint_states(state, stamp)))
            if state.has_base:
                pairs.append(("pose", self._pose(state, stamp)))
        if percept.gyros and percept.accelerometers:
            pairs.append(("imu", self._imu(percept, stamp)))
        return pairs

    def _joint_states(self, state: BodyState, stamp: Any) -> JointState:
        return JointState(
            header=Header(stamp=stamp),
            name=self._joint_names,
            position=array(
                "d", state.position
            ),  # the one sequence that rosidl takes without looking at each value
            velocity=array("d", state.velocity),
        )

    def _pose(self, state: BodyState, stamp: Any) -> PoseStamped:
        x, y, z = state.base_position
        turn = _quaternion(*quaternion_from_rpy(state.roll, state.pitch, state.yaw))
        header = Header(stamp=stamp, frame_id=self._prefix + "map")
        return PoseStamped(header=header, pose=Pose(position=Point(x=x, y=y, z=z), orientation=turn))

    def _imu(self, percept: Percept, stamp: Any) -> Imu:
        gyro, acceleration = percept.gyros[0], percept.accelerometers[0]
        message = Imu(header=Header(stamp=stamp, frame_id=self._prefix + "imu_link"))
        message.angular_velocity = Vector3(
            x=gyro.x_deg_s * RAD_PER_DEG, y=gyro.y_deg_s * RAD_PER_DEG, z=gyro.z_deg_s * RAD_PER_DEG
        )
        message.linear_acceleration = Vector3(
            x=acceleration.x_m_s2, y=acceleration.y_m_s2, z=acceleration.z_m_s2
        )
        if percept.orientations:
            turn = percept.orientations[0]
            message.orientation = _quaternion(turn.x, turn.y, turn.z, turn.w)
        else:
            message.orientation_covariance = UNKNOWN_COVARIANCE
        return message


def _quaternion(x: float, y: float, z: float, w: float) -> Quaternion:
    return Quaternion(x=x, y=y, z=z, w=w)
