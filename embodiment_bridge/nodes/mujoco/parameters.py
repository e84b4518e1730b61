# SPDX-License-Identifier: Apache-2.0
"""The parameters and topics of a body that MuJoCo simulates."""

from typing import Final

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.body import body_interface
from embodiment_bridge.protocols.registry import Output
from embodiment_bridge.scene.entities import DEFAULT_KEEP

LOCALISATIONS: Final = ("truth", "odometry", "none")

PARAMETERS: Final = (
    *body_interface.PARAMETERS,
    Parameter("model", "auto", "URDF or MJCF, a name of a robot (T1, ...), or python://PACKAGE/PATH."),
    Parameter(
        "base", "auto", "Whether the robot can move as a whole.", choices=("auto", "floating", "fixed")
    ),
    Parameter("world", "auto", "MJCF with floor and things, or room, soccer, none."),
    Parameter("keyframe", "", "Keyframe of the model at which the robot starts; empty: the rest pose."),
    Parameter("start_x", 0.0, "Where the robot stands first, m.", -1000.0, 1000.0),
    Parameter("start_y", 0.0, "Likewise, m.", -1000.0, 1000.0),
    Parameter("start_yaw", 0.0, "Where it looks first, rad, + left.", -7.0, 7.0),
    Parameter("timestep", 0.001, "Step of the physics, s.", 1e-5, 0.02),
    Parameter("rate", 100.0, "Steps of motion per second of the simulation, Hz.", 10.0, 1000.0),
    Parameter(
        "real_time_factor",
        1.0,
        "Simulated time per real time; 0: as fast as possible. Other than 1 with publish_clock only.",
        0.0,
        100.0,
    ),
    Parameter("noise", 0.0, "Noise of the sensors, as a multiple of the usual one; 0: none.", 0.0, 100.0),
    Parameter("seed", 0, "Of the noise and of the errors of odometry.", 0, 2**31 - 1),
    Parameter(
        "localisation",
        "truth",
        "What pose and odom say: the true pose, one reckoned from speeds, or nothing.",
        choices=LOCALISATIONS,
    ),
    Parameter(
        "entity_memory",
        DEFAULT_KEEP,
        "Longest time for which things out of view are remembered, s. They go earlier when their place is seen empty.",
        0.0,
        1e9,
    ),
    Parameter("field_of_view", 1.2, "Width of the picture, rad.", 0.1, 3.1),
    Parameter("battery_capacity", 20.0, "Wh.", 0.01, 1e5),
    Parameter(
        "camera",
        "none",
        "Camera of which camera/image_raw shows the picture: eye for the robot's own, another one of the model or "
        "world, or none.",
    ),
    Parameter("camera_width", 320, "Pixels.", 16, 1920),
    Parameter("camera_height", 240, "Pixels.", 16, 1080),
    Parameter("camera_rate", 10.0, "Pictures per second of the simulation, Hz.", 0.1, 60.0),
)
OUTPUTS: Final = (
    Output("joint_states", "sensor_msgs.msg:JointState", "sensor"),
    Output("imu", "sensor_msgs.msg:Imu", "sensor"),
    Output("pose", "geometry_msgs.msg:PoseStamped", "sensor"),
    Output("odom", "nav_msgs.msg:Odometry", "sensor"),
    Output("entities", "embodiment_bridge.msg:EntityArray", "sensor"),
    Output("touch", "embodiment_bridge.msg:TouchStates", "sensor"),
    Output("battery", "sensor_msgs.msg:BatteryState", "state"),
)
