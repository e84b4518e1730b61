# SPDX-License-Identifier: Apache-2.0
"""What a robot senses of itself, as standard messages."""

from typing import Any, Final

from geometry_msgs.msg import Quaternion, Vector3
from sensor_msgs.msg import Imu
from std_msgs.msg import Header

from embodiment_bridge.msg import TouchState, TouchStates
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.units import RAD_PER_DEG

# sensor_msgs/Imu: the first element -1 says that the value is not measured
UNKNOWN_COVARIANCE: Final = [-1.0] + [0.0] * 8
MAX_TOUCHES: Final = 64  # sensors; far more than any robot has


def imu(percept: Percept, stamp: Any, frame: str) -> Imu:
    """Rates (rad/s), proper acceleration (m/s2) and, if sensed, orientation in the map; ``frame`` is the sensor's."""
    gyro, acceleration = percept.gyros[0], percept.accelerometers[0]
    message = Imu(header=Header(stamp=stamp, frame_id=frame))
    message.angular_velocity = Vector3(
        x=gyro.x_deg_s * RAD_PER_DEG, y=gyro.y_deg_s * RAD_PER_DEG, z=gyro.z_deg_s * RAD_PER_DEG
    )
    message.linear_acceleration = Vector3(x=acceleration.x_m_s2, y=acceleration.y_m_s2, z=acceleration.z_m_s2)
    if percept.orientations:
        turn = percept.orientations[0]
        message.orientation = Quaternion(x=turn.x, y=turn.y, z=turn.z, w=turn.w)
    else:
        message.orientation_covariance = UNKNOWN_COVARIANCE
    return message


def touch(percept: Percept, stamp: Any, frame: str) -> TouchStates:
    """All touch sensors; rcssservermj sends a whole number, 0 without contact."""
    return TouchStates(
        header=Header(stamp=stamp, frame_id=frame),
        sensors=[
            TouchState(name=sensor.name, touched=sensor.value != 0)
            for sensor in percept.touches[:MAX_TOUCHES]
        ],
    )
