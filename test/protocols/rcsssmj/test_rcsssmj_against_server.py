# SPDX-License-Identifier: Apache-2.0
"""What the server's own package writes, read by us, and what we write, read by it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.commands import Beam, Frame, Init, Motor, Say, Syn
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
from embodiment_bridge.protocols.rcsssmj.percept_reader import Dialect
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS
from embodiment_bridge.wire.framing import Framer, frame

server = pytest.importorskip("rcsssmj.sim.perceptions")
soccer = pytest.importorskip("rcsssmj.games.soccer.sim.soccer_perceptions")
parsers = pytest.importorskip("rcsssmj.games.soccer.server.soccer_action_parser")

WORDS = st.text(
    st.characters(exclude_characters=" \t\n\r\f\v()", exclude_categories=["Cs"]), min_size=1, max_size=8
)
NUMBERS = st.floats(allow_nan=False)
SCORES = st.integers(0, 10**6)
DISTANCES = st.floats(0, 200)


@st.composite
def point_detections(draw):
    name, distance, azimuth, elevation = draw(st.tuples(WORDS, DISTANCES, NUMBERS, NUMBERS))
    return (
        server.ObjectDetection(name, azimuth, elevation, distance),
        PointDetection(name, distance, azimuth, elevation),
    )


@st.composite
def agent_detections(draw):
    team, number = draw(WORDS), draw(st.integers(0, 99))
    body = draw(st.lists(point_detections(), max_size=3))
    return (
        server.AgentDetection("P", team, number, [theirs for theirs, _ in body]),
        AgentDetection(team, number, tuple(ours for _, ours in body)),
    )


@st.composite
def joint_sets(draw):
    joints = draw(st.lists(st.tuples(WORDS, NUMBERS, NUMBERS), min_size=1, max_size=4))
    names, positions, velocities = zip(*joints, strict=True)
    return server.JointStatePerception(names, positions, velocities), Joints(names, positions, velocities)


def pairs(theirs, ours, *arguments):
    """The same arguments as a perception of the server and as an event of ours."""
    return st.tuples(*arguments).map(lambda drawn: (theirs(*drawn), ours(*drawn)))


@st.composite
def percepts(draw):
    """A list of the server's perceptions, and the percept that it should be."""
    time = draw(NUMBERS)
    vector = (WORDS, NUMBERS, NUMBERS, NUMBERS)
    team = st.none() | WORDS
    states = pairs(soccer.GameStatePerception, GameState, NUMBERS, WORDS, team, team, SCORES, SCORES)
    state = draw(states)
    quat = draw(pairs(server.OrientationPerception, Orientation, *vector, NUMBERS))
    pos = draw(pairs(server.PositionPerception, Position, *vector))
    gyro = draw(pairs(server.GyroPerception, Gyro, *vector))
    acc = draw(pairs(server.AccelerometerPerception, Accelerometer, *vector))
    touch = draw(pairs(server.TouchPerception, Touch, WORDS, st.integers(0, 1)))
    joints = draw(joint_sets())
    points = draw(st.lists(point_detections(), max_size=4))
    agents = draw(st.lists(agent_detections(), max_size=3))
    said = draw(st.lists(st.tuples(st.integers(-180, 180), st.binary(min_size=1, max_size=10)), max_size=3))
    perceptions = [server.TimePerception("now", time), state[0], quat[0], pos[0], gyro[0], acc[0], joints[0]]
    if draw(st.booleans()):
        perceptions.insert(5, touch[0])
    else:
        touch = None
    perceptions += [
        server.MicrophonePerception(
            "hear", [azimuth for azimuth, _ in said], [message for _, message in said]
        ),
        server.VisionPerception("See", [theirs for theirs, _ in (*points, *agents)]),
    ]
    return perceptions, Percept(
        0,
        time,
        state[1],
        (quat[1],),
        (pos[1],),
        (gyro[1],),
        (acc[1],),
        joints[1],
        (touch[1],) if touch else (),
        (Microphone("hear", tuple(Heard(*heard) for heard in said)),),
        Vision(tuple(ours for _, ours in points), tuple(ours for _, ours in agents)),
    )


@given(percepts())
def test_percepts_of_the_server_are_read(case):
    perceptions, expected = case
    data = frame("".join(perception.to_sexp() for perception in perceptions).encode())
    codec = Codec(dialect="0.2.1")
    read, *strange = codec.feed(data)
    assert read == expected
    named = {point.name for point in expected.vision.points}
    assert len(strange) == len(named - Dialect("0.2.1").names)
    again = codec.feed(data)[0]  # now by patterns, where there is no touch sensor
    assert (again.joints, again.vision, again.gyros) == (expected.joints, expected.vision, expected.gyros)


@given(joint_sets())
def test_the_other_form_of_joints_is_read(case):
    theirs, ours = case
    assert Codec().feed(frame(theirs.to_sexp2().encode())) == [Percept(0, joints=ours)]


def payload(command):
    (found,) = Framer().feed(Codec().encode(command))
    return found.payload


FINITE = st.floats(-1e6, 1e6)
MOTORS = st.builds(Motor, st.sampled_from(ROBOTS["T1"].effectors), FINITE, FINITE, FINITE, FINITE, FINITE)


def close(value):
    return pytest.approx(value, rel=1e-6)


@given(
    st.lists(MOTORS, unique_by=lambda motor: motor.name, max_size=23),
    FINITE,
    st.binary(min_size=1, max_size=10),
)
def test_the_server_obeys_every_action_of_a_frame(motors, number, message):
    actions = (*motors, Beam(number, 2.0, 90.0), Say(50, message), Syn())
    obeyed = parsers.SoccerActionParser().parse_action(payload(Frame(actions)), "p-")
    *turns, beam, say = obeyed
    assert [turn.actuator_name for turn in turns] == ["p-" + motor.name for motor in motors]
    for turn, motor in zip(turns, motors, strict=True):
        assert math.degrees(turn.q) == close(motor.q_deg)
        assert math.degrees(turn.dq) == close(motor.dq_deg_s)
        assert (turn.kp, turn.kd, turn.tau) == (close(motor.kp), close(motor.kd), close(motor.tau_nm))
    assert beam.actuator_name == "p-beam"
    assert beam.target_pose == (close(number), 2.0, close(math.pi / 2))
    assert (say.actuator_name, say.volume, say.message) == ("p-say", 0.5, message)


@given(st.sampled_from(list(ROBOTS)), WORDS.filter(str.isprintable), st.integers(0, 99))
def test_the_server_understands_every_init(model, team, number):
    request = parsers.SoccerActionParser().parse_init(payload(Init(model, team, number)))
    assert (request.model_name, request.team_name, request.player_no) == (model, team, number)
