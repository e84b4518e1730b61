# SPDX-License-Identifier: Apache-2.0
"""The server that follows on 0.2.1: landmarks with a letter for a name, teams with a number, PiPlus."""

import gzip
import math
from dataclasses import replace
from pathlib import Path

import pytest
from percept_stage import GAME, STAMP, converter, percept

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.link.session import LinkStatus, Phase
from embodiment_bridge.nodes.base.session_report import session_diagnostics
from embodiment_bridge.nodes.body.agent_bridge import BodyAgent
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.convert import BodyMap
from embodiment_bridge.protocols.rcsssmj.events import (
    AgentDetection,
    Percept,
    PointDetection,
    Position,
    Vision,
)
from embodiment_bridge.protocols.rcsssmj.field import FIELDS, SEVEN, FieldFinder
from embodiment_bridge.protocols.rcsssmj.percept_reader import Dialect, PerceptReader
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS
from embodiment_bridge.protocols.soccer.convert import sight
from embodiment_bridge.wire.codec import Unknown
from embodiment_bridge.wire.framing import Framer, frame

ROOT = Path(__file__).parents[3]
DATA = ROOT / "test/data/rcsssmj"
PLAYERS = {
    "player_bridge_3": (-3.0, -1.5),
    "player_redside_4": (1.5, 2.5),
    "player_redside_10": (9.0, -4.0),
}


def stream(name):
    return gzip.decompress((DATA / name).read_bytes())


def seen_by(made, percepts):
    """The entities of the latest picture, by id."""
    found = {}
    for one in percepts:
        for topic, message in made.messages(Cycle(one, made.body_state(one)), STAMP):
            if topic == "entities":
                found = {entity.id: entity for entity in message.entities}
    return found


def test_a_recording_is_read_whole_and_tells_its_dialect():
    codec = Codec()
    percepts = codec.feed(stream("master_t1.bin.gz"))
    assert codec.dialect == "master"
    assert len(percepts) == 240
    assert {type(one) for one in percepts} == {Percept}
    reader = PerceptReader(Dialect("master"))
    for found in Framer().feed(stream("master_t1.bin.gz")):
        fields = reader.quick(found.payload.decode())
        assert [reader.percept(0, fields)] == PerceptReader(Dialect("master")).read_lists(0, found.payload)


def test_things_of_a_recording_have_their_names_and_are_where_they_are():
    made = converter(team="bridge", number=2)
    things = seen_by(made, Codec().feed(stream("master_t1.bin.gz")))
    for id_, place in PLAYERS.items():
        at = things[id_].pose.position
        assert math.dist((at.x, at.y), place) < 0.8, id_  # the head turns at up to 190 deg/s
    at = things["ball"].pose.position
    assert math.dist((at.x, at.y), (-2.0, 0.5)) < 0.3
    assert [item.key for item in things["ball"].properties] == ["spread"]
    landmarks = {id_: thing for id_, thing in things.items() if thing.kind == "landmark"}
    assert len(landmarks) > 15
    for id_, thing in landmarks.items():
        at = thing.pose.position
        assert math.dist((at.x, at.y, at.z), SEVEN[id_.removeprefix("landmark_")]) < 2.0, id_
    at = things["goal"].pose.position
    assert math.dist((at.x, at.y), (27.5, 0.0)) < 1.5
    assert {thing.kind for thing in things.values()} <= {"landmark", "player", "ball", "goal"}


@pytest.mark.parametrize("field", FIELDS)
def test_the_field_is_found_by_its_landmarks(field):
    finder = FieldFinder(pytest.fail)
    for _ in range(20):
        named = {
            name: finder.name(name[0].upper(), (x + 0.05, y, z), 3.0)
            for name, (x, y, z) in FIELDS[field].items()
        }
    assert all(name == found for name, found in named.items())


def test_a_landmark_taken_for_another_kind_has_no_name_and_a_strange_field_is_told():
    told = []
    finder = FieldFinder(told.append)
    assert finder.name("T", SEVEN["l_luf"], 10.0) == ""
    assert finder.name("Q", SEVEN["l_luf"], 10.0) == finder.name("l_luf", SEVEN["l_luf"], 10.0) == ""
    for step in range(300):
        finder.name("L", (0.1 * step, 3.0, 0.0), 5.0)
    assert "most landmarks are where no field" in told[0]


class Interface:
    queue = None


def test_landmarks_that_nobody_knows_are_counted_and_said_once():
    """Also in 0.2.1: a stream whose landmarks are all unknown is not fine."""
    payload = b"(time (now 4.02))(See (q_luf (pol 3 1 2))( new  (pol 4 1 2) )(B (pol 1 2 3)))"
    codec, told, counters = Codec(), [], Counters()
    agent = BodyAgent(converter(), Interface(), told.append)
    for _ in range(20):
        read, *strange = codec.feed(frame(payload))
        assert isinstance(read, Percept)
        assert [one.raw for one in strange] == [b"( new  (pol 4 1 2) )", b"(q_luf (pol 3 1 2))"]
        for event in strange:
            agent.perceive(event)
        counters.events += 3
        counters.unknown += 2
    assert len(told) == 2
    assert "(q_luf (pol 3 1 2))" in told[1]
    level, text, _ = session_diagnostics(LinkStatus(Phase.READY, "tcp://server"), counters)
    assert level == b"\x01"
    assert "40 of 60 events have no meaning here" in text


def test_a_dialect_that_was_told_does_not_change():
    codec = Codec(dialect="0.2.1")
    read, *strange = codec.feed(frame(b"(See (L (pol 1 2 3)))"))
    assert (codec.dialect, read.vision.letters) == ("0.2.1", False)
    assert strange == [Unknown(0, b"(L (pol 1 2 3))")]
    assert Codec(dialect="master").feed(frame(b"(See (B (pol 1 2 3)))"))[0].vision.letters


def test_names_of_landmarks_are_those_of_the_frame_of_the_team():
    """A player of the right team has its own corner where one of the left team has it; three pictures agree on it."""
    near = {"positions": (Position("torso_pos", 20.0, -18.0, 0.6),)}
    seen = Vision((PointDetection("L", 7.5, 0.0, -5.0),), (), letters=True)  # the corner l_rlf of map
    game = replace(GAME, team_left="them", team_right="us")
    percepts = [
        replace(percept(vision=seen, game_state=game), time_s=4.0 + 0.2 * i, **near) for i in range(3)
    ]
    assert {*seen_by(converter(team_frame=True), percepts)} == {"landmark_l_luf"}
    assert {*seen_by(converter(), percepts)} == {"landmark_l_rlf"}


def test_a_piplus_is_sensed():
    codec = Codec()
    percepts = codec.feed(stream("master_piplus.bin.gz"))
    assert len(percepts) == 20
    body = read_body(ROOT / "config/bodies/piplus.yaml")
    state = BodyMap(ROBOTS["PiPlus"], body).state(percepts[-1])
    assert tuple(percepts[-1].joints.names) == tuple(joint.perceptor for joint in ROBOTS["PiPlus"].joints)
    rest = dict(zip([joint.name for joint in body.joints], state.position, strict=True))
    assert rest["l_calf_joint"] == pytest.approx(0.6, abs=0.1)
    assert state.base_position[2] == pytest.approx(0.36, abs=0.02)


@pytest.mark.parametrize("letters", [False, True])
def test_a_p_without_team_is_a_player_or_a_place_with_that_letter(letters) -> None:
    bare = PointDetection("P", 5.0, 0.0, 0.0)
    ours = AgentDetection("Red", 1, (bare,))
    seen = sight(
        (PointDetection("B", 1.0, 0.0, 0.0), bare), (ours, AgentDetection("", -1, (bare,))), letters=letters
    )
    assert [point.name for point in seen.points] == (["B", "P", "P"] if letters else ["B"])
    nameless = [] if letters else [("", -1), ("", -1)]
    assert [(agent.team, agent.number) for agent in seen.agents] == [("Red", 1), *nameless]
