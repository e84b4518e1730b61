# SPDX-License-Identifier: Apache-2.0
"""What percepts of rcssserver3d may hold that reaches no topic; the Nao of 0.7.3 has none of it."""

from embodiment_bridge.protocols.simspark.events import Percept
from embodiment_bridge.protocols.soccer.left_out import LeftOut


def note_unused(percept: Percept, left_out: LeftOut) -> None:
    """Name it."""
    for joint in percept.universal_joints:
        left_out.note(f"UJ {joint.name!r} is on no topic: a joint with two axes, of old soccerbots")
    for gyro in percept.gyros[1:]:
        left_out.note(f"GYR {gyro.name!r} is on no topic: imu has {percept.gyros[0].name!r}")
    for sensor in percept.accelerometers[1:]:
        left_out.note(f"ACC {sensor.name!r} is on no topic: imu has {percept.accelerometers[0].name!r}")
    if percept.agent_state is not None and percept.agent_state.pan_deg is not None:
        left_out.note("pan_tilt of AgentState is on no topic: joint_states has the joints of the head")
    if percept.vision is not None and percept.vision.ball_position_m is not None:
        left_out.note("ballpos is on no topic: entities has the ball that the camera sees")
