# SPDX-License-Identifier: Apache-2.0
"""The skill ``say`` of soccer robots: the topic's words and limits, one message a cycle."""

from collections import deque

import pytest

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.rcsssmj.commands import Say
from embodiment_bridge.protocols.rcsssmj.converter import requests
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS
from embodiment_bridge.protocols.soccer.requests import Requests, Saying

CYCLE_S = 0.02


def begin(text, slot=0.0, *, robot="T1", split=False):
    asked = requests(ROBOTS[robot], lambda: "left", split=split)
    return asked, asked.begin_saying(None, {"text": text}, slot)


def cycles(asked: Requests, saying: Saying, most: int = 10) -> list[bytes]:
    sent = []
    while not saying.done and most:
        saying.step(CYCLE_S)
        sent += asked.next_actions()
        most -= 1
    assert all(isinstance(command, Say) for command in sent)
    return [command.message for command in sent]


def test_short_text_is_one_message():
    assert cycles(*begin("hello")) == [b"hello"]


def test_long_text_is_a_message_a_cycle_where_it_may_be_cut():
    asked, saying = begin("one two three four five", split=True)
    saying.step(CYCLE_S)
    assert 0.3 < saying.progress < 0.4
    assert [command.message for command in asked.next_actions()] == [b"one two th"]
    assert cycles(asked, saying) == [b"ree four f", b"ive"]


def test_slot_is_kept():
    asked, saying = begin("hello", slot=5 * CYCLE_S)
    assert cycles(asked, saying, most=4) == [b"hello"]
    assert not saying.done
    saying.step(2 * CYCLE_S)
    assert saying.done


@pytest.mark.parametrize(
    ("text", "robot", "reason"),
    [
        ("much too long", "T1", r"has 13 bytes; the server carries 10 \(parameter say_split cuts it\)"),
        ("", "K1", "nothing to say"),
        ("hello", "ant", "has no speaker"),
    ],
)
def test_what_the_topic_refuses_the_skill_refuses(text, robot, reason):
    with pytest.raises(CommandError, match=reason):
        begin(text, robot=robot)


def test_stopped_half_way_says_no_more():
    asked, saying = begin("one two three four five", split=True)
    saying.step(CYCLE_S)
    saying.stop()
    assert saying.done
    saying.step(CYCLE_S)
    assert [command.message for command in asked.next_actions()] == [b"one two th"]
    assert list(asked.next_actions()) == []


def test_message_of_somebody_else_goes_first():
    frame = deque(["theirs"])
    saying = Saying(["mine"], frame, 0.0)
    saying.step(CYCLE_S)
    assert not saying.done
    frame.clear()
    saying.step(CYCLE_S)
    assert saying.done
    assert list(frame) == ["mine"]
