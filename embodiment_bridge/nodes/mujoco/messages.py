# SPDX-License-Identifier: Apache-2.0
"""Senses of a simulated robot as ROS messages."""

from collections.abc import Iterable

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, PoseWithCovariance, Quaternion, Twist, TwistWithCovariance, Vector3
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, Imu
from std_msgs.msg import Header

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.state_messages import turn
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.msg import TouchState, TouchStates
from embodiment_bridge.physics.senses import Battery, Inertial


def imu(reading: Inertial, stamp: Time, frame: str) -> Imu:
    """A reading of the IMU; ``frame`` is that of the sensor."""
    message = Imu(header=Header(stamp=stamp, frame_id=frame))
    message.orientation = _turn(reading.turn)
    message.angular_velocity = _vector(reading.rates)
    message.linear_acceleration = _vector(reading.acceleration)
    return message


def odometry(state: BodyState, speed: Vector, stamp: Time, prefix: str) -> Odometry:
    """The pose of base_link in ``odom``, with its speed (m/s) and rates in its own axes."""
    message = Odometry(header=Header(stamp=stamp, frame_id=f"{prefix}odom"))
    message.child_frame_id = f"{prefix}base_link"
    x, y, z = state.base_position
    message.pose = PoseWithCovariance(pose=Pose(position=Point(x=x, y=y, z=z), orientation=turn(state)))
    message.twist = TwistWithCovariance(twist=Twist(linear=_vector(speed), angular=_vector(state.base_rates)))
    return message


def touch(touches: Iterable[tuple[str, bool]], stamp: Time, frame: str) -> TouchStates:
    """Which of the last links touch something; ``frame`` is base_link."""
    sensors = [TouchState(name=name, touched=touched) for name, touched in touches]
    return TouchStates(header=Header(stamp=stamp, frame_id=frame), sensors=sensors)


def battery_state(battery: Battery, stamp: Time) -> BatteryState:
    """The state of the battery."""
    message = BatteryState(header=Header(stamp=stamp), present=True)
    message.voltage = battery.voltage
    message.current = -battery.power / battery.voltage
    message.percentage = battery.charge
    message.capacity = message.design_capacity = battery.capacity / battery.voltage
    message.charge = battery.charge * message.capacity
    message.power_supply_status = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
    message.power_supply_health = BatteryState.POWER_SUPPLY_HEALTH_GOOD
    message.power_supply_technology = BatteryState.POWER_SUPPLY_TECHNOLOGY_LION
    return message


def _vector(values: Vector) -> Vector3:
    x, y, z = values
    return Vector3(x=x, y=y, z=z)


def _turn(quaternion: tuple[float, float, float, float]) -> Quaternion:
    x, y, z, w = quaternion
    return Quaternion(x=x, y=y, z=z, w=w)
