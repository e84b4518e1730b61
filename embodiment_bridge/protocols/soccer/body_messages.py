# SPDX-License-Identifier: Apache-2.0
"""What a robot senses of itself, as standard messages."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from geometry_msgs.msg import Quaternion, Vector3
from sensor_msgs.msg import Imu
from std_msgs.msg import Header

from embodiment_bridge.core.rotation import Quaternion as Turn
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.msg import TouchState, TouchStates
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.soccer.events import Touch
from embodiment_bridge.protocols.spec import Output

# sensor_msgs/Imu: the first element -1 says that the value is not measured
UNKNOWN_COVARIANCE: Final = [-1.0] + [0.0] * 8
OUTPUTS: Final = (
    Output("joint_states", "sensor_msgs.msg:JointState", "sensor", of_state=True),
    Output("imu", "sensor_msgs.msg:Imu", "sensor"),
    Output("pose", "geometry_msgs.msg:PoseStamped", "sensor"),
    Output("vision", "embodiment_bridge.msg:Vision", "sensor"),
    Output("entities", "embodiment_bridge.msg:EntityArray", "sensor"),
    Output("touch", "embodiment_bridge.msg:TouchStates", "sensor"),
    Output("heard", "embodiment_bridge.msg:HeardMessage", "events"),
    Output("game_state", "embodiment_bridge.msg:GameState", "latched"),
)
"""The topics of every soccer simulator."""
MAX_TOUCHES: Final = 64  # sensors; far more than any robot has


def imu(rates: Vector, acceleration: Vector, turn: Turn | None, stamp: Stamp, frame: str) -> Imu:
    """Rates (rad/s), proper acceleration (m/s2) and, if known, orientation in the map; ``frame`` is the sensor's."""
    message = Imu(header=Header(stamp=stamp, frame_id=frame))
    message.angular_velocity = Vector3(x=rates[0], y=rates[1], z=rates[2])
    message.linear_acceleration = Vector3(x=acceleration[0], y=acceleration[1], z=acceleration[2])
    if turn is not None:
        message.orientation = Quaternion(x=turn[0], y=turn[1], z=turn[2], w=turn[3])
    else:
        message.orientation_covariance = UNKNOWN_COVARIANCE
    return message


def touch(touches: Iterable[Touch], stamp: Stamp, frame: str) -> TouchStates:
    """All touch sensors; the simulators send a whole number, 0 without contact."""
    return TouchStates(
        header=Header(stamp=stamp, frame_id=frame),
        sensors=[
            TouchState(name=sensor.name, touched=sensor.value != 0) for sensor in islice(touches, MAX_TOUCHES)
        ],
    )
