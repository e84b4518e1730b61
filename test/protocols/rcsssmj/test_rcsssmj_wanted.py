# SPDX-License-Identifier: Apache-2.0
"""What nobody listens to is not made, and who listens later misses nothing for it."""

from dataclasses import replace

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


def test_five_pictures_a_second_are_looked_at_while_nobody_asks():
    """They come every 0.08 s here. The first one counts, and each as soon as somebody wants the things."""
    made, looked = heeding(), []
    memory = made._memory
    look = memory.look
    memory.look = lambda *arguments: looked.append(arguments[1]) or look(*arguments)

    def see(begin: float, count: int) -> list[float]:
        looked.clear()
        for i in range(count):
            seen = percept(vision=Vision((BALL,), ()))
            messages(replace(seen, time_s=begin + i * 0.08), made)
        return [round(time, 2) for time in looked]

    see(0.0, 1)  # the first is looked at, whatever is asked
    assert see(1.0, 7) == [1.0, 1.24, 1.48]
    made.things()
    assert see(1.5, 2) == [1.5]
    assert see(0.5, 2) == [0.5]  # the clock went back
    made.set_demand(lambda topic: topic == "entities")
    assert see(2.0, 3) == [2.0, 2.08, 2.16]
