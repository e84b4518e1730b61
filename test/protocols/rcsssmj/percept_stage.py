# SPDX-License-Identifier: Apache-2.0
"""Percepts made by hand, and the messages that a converter makes of them."""

from pathlib import Path

from builtin_interfaces.msg import Time
from rclpy.serialization import serialize_message

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.rcsssmj.converter import RobotConverter
from embodiment_bridge.protocols.rcsssmj.events import (
    GameState,
    Joints,
    Orientation,
    Percept,
    PointDetection,
    Position,
)
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS

ROOT = Path(__file__).parents[3]
BODY = read_body(ROOT / "config/bodies/t1.yaml")
STAMP = Time(sec=5, nanosec=40_000_000)
NAMES = tuple(joint.perceptor for joint in ROBOTS["T1"].joints)
PARAMETERS = {
    "robot": "T1",
    "team": "us",
    "number": 3,
    "frame_prefix": "r3/",
    "robot_description_file": str(ROOT / "urdf/t1.urdf"),
    "entity_memory": 5.0,
}
UPRIGHT = (Orientation("torso_quat", 1.0, 0.0, 0.0, 0.0),)
PLACE = (Position("torso_pos", 2.0, -1.0, 0.67),)
STILL = Joints(NAMES, (0.0,) * 23, (0.0,) * 23)
GAME = GameState(2.54, "PlayOn", "us", "them", 1, 0)
BALL = PointDetection("B", 3.0, 90.0, -30.0)


def converter(**changes):
    return RobotConverter({**PARAMETERS, **changes}, BODY)


def messages(percept, made=None, stamp=STAMP):
    made = made or converter()
    pairs = list(made.messages(Cycle(percept, made.body_state(percept)), stamp))
    for _, message in pairs:
        serialize_message(message)
    return pairs


def message(percept, topic, made=None):
    return dict(messages(percept, made))[topic]


def percept(**fields):
    return Percept(0, 4.02, joints=STILL, orientations=UPRIGHT, positions=PLACE, **fields)
