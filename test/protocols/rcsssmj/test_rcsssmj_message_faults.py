# SPDX-License-Identifier: Apache-2.0
"""Percepts that are too large, not finite or impossible make messages all the same, without what is wrong."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from percept_stage import BALL, GAME, NAMES, PLACE, UPRIGHT, converter, messages, percept

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
from embodiment_bridge.protocols.soccer.convert import MAX_AGENTS, MAX_PARTS, MAX_POINTS


def test_pictures_of_too_much_are_cut():
    points = tuple(PointDetection(f"m{i}", 1.0, 0.0, 0.0) for i in range(1000))
    agents = tuple(AgentDetection("them", i, points) for i in range(1000))
    made = dict(messages(percept(vision=Vision(points, agents))))
    assert len(made["vision"].points) == MAX_POINTS
    assert len(made["vision"].agents) == MAX_AGENTS
    assert len(made["vision"].agents[0].parts) == MAX_PARTS
    assert len(made["entities"].entities) <= 200


def test_numbers_beyond_32_bits_do_not_wrap():
    agents = (AgentDetection("them", 2**31, (BALL,)), AgentDetection("them", -(10**17), (BALL,)))
    game = replace(GAME, score_left=2**31, score_right=-(10**17))
    made = dict(messages(percept(game_state=game, vision=Vision((), agents))))
    assert (made["game_state"].score_left, made["game_state"].score_right) == (2**31 - 1, -(2**31))
    assert [agent.number for agent in made["vision"].agents] == [-1, -1]


BAD = (math.nan, math.inf, -math.inf, 1.7e308)


@pytest.mark.parametrize("bad", BAD)
def test_detections_that_are_nowhere_are_left_out_and_the_others_stay(bad):
    points = (replace(BALL, name="x", azimuth_deg=bad), BALL, replace(BALL, name="y", distance_m=bad))
    head = replace(BALL, name="head", elevation_deg=bad)
    made = dict(messages(percept(vision=Vision(points, (AgentDetection("them", 7, (head,)),)))))
    finite = math.isfinite(bad)
    assert [p.name for p in made["vision"].points] == (["x", "B", "y"] if finite else ["B"])
    assert ("ball" in [e.id for e in made["entities"].entities]) is True
    assert len(made["vision"].agents[0].parts) == finite
    for entity in made["entities"].entities:
        place = entity.pose.position
        assert math.isfinite(place.x + place.y + place.z)


@pytest.mark.parametrize("bad", BAD[:3])
@pytest.mark.parametrize("field", ["x_m", "y_m", "z_m", "w", "x", "y", "z"])
def test_a_base_that_is_nowhere_gives_no_pose_and_no_entities(field, bad):
    event = percept(vision=Vision((BALL,), ()))
    if field.endswith("_m"):
        event = replace(event, positions=(replace(PLACE[0], **{field: bad}),))
    else:
        event = replace(event, orientations=(replace(UPRIGHT[0], **{field: bad}),))
    made = converter()
    state = made.body_state(event)
    assert state.has_base is False
    assert state.has_tilt is field.endswith("_m")
    assert set(dict(messages(event, made))) == {"joint_states", "vision"}


@pytest.mark.parametrize("time", [math.nan, math.inf, -math.inf, -0.02, 2.0**31])
def test_an_impossible_time_is_no_state(time):
    made = converter()
    event = replace(percept(vision=Vision((BALL,), ())), time_s=time)
    assert made.body_state(event) is None
    assert set(dict(messages(event, made))) == {"vision"}


NUMBERS = st.floats() | st.sampled_from(BAD)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
POINTS = st.builds(PointDetection, WORDS | st.just("B"), NUMBERS, NUMBERS, NUMBERS)


@settings(max_examples=150, deadline=None)
@given(
    st.builds(
        Percept,
        st.just(0),
        time_s=NUMBERS,
        game_state=st.builds(GameState, NUMBERS, WORDS, WORDS, WORDS, st.integers(), st.integers()),
        orientations=st.tuples(st.builds(Orientation, WORDS, NUMBERS, NUMBERS, NUMBERS, NUMBERS)),
        positions=st.tuples(st.builds(Position, WORDS, NUMBERS, NUMBERS, NUMBERS)),
        gyros=st.tuples(st.builds(Gyro, WORDS, NUMBERS, NUMBERS, NUMBERS)),
        accelerometers=st.tuples(st.builds(Accelerometer, WORDS, NUMBERS, NUMBERS, NUMBERS)),
        joints=st.builds(
            Joints,
            st.just(NAMES),
            st.lists(NUMBERS, min_size=23, max_size=23).map(tuple),
            st.lists(NUMBERS, min_size=23, max_size=23).map(tuple),
        ),
        touches=st.lists(st.builds(Touch, WORDS, st.integers()), max_size=2).map(tuple),
        microphones=st.tuples(
            st.builds(Microphone, WORDS, st.tuples(st.builds(Heard, NUMBERS, st.binary(max_size=5))))
        ),
        vision=st.builds(
            Vision,
            st.lists(POINTS, max_size=3).map(tuple),
            st.tuples(st.builds(AgentDetection, WORDS, st.integers(), st.tuples(POINTS))),
        ),
    )
)
def test_whatever_comes_can_be_published(event):
    for topic, one in messages(event):
        if topic == "entities":
            places = [entity.pose.position for entity in one.entities]
            assert all(math.isfinite(place.x + place.y + place.z) for place in places)
        if topic == "pose":
            place, turn = one.pose.position, one.pose.orientation
            assert math.isfinite(place.x + place.y + place.z + turn.x + turn.y + turn.z + turn.w)
