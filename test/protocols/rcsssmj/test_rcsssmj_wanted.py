# SPDX-License-Identifier: Apache-2.0
"""What nobody listens to is not made, and who listens later misses nothing for it."""

import pytest
from percept_stage import BALL, GAME, STAMP, converter, messages, percept

from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.rcsssmj.events import (
    Accelerometer,
    Gyro,
    Heard,
    Microphone,
    Touch,
    Vision,
)

FULL = percept(
    game_state=GAME,
    gyros=(Gyro("torso_gyro", 1.0, 2.0, 3.0),),
    accelerometers=(Accelerometer("torso_acc", 0.0, 0.0, 9.81),),
    touches=(Touch("bumper", 1),),
    microphones=(Microphone("hear", (Heard(0.0, b"x"),)),),
    vision=Vision((BALL,), ()),
)
ALL = {"joint_states", "pose", "imu", "touch", "game_state", "heard", "vision", "entities"}
ALWAYS = {"game_state", "heard"}  # these come seldom


def heeding(*topics):
    made = converter()
    made.set_demand(lambda topic: topic in topics)
    return made


def test_all_are_made_by_one_who_was_told_nothing():
    assert set(dict(messages(FULL))) == ALL


@pytest.mark.parametrize("topic", sorted(ALL - ALWAYS))
def test_one_topic_is_heard(topic):
    made = dict(messages(FULL, heeding(topic)))
    assert set(made) == {topic} | ALWAYS
    assert made[topic] == dict(messages(FULL))[topic]


def test_entities_are_remembered_while_nobody_listens():
    made = heeding()
    messages(FULL, made)
    made.set_demand(lambda topic: True)
    seen_nothing = percept(vision=Vision((), ()))
    assert [e.id for e in dict(messages(seen_nothing, made))["entities"].entities] == [
        e.id for e in dict(messages(FULL))["entities"].entities
    ]


def test_a_message_is_made_when_it_is_asked_for():
    asked = []
    made = converter()
    made.set_demand(lambda topic: bool(asked.append(topic)) or True)
    pairs = iter(made.messages(Cycle(FULL, made.body_state(FULL)), STAMP))
    assert asked == []
    assert next(pairs)[0] == "joint_states"
    assert asked == ["joint_states"]
