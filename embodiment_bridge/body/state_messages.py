# SPDX-License-Identifier: Apache-2.0
"""The state of a body as standard messages, which are the same for every body."""

from array import array
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from nav_msgs.msg import Odometry
from numpy.typing import NDArray
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Header

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import Quaternion as Turn
from embodiment_bridge.core.rotation import Vector, quaternion_from_rpy


def joint_states(names: Sequence[str], state: BodyState, stamp: Time) -> JointState:
    """Angles (rad) and rates (rad/s) of all joints."""
    return JointState(
        header=Header(stamp=stamp),
        name=names,
        position=array(
            "d", state.position
        ),  # the only sequence type of which rosidl does not check each value
        velocity=array("d", state.velocity),
    )


def pose(state: BodyState, stamp: Time, frame: str) -> PoseStamped:
    """Pose of base_link in ``frame``, which is that of the map."""
    x, y, z = state.base_position
    header = Header(stamp=stamp, frame_id=frame)
    return PoseStamped(header=header, pose=Pose(position=Point(x=x, y=y, z=z), orientation=turn(state)))


def turn(state: BodyState) -> Quaternion:
    """Orientation of base_link in ``map``."""
    return _quaternion(quaternion_from_rpy(state.roll, state.pitch, state.yaw))


def _quaternion(turn: Turn) -> Quaternion:
    x, y, z, w = turn
    return Quaternion(x=x, y=y, z=z, w=w)


def vector(values: Vector) -> Vector3:
    """Three numbers as a message."""
    x, y, z = values
    return Vector3(x=x, y=y, z=z)


# Variances of odometry: those of the percepts of soccer servers, which are the roughest; they do not grow with the way.
PLACE: Final = 0.05**2  # m2
ROUGH: Final = 0.3**2  # m2, of a height that is estimated
ANGLE: Final = 0.05**2  # rad2
SPEED: Final = 0.1**2  # m2/s2; the height of a base that walks goes up and down with less
RATE: Final = 0.05**2  # rad2/s2


@cache
def diagonal(place: float, height: float, angle: float) -> NDArray[np.float64]:
    """A covariance of x and y, z, and the three angles, in the order of the messages of ROS."""
    return np.diag([place, place, height, angle, angle, angle]).flatten()


def odometry(state: BodyState, speed: Vector, stamp: Time, prefix: str) -> Odometry:
    """The pose of base_link in ``odom``, with its speed (m/s) and rates (rad/s) in its own axes."""
    there = pose(state, stamp, f"{prefix}odom")
    message = Odometry(header=there.header, child_frame_id=f"{prefix}base_link")
    message.pose.pose = there.pose
    message.twist.twist.linear, message.twist.twist.angular = vector(speed), vector(state.base_rates)
    message.pose.covariance = diagonal(PLACE, ROUGH if state.height_estimated else PLACE, ANGLE)
    message.twist.covariance = diagonal(SPEED, SPEED, RATE)
    return message


# sensor_msgs/Imu: the first element -1 says that the value is not measured
UNKNOWN_COVARIANCE: Final = [-1.0] + [0.0] * 8


def imu(rates: Vector, acceleration: Vector, turn: Turn | None, stamp: Time, frame: str) -> Imu:
    """A reading of an IMU in ``frame``: rad/s, proper acceleration in m/s^2 and, if known, orientation in ``map``."""
    message = Imu(header=Header(stamp=stamp, frame_id=frame))
    message.angular_velocity, message.linear_acceleration = vector(rates), vector(acceleration)
    if turn is None:
        message.orientation_covariance = UNKNOWN_COVARIANCE
    else:
        message.orientation = _quaternion(turn)
    return message


def battery_state(
    voltage: float, current: float, charge: float, capacity: float, stamp: Time
) -> BatteryState:
    """The state of a battery that is being used: V, A, share of 1 that is left, Ah."""
    message = BatteryState(header=Header(stamp=stamp), present=True, voltage=voltage, current=-current)
    message.percentage, message.charge = charge, charge * capacity
    message.capacity = message.design_capacity = capacity
    message.power_supply_status = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
    message.power_supply_health = BatteryState.POWER_SUPPLY_HEALTH_GOOD
    message.power_supply_technology = BatteryState.POWER_SUPPLY_TECHNOLOGY_LION
    return message
