# SPDX-License-Identifier: Apache-2.0
"""The skills say and beam of soccer robots: the words and limits of topic and service, a message a cycle."""

from collections import deque
from pathlib import Path

import pytest
from embodiment_bridge.srv import Beam as BeamService

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.skills.requests import parameters_of
from embodiment_bridge.protocols.rcsssmj.commands import Beam, Say
from embodiment_bridge.protocols.rcsssmj.converter import requests
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS
from embodiment_bridge.protocols.soccer.requests import LANDED_S, Requests, Saying

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


BODIES = Path(__file__).parents[3] / "config/bodies"


def asked(side: str = "left"):
    return requests(ROBOTS["T1"], lambda: side, split=False)


def test_one_command_and_time_to_land() -> None:
    request = asked()
    beaming = request.begin_beaming(None, {"x": -3.0, "y": 2.0, "yaw": 0.0}, 0.0)
    assert list(request.next_actions()) == []
    beaming.step(0.02)
    beaming.step(0.02)
    assert list(request.next_actions()) == [Beam(-3.0, 2.0, 0.0)]
    assert not beaming.done
    beaming.step(LANDED_S)
    assert (beaming.done, beaming.progress, list(request.next_actions())) == (True, 1.0, [])


@pytest.mark.parametrize("body", ["t1", "k1", "nao"])
@pytest.mark.parametrize(("values", "missing"), [({"y": 2.0}, "x"), ({"x": -3.0, "yaw": 0.0}, "y")])
def test_half_a_place_is_refused(body: str, values: dict[str, float | str], missing: str) -> None:
    """A place without one of them would be the kick-off spot."""
    described = read_body(BODIES / f"{body}.yaml")
    with pytest.raises(CommandError, match=f"skill 'beam' needs the parameter '{missing}'"):
        parameters_of(described.skills["beam"], values)


@pytest.mark.parametrize("body", ["t1", "k1", "nao"])
def test_clients_are_told_the_frame(body: str) -> None:
    (beam,) = [one for one in read_body(BODIES / f"{body}.yaml").skill_infos() if one.name == "beam"]
    assert [(one.name, one.required) for one in beam.details] == [("x", True), ("y", True), ("yaw", False)]
    assert all("in the frame team:" in one.description.lower() for one in beam.details)


@pytest.mark.parametrize(
    ("side", "x", "reason"),
    [
        ("left", 0.5, "x is 0.5 m; it must be 0 or less"),
        ("", -1.0, "has not told which side"),
        (
            "left",
            -1e10,
            "Beam.x is -10000000000.0; it must be a number from",
        ),  # it would take its frame with it
    ],
)
def test_what_the_service_refuses_the_skill_refuses(side: str, x: float, reason: str) -> None:
    request = asked(side)
    with pytest.raises(CommandError, match=reason):
        request.handle("beam", BeamService.Request(x=x))
    with pytest.raises(CommandError, match=reason):
        request.begin_beaming(None, {"x": x, "y": 0.0}, 0.0)
    assert list(request.next_actions()) == []
