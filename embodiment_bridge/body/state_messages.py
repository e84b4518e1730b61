# SPDX-License-Identifier: Apache-2.0
"""The state of a body as standard messages, which are the same for every body."""

from array import array
from collections.abc import Sequence

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from sensor_msgs.msg import JointState
from std_msgs.msg import Header

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import quaternion_from_rpy


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
    x, y, z, w = quaternion_from_rpy(state.roll, state.pitch, state.yaw)
    return Quaternion(x=x, y=y, z=z, w=w)
