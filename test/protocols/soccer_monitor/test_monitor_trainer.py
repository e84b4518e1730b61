# SPDX-License-Identifier: Apache-2.0
"""Requests of the trainer's services and what goes out for them, for both servers; commands and what is refused."""

import math

import pytest
from embodiment_bridge.srv import (
    AgentCommand,
    KickOff,
    PlaceThing,
    SetGame,
    SetPlayMode,
    TrainAgent,
    TrainBall,
)
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from std_srvs.srv import Trigger

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.nodes.soccer.soccer_monitor import SERVICES
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.soccer_monitor import commands as c
from embodiment_bridge.protocols.soccer_monitor.convert import Trainer
from embodiment_bridge.wire.codec import Unknown

MODES = ("BeforeKickOff", "PlayOn", "KickOff_Left")
PLACE = Point(x=-2.0, y=2.0, z=0.4)
ANYBODY = {"side": "left", "number": 3}


def sent(protocol, service, **fields):
    """What goes out, frame by frame, and the remark."""
    trainer = Trainer(resolve(registry.spec(protocol).converter), lambda: MODES)
    codec = registry.codec(protocol)
    commands, remark = trainer.take(service, SERVICES[service].Request(**fields))
    return [codec.encode(command)[4:].decode() for command in commands], remark


def text_of(protocol, service, **fields):
    return "".join(sent(protocol, service, **fields)[0])


BOTH = [
    (
        "train_agent",
        {**ANYBODY, "set_position": True, "position": PLACE},
        "(agent (unum 3)(team Left)(pos -2 2 0.4))",
    ),
    ("train_ball", {"set_position": True, "position": PLACE}, "(ball (pos -2 2 0.4))"),
    (
        "train_ball",
        {"set_position": True, "position": PLACE, "set_velocity": True, "velocity": Vector3(x=1.0)},
        "(ball (pos -2 2 0.4)(vel 1 0 0))",
    ),
    ("kick_off", {"side": "RIGHT"}, "(kickOff Right)"),
    ("kick_off", {"side": "none"}, "(kickOff None)"),
    ("kick_off", {}, "(kickOff None)"),
    ("drop_ball", {}, "(dropBall)"),
]
SIMSPARK = [
    ("train_ball", {"set_velocity": True, "velocity": Vector3(y=2.5)}, "(ball (vel 0 2.5 0))"),
    ("train_agent", {**ANYBODY, "set_battery": True, "battery": 50.0}, "(agent (unum 3)(team Left)(battery 50))"),
    (
        "train_agent",
        {**ANYBODY, "set_temperature": True, "temperature": 20.0},
        "(agent (unum 3)(team Left)(temperature 20))",
    ),
    ("set_play_mode", {"play_mode": "PlayOn"}, "(playMode PlayOn)"),
    ("select_agent", {"side": "right", "number": 11}, "(select (unum 11)(team Right))"),
    ("select_agent", {}, "(select)"),
    ("select_agent", {"number": -1}, "(select (unum -1))"),
    ("kill_agent", ANYBODY, "(kill (unum 3)(team Left))"),
    ("kill_agent", {}, "(kill)"),
    ("reposition_agent", ANYBODY, "(repos (unum 3)(team Left))"),
    ("set_game", {"set_time": True, "time": 299.0}, "(time 299)"),
    (
        "set_game",
        {"set_time": True, "time": 1.5, "set_score": True, "score_left": 2, "score_right": 1},
        "(time 1.5)(score (left 2)(right 1))",
    ),
    ("request_full_state", {}, "(reqfullstate)"),
    ("kill_simulator", {}, "(killsim)"),
]  # fmt: skip


@pytest.mark.parametrize(("service", "fields", "text"), BOTH)
@pytest.mark.parametrize("protocol", ["simspark_monitor", "rcsssmj_monitor"])
def test_request_of_both(protocol, service, fields, text):
    assert text_of(protocol, service, **fields) == text


@pytest.mark.parametrize(("service", "fields", "text"), SIMSPARK)
def test_request_of_simspark(service, fields, text):
    assert text_of("simspark_monitor", service, **fields) == text


@pytest.mark.parametrize(
    ("protocol", "yaw", "degrees"),
    [
        ("simspark_monitor", 0.0, "-90"), ("simspark_monitor", math.pi / 2, "0"), ("simspark_monitor", math.pi, "90"),
        ("rcsssmj_monitor", 0.0, "0"), ("rcsssmj_monitor", math.pi / 2, "90"),
        ("rcsssmj_monitor", 5 * math.pi / 2, "90"),
    ],
)  # fmt: skip
def test_yaw(protocol, yaw, degrees):
    fields = {**ANYBODY, "set_position": True, "position": PLACE, "set_yaw": True, "yaw": yaw}
    assert (
        text_of(protocol, "train_agent", **fields) == f"(agent (unum 3)(team Left)(move -2 2 0.4 {degrees}))"
    )


IGNORED = ["set_play_mode", "select_agent", "kill_agent", "reposition_agent", "set_game", "request_full_state",
           "kill_simulator", "get_ack"]  # fmt: skip


@pytest.mark.parametrize("service", IGNORED)
def test_what_rcssservermj_ignores_is_said(service):
    with pytest.raises(CommandError, match=f"{service}: rcssservermj 0.2.1 .*(ignores|does nothing)"):
        sent("rcsssmj_monitor", service)


REFUSED = [
    (
        "set_play_mode",
        {"play_mode": "Playon"},
        "did you mean 'PlayOn'? (known: BeforeKickOff, KickOff_Left, PlayOn)",
    ),
    ("train_agent", {**ANYBODY}, "none of pos, move, battery, temperature and move3d"),
    (
        "train_agent",
        {"side": "up", "number": 3, "set_position": True},
        "side is 'up'; it must be left or right",
    ),
    ("train_agent", {"side": "left", "set_position": True}, "number is 0; it must be 1 or more"),
    ("train_agent", {**ANYBODY, "set_yaw": True}, "set_position is false"),
    ("train_agent", {**ANYBODY, "set_position": True, "position": Point(x=math.nan)}, "Agent.pos[0] is nan"),
    (
        "train_agent",
        {**ANYBODY, "set_position": True, "set_yaw": True, "yaw": math.inf},
        "Agent.move[3] is inf",
    ),
    ("train_agent", {**ANYBODY, "set_battery": True, "battery": -1.0}, "battery is -1.0"),
    ("train_ball", {}, "none of pos and vel"),
    ("kick_off", {"side": "up"}, "it must be left or right or none"),
    ("kill_agent", {"side": "left"}, "number is 0"),
    ("kill_agent", {"number": 3}, "side is ''"),
    ("kill_agent", {"number": -1}, "number is -1"),
    ("set_game", {}, "neither set_time nor set_score"),
    ("set_game", {"set_time": True, "time": -1.0}, "Time.time_s is -1.0"),
    ("set_game", {"set_score": True, "score_left": -1}, "Score.left is -1"),
]


@pytest.mark.parametrize(("service", "fields", "reason"), REFUSED)
def test_what_cannot_be_is_refused(service, fields, reason):
    with pytest.raises(CommandError) as caught:
        sent("simspark_monitor", service, **fields)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("service", "fields", "reason"),
    [
        ("train_ball", {"set_velocity": True}, "ignores a ball without a position"),
        ("train_agent", {**ANYBODY}, "ignores an agent without a position"),
        (
            "train_agent",
            {**ANYBODY, "set_position": True, "set_battery": True},
            "ignores battery and temperature",
        ),
    ],
)
def test_what_rcssservermj_would_ignore_is_refused(service, fields, reason):
    with pytest.raises(CommandError, match=reason):
        sent("rcsssmj_monitor", service, **fields)


def test_play_modes_that_were_not_told_cannot_be_chosen():
    trainer = Trainer(resolve(registry.spec("simspark_monitor").converter), tuple)
    with pytest.raises(CommandError, match="has not told its play modes yet"):
        trainer.take("set_play_mode", SetPlayMode.Request(play_mode="PlayOn"))


def test_remarks_say_what_people_may_not_expect():
    assert "does not close" in sent("simspark_monitor", "kill_agent")[1]


@pytest.mark.parametrize("protocol", ["simspark_monitor", "rcsssmj_monitor"])
def test_get_ack_says_that_no_server_answers(protocol):
    with pytest.raises(CommandError, match=r"get_ack: .*(never answers it|does not know this command)"):
        sent(protocol, "get_ack")


def test_every_service_has_its_type():
    assert set(SERVICES.values()) == {
        TrainAgent, TrainBall, PlaceThing, SetPlayMode, KickOff, AgentCommand, SetGame, Trigger
    }  # fmt: skip


@pytest.mark.parametrize("raw", [b"(killsim)", b"(x)(kill)", b"", b"((", b"(ball (pos 0 0 0))"])
def test_what_came_unknown_is_not_sent_back_as_a_command(raw):
    with pytest.raises(CommandError, match=r"Unknown\.raw"):
        registry.codec("simspark_monitor").encode(Unknown(0, raw))


def test_what_came_unknown_is_sent_again_where_it_can_be_no_command():
    assert registry.codec("simspark_monitor").encode(Unknown(0, b"(x)(y (kill))"))[4:] == b"(x)(y (kill))"


def test_commands_that_a_server_ignores_are_not_encoded_for_it():
    with pytest.raises(CommandError, match=r"PlayMode: this server ignores \(playMode PlayOn\)"):
        registry.codec("rcsssmj_monitor").encode(c.PlayMode("PlayOn"))


def lying(**turn):
    return Pose(position=PLACE, orientation=Quaternion(**turn))


HALF = math.sqrt(0.5)
ON_ITS_FACE = lying(x=0.0, y=2 * HALF, z=0.0, w=2 * HALF)  # not of length 1, which is no harm
TO_THE_LEFT = lying(x=0.0, y=0.0, z=HALF, w=HALF)


@pytest.mark.parametrize(
    ("protocol", "name", "pose", "text"),
    [
        ("rcsssmj_monitor", "ball", Pose(position=PLACE), "(ball (pos -2 2 0.4)(vel 1 0 0))"),
        ("simspark_monitor", "ball", Pose(position=PLACE), "(ball (pos -2 2 0.4)(vel 1 0 0))"),
        (
            "rcsssmj_monitor",
            "player_left_3",
            ON_ITS_FACE,
            "(agent (unum 3)(team Left)(move3d -2 2 0.4 0.7071068 0 0.7071068 0))",
        ),
        (
            "rcsssmj_monitor",
            "player_blue_team_3",
            TO_THE_LEFT,
            "(agent (unum 3)(team blue_team)(move3d -2 2 0.4 0.7071068 0 0 0.7071068))",
        ),
        (
            "simspark_monitor",
            "player_right_11",
            lying(w=2.0),
            "(agent (unum 11)(team Right)(move -2 2 0.4 -90))",
        ),
        ("simspark_monitor", "player_right_11", lying(w=0.0), "(agent (unum 11)(team Right)(pos -2 2 0.4))"),
    ],
)
def test_things_are_placed(protocol, name, pose, text):
    velocity = Vector3(x=1.0) if name == "ball" else Vector3()
    assert text_of(protocol, "place_thing", name=name, pose=pose, velocity=velocity) == text


@pytest.mark.parametrize(
    ("protocol", "fields", "reason"),
    [
        ("simspark_monitor", {"name": "player_left_3", "pose": ON_ITS_FACE}, "cannot lay it down"),
        ("simspark_monitor", {"name": "player_blue_3", "pose": TO_THE_LEFT}, "unknown thing 'player_blue_3'"),
        ("rcsssmj_monitor", {"name": "player_left_3", "pose": lying(w=0.0)}, "orientation is 0"),
        ("rcsssmj_monitor", {"name": "player_left_3", "pose": lying(w=math.nan)}, "finite"),
        (
            "rcsssmj_monitor",
            {"name": "player_left_3", "pose": TO_THE_LEFT, "velocity": Vector3(z=1.0)},
            "velocity",
        ),
        ("rcsssmj_monitor", {"name": "goal"}, "unknown thing 'goal'.*player_left_N"),
    ],
)
def test_what_cannot_be_placed_is_refused(protocol, fields, reason):
    with pytest.raises(CommandError, match=reason):
        sent(protocol, "place_thing", **fields)


def test_team_by_name_is_for_rcssservermj_alone():
    fields = {"side": "blue", "number": 3, "set_position": True, "position": PLACE}
    assert text_of("rcsssmj_monitor", "train_agent", **fields) == "(agent (unum 3)(team blue)(pos -2 2 0.4))"
    with pytest.raises(CommandError, match="side is 'blue'; it must be left or right"):
        sent("simspark_monitor", "train_agent", **fields)


def test_several_commands_are_one_frame():
    frame = c.Frame((c.Ball((0.0, 0.0, 0.0)), c.KickOff("Left")))
    for protocol in ("simspark_monitor", "rcsssmj_monitor"):
        assert registry.codec(protocol).encode(frame)[4:] == b"(ball (pos 0 0 0))(kickOff Left)"


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (c.Frame(()), "must be one or more commands"),
        (c.Frame((c.Frame((c.DropBall(),)),)), r"Frame.commands\[0\]: a Frame cannot be in a Frame"),
        (
            c.Frame((c.DropBall(), c.PlayMode("PlayOn"))),
            r"Frame.commands\[1\]: PlayMode: this server ignores",
        ),
        (c.Frame((c.Agent(1, "Left", move3d=(0.0,) * 6),)), "Agent.move3d is .*; it must be 7 numbers"),
    ],
)
def test_frame_with_something_wrong_is_refused(frame, reason):
    with pytest.raises(CommandError, match=reason):
        registry.codec("rcsssmj_monitor").encode(frame)


def test_pose_in_space_is_for_rcssservermj_alone():
    with pytest.raises(CommandError, match="move3d: this server ignores it"):
        registry.codec("simspark_monitor").encode(c.Agent(1, "Left", move3d=(0.0,) * 7))
