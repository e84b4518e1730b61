# SPDX-License-Identifier: Apache-2.0
"""Perceptions of the simulator's own classes and the percepts that they are: one row per class."""

import pytest

from embodiment_bridge.protocols.rcsssmj.events import (
    Accelerometer,
    AgentDetection,
    GameState,
    Gyro,
    Heard,
    Joints,
    Microphone,
    Orientation,
    Percept,
    PointDetection,
    Position,
    Touch,
    Vision,
)
from embodiment_bridge.protocols.rcsssmj.percept_reader import percept_of


def simulated(kind, **values):
    """An object that is like one of a class of ``rcsssmj.sim.perceptions``."""
    return type(kind, (), values)()


BALL_SEEN = simulated("ObjectDetection", name="B", distance=1, azimuth=2, inclination=3)
FOE_SEEN = simulated("AgentDetection", team_name="T", player_no=4, body_detections=[BALL_SEEN])
BALL = PointDetection("B", 1.0, 2.0, 3.0)
SIMULATED = (
    (simulated("TimePerception", time=4), {"time_s": 4.0}),
    (
        simulated(
            "GameStatePerception",
            play_time=1,
            play_mode="PlayOn",
            team_left="a",
            team_right=None,
            score_left=2,
            score_right=3,
        ),
        {"game_state": GameState(1.0, "PlayOn", "a", None, 2, 3)},
    ),
    (
        simulated("JointStatePerception", joint_names=["j"], joint_axs=[1], joint_vxs=[2]),
        {"joints": Joints(("j",), (1.0,), (2.0,))},
    ),
    (
        simulated("VisionPerception", obj_detections=[BALL_SEEN, FOE_SEEN]),
        {"vision": Vision((BALL,), (AgentDetection("T", 4, (BALL,)),))},
    ),
    (
        simulated("OrientationPerception", name="q", qw=1, qx=2, qy=3, qz=4),
        {"orientations": (Orientation("q", 1, 2, 3, 4),)},
    ),
    (simulated("PositionPerception", name="p", x=1, y=2, z=3), {"positions": (Position("p", 1, 2, 3),)}),
    (simulated("GyroPerception", name="g", rx=1, ry=2, rz=3), {"gyros": (Gyro("g", 1, 2, 3),)}),
    (
        simulated("AccelerometerPerception", name="a", ax=1, ay=2, az=3),
        {"accelerometers": (Accelerometer("a", 1, 2, 3),)},
    ),
    (simulated("TouchPerception", name="t", active=True), {"touches": (Touch("t", 1),)}),
    (
        simulated("MicrophonePerception", name="m", azimuths=[5], messages=[bytearray(b"hi")]),
        {"microphones": (Microphone("m", (Heard(5.0, b"hi"),)),)},
    ),
    (simulated("SmellPerception"), {}),
)


@pytest.mark.parametrize(("perception", "fields"), SIMULATED, ids=lambda value: type(value).__name__)
def test_a_perception_of_the_simulator_is_what_its_list_on_the_wire_would_be(perception, fields):
    assert percept_of([perception]) == Percept(0, **fields)
