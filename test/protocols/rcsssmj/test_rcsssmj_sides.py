# SPDX-License-Identifier: Apache-2.0
"""One meaning for both sides; sensors by their names; and a recording plays as the player that it is of."""

import math
from dataclasses import replace

import pytest
from embodiment_bridge.srv import Beam as BeamService
from percept_stage import BALL, GAME, PLACE, converter, message, messages, percept

from embodiment_bridge.body.surroundings import Place
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.commands import Beam
from embodiment_bridge.protocols.rcsssmj.convert import mirrored
from embodiment_bridge.protocols.rcsssmj.events import (
    Accelerometer,
    AgentDetection,
    Gyro,
    Orientation,
    PointDetection,
    Position,
    Vision,
)

LEFT = replace(GAME, team_left="us", team_right="them")
RIGHT = replace(GAME, team_left="them", team_right="us")
# What a left player sees at a place of its half, and what a right player sees at the same place of its own half.
AT_LEFT = {"positions": (Position("torso_pos", -5.0, 2.0, 0.67),)}
AT_RIGHT = {
    "positions": (Position("torso_pos", 5.0, -2.0, 0.67),),
    "orientations": (Orientation("torso_quat", 0.0, 0.0, 0.0, 1.0),),
}


def at(game, place, *names):
    seen = Vision((BALL, *(PointDetection(name, 20.0, 10.0, -2.0) for name in names)), ())
    return replace(percept(game_state=game, vision=seen), **place)


def beamed(game, **request):
    made = converter()
    made.body_state(percept(game_state=game))
    made.handle_request("beam", BeamService.Request(**request))
    ((command,),) = [made.answer(Cycle(percept(game_state=game)))]
    return next(action for action in command.actions if isinstance(action, Beam))


def test_beam_means_the_same_to_both_sides():
    """The server takes x without its sign and turns theta for the right team, but leaves y as it is."""
    request = {"x": -3.0, "y": 2.0, "theta": math.pi / 6}
    assert beamed(LEFT, **request) == Beam(-3.0, 2.0, pytest.approx(30.0))
    assert beamed(RIGHT, **request) == Beam(-3.0, -2.0, pytest.approx(30.0))


def test_beam_into_the_other_half_is_refused():
    with pytest.raises(CommandError, match="x is 3 m; it must be 0 or less, in the own half"):
        beamed(LEFT, x=3.0)


def test_beam_waits_until_the_side_is_known():
    with pytest.raises(CommandError, match="not told which side"):
        beamed(replace(GAME, team_left=None, team_right=None), x=-3.0)


@pytest.mark.parametrize(
    ("game", "side"), [(LEFT, "left"), (RIGHT, "right"), (replace(GAME, team_left="a"), "")]
)
def test_game_state_has_the_own_side(game, side):
    assert message(percept(game_state=game), "game_state").own_side == side


def test_both_sides_see_the_same_in_the_frame_team():
    left = dict(messages(at(LEFT, AT_LEFT, "l_ruf"), converter(team_frame=True)))
    right = dict(messages(at(RIGHT, AT_RIGHT, "l_llf"), converter(team_frame=True)))
    assert left["pose"].header.frame_id == right["pose"].header.frame_id == "r3/team"
    assert left["entities"].header.frame_id == right["entities"].header.frame_id == "r3/team"
    poses = [
        (p.position.x, p.position.y, p.position.z, abs(p.orientation.w))
        for p in (left["pose"].pose, right["pose"].pose)
    ]
    assert poses[0] == pytest.approx(poses[1])
    for ours, theirs in zip(left["entities"].entities, right["entities"].entities, strict=True):
        assert ours.id == theirs.id
        a, b = ours.pose.position, theirs.pose.position
        assert (a.x, a.y, a.z) == pytest.approx((b.x, b.y, b.z), abs=0.05)  # numbers are cut
    assert "landmark_l_ruf" in {entity.id for entity in right["entities"].entities}


def test_without_the_parameter_poses_are_in_the_map():
    right = dict(messages(at(RIGHT, AT_RIGHT, "l_llf")))
    assert right["pose"].header.frame_id == "r3/map"
    assert right["pose"].pose.position.x == 5.0
    assert "landmark_l_llf" in {entity.id for entity in right["entities"].entities}


def test_imu_turns_with_the_frame():
    sensors = {
        "gyros": (Gyro("torso_gyro", 0, 0, 9),),
        "accelerometers": (Accelerometer("torso_acc", 0, 0, 9.81),),
    }
    imu = message(replace(at(RIGHT, AT_RIGHT), **sensors), "imu", converter(team_frame=True))
    assert abs(imu.orientation.w) == pytest.approx(1.0)
    assert imu.angular_velocity.z == pytest.approx(math.radians(9.0))


def test_place_in_the_frame_team_is_not_known_before_the_side():
    made = converter(team_frame=True)
    assert not made.body_state(percept()).has_base
    assert made.body_state(percept(game_state=RIGHT)).has_base
    made.handshake()  # another connection, perhaps to another side
    assert not made.body_state(percept()).has_base


@pytest.mark.parametrize(
    ("base", "frame", "place"),
    [
        (False, "map", Place(1.0, 2.0, 0.5)),
        (False, "r3/map", Place(1.0, 2.0, 0.5)),
        (False, "r3/team", Place(-1.0, -2.0, 0.5 - math.pi)),
        (True, "", Place(1.0, 2.0, 0.5)),
        (True, "r3/team", Place(1.0, 2.0, 0.5)),
        (True, "map", Place(-1.0, -2.0, 0.5 - math.pi)),
    ],
)
def test_goals_are_taken_in_map_and_team(base, frame, place):
    made = converter(team_frame=base)
    made.body_state(percept(game_state=RIGHT))
    assert made.fixed_frames().in_base(frame, "r3/", Place(1.0, 2.0, 0.5)) == pytest.approx(place)


def test_goal_in_another_frame_is_refused_with_the_choices():
    frames = converter().fixed_frames()
    with pytest.raises(CommandError, match=r"unknown frame 'r4/map'.*map, r3/map"):
        frames.in_base("r4/map", "r3/", Place(0.0, 0.0, 0.0))
    with pytest.raises(CommandError, match="unknown frame 'r3/team'"):  # the side is not known yet
        frames.in_base("r3/team", "r3/", Place(0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("name", "other"),
    [("l_luf", "l_rlf"), ("t_cuf", "t_clf"), ("x_cuc", "x_clc"), ("p_lpm", "p_rpm"), ("t_rlpa", "t_lupa")],
)
def test_landmarks_are_named_by_their_place(name, other):
    assert mirrored(name) == other
    assert mirrored(other) == name


def test_sensors_are_taken_by_name_whatever_their_order():
    event = replace(
        percept(gyros=(Gyro("head_gyro", 9, 9, 9), Gyro("torso_gyro", 90, 0, 0))),
        positions=(Position("ball_pos", 7.0, 7.0, 7.0), *PLACE),
        orientations=(
            Orientation("head_quat", 0.0, 1.0, 0.0, 0.0),
            Orientation("torso_quat", 1.0, 0.0, 0.0, 0.0),
        ),
        accelerometers=(Accelerometer("head_acc", 5, 5, 5), Accelerometer("torso_acc", 0, 0, 9.81)),
    )
    made = converter()
    state = made.body_state(event)
    assert state.base_position == (2.0, -1.0, 0.67)
    assert (state.roll, state.base_rates[0]) == pytest.approx((0.0, math.pi / 2))
    imu = message(event, "imu", converter())
    assert imu.angular_velocity.x == pytest.approx(math.pi / 2)
    assert imu.linear_acceleration.z == 9.81
    told = made.left_out()
    assert [sentence.split(" is on")[0] for sentence in told] == [
        "quat 'head_quat'",
        "pos 'ball_pos'",
        "GYR 'head_gyro'",
        "ACC 'head_acc'",
    ]
    made.body_state(event)
    assert made.left_out() == []  # once


def test_sensor_of_another_name_is_not_the_torso_s():
    state = converter().body_state(replace(percept(), positions=(Position("ball_pos", 7.0, 7.0, 7.0),)))
    assert not state.has_base
    assert state.has_tilt


@pytest.mark.parametrize("text", ["(time (now 4.02))", "(time (clock 4.02))", "(time (t 4.02)(now 4.02))"])
def test_clock_has_any_name(text):
    first, *_ = Codec().feed(len(text).to_bytes(4, "big") + text.encode())
    assert first.time_s == 4.02


OWN_FOOT = PointDetection("rfoot", 1.06, -5.0, -82.0)  # of a T1 that stands, as its camera sees it
FEET = (OWN_FOOT, PointDetection("lfoot", 1.06, 5.0, -82.0))
BEFORE_ME = (PointDetection("head", 2.2, -8.0, 0.0), PointDetection("lfoot", 2.5, -10.0, -25.0))
THEIRS = replace(GAME, team_left="blue", team_right="red")


def seen(team, number, parts):
    return percept(vision=Vision((), (AgentDetection(team, number, parts),)), game_state=THEIRS)


def players(made, what):
    return [e.id for e in message(what, "entities", made).entities if e.kind == "player"]


@pytest.mark.parametrize(("team", "side"), [("blue", "left"), ("red", "right")])
def test_own_feet_tell_team_number_and_side(team, side):
    made = converter(transport="replay")
    what = seen(team, 7, FEET)
    assert players(made, what) == []
    assert message(what, "game_state", converter(transport="replay")).own_side == side


def test_feet_of_others_and_feet_in_a_game_that_is_played_tell_nothing():
    replayed, played = converter(transport="replay"), converter()
    assert players(replayed, seen("red", 7, BEFORE_ME)) == ["player_red_7"]
    assert message(seen("red", 7, BEFORE_ME), "game_state", converter(transport="replay")).own_side == ""
    assert players(played, seen("red", 7, FEET)) == ["player_red_7"]


@pytest.mark.parametrize(
    ("game", "side"),
    [
        (replace(GAME, team_left="blue", team_right=""), "left"),
        (THEIRS, ""),
        (replace(GAME, team_left="them", team_right="us"), "right"),
    ],
    ids=["one team", "two others", "as the parameter says"],
)
def test_game_of_one_team_is_one_of_that_team(game, side):
    what = percept(game_state=game)
    assert message(what, "game_state", converter(transport="replay")).own_side == side


def test_next_replay_begins_as_the_parameters_say():
    made = converter(transport="replay")
    message(seen("red", 7, FEET), "game_state", made)
    made.handshake()
    assert players(made, seen("red", 7, BEFORE_ME)) == ["player_red_7"]
