# SPDX-License-Identifier: Apache-2.0
"""What recorded robots saw, brought into the map, stands where the field has it."""

import math
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time

from embodiment_bridge.core.rotation import RAD_PER_DEG
from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.convert import base_pose
from embodiment_bridge.protocols.rcsssmj.field import FIFA, SEVEN
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS, TorsoSensors
from embodiment_bridge.protocols.soccer.convert import sight
from embodiment_bridge.scene.entities import EntityMemory
from embodiment_bridge.scene.messages import entity_array
from embodiment_bridge.scene.sight import Camera
from embodiment_bridge.scene.soccer import Player, sightings
from embodiment_bridge.urdf import read_urdf

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "data/rcsssmj"
URDF = HERE.parents[2] / "urdf"
LONG = HERE.parents[3] / "shared/data/rcsssmj/agent_t1_blue1.bin"
needs_long = pytest.mark.skipif(not LONG.exists(), reason="the long recording is not here")

RECORDINGS = [
    pytest.param(DATA / "short_agent_t1.bin", "T1", 400, id="T1"),
    pytest.param(DATA / "agent_k1_3.bin", "K1", 600, id="K1"),
    pytest.param(DATA / "agent_ant.bin", "ant", 400, id="ant"),
    pytest.param(LONG, "T1", 2500, id="long T1", marks=needs_long),
]


def sightings_of(path, robot_name):
    """(sighting, distance from the camera) of all pictures of a recording."""
    robot = ROBOTS[robot_name]
    camera = Camera(read_urdf(URDF / f"{robot_name.lower()}.urdf"), [joint.joint for joint in robot.joints])
    for percept in Codec().feed(path.read_bytes()):
        if percept.vision is not None:
            eye = camera.pose(
                base_pose(percept, TorsoSensors()),
                [angle * RAD_PER_DEG for angle in percept.joints.positions_deg],
            )
            for thing in sightings(
                sight(percept.vision.points, percept.vision.agents), eye, Player("nobody", 1), 0.22
            ):
                yield thing, math.dist(thing.position, eye.position)


@pytest.mark.parametrize(("path", "robot", "least"), RECORDINGS)
def test_landmarks_are_where_the_field_has_them(path, robot, least):
    errors, shares = [], []
    for thing, distance in sightings_of(path, robot):
        if thing.kind == "landmark":
            name = dict(thing.properties)["name"]
            errors.append(math.dist(thing.position, SEVEN[name]))
            shares.append(errors[-1] / distance)
    assert len(errors) > least
    assert (
        max(errors) < 0.08
    )  # m, at up to 52 m: the server cuts angles to 0.01 degrees and quaternions to 0.001
    assert max(shares) < 0.0025
    assert sorted(errors)[len(errors) // 2] < 0.035


@pytest.mark.parametrize(("path", "robot", "least"), RECORDINGS[:1])
def test_ball_lies_in_the_centre(path, robot, least):
    places = [thing.position for thing, _ in sightings_of(path, robot) if thing.kind == "ball"]
    assert len(places) > 10
    assert max(math.dist(place, (0.0, 0.0, 0.11)) for place in places) < 0.05


@needs_long
def test_the_other_player_is_a_box_round_what_is_seen():
    """Number 1 of the right team stands near the centre spot; later it lies where robots appear, beside the field."""
    players = [thing for thing, _ in sightings_of(LONG, "T1") if thing.kind == "player"]
    assert {player.id for player in players} == {"player_teamRed_1"}
    x, y, z = players[0].position
    assert (x, y) == pytest.approx((1.13, 0.0), abs=0.05)
    assert players[0].size == pytest.approx((0.3, 0.3, 1.08), abs=0.05)
    assert z == players[0].size[2] / 2
    x, y, _ = players[-1].position
    assert math.dist((x, y), (3.0, 21.0)) < 1.2
    assert players[-1].size[2] < 0.3 < players[-1].size[1]


def test_entities_know_when_they_were_seen():
    memory = EntityMemory(1.0)
    pictures = {}
    for i, (thing, _) in enumerate(sightings_of(DATA / "short_agent_t1.bin", "T1")):
        pictures.setdefault(i // 10, []).append(thing)
    for second, things in list(pictures.items())[:3]:
        known = memory.look(things, float(second), Time(sec=second))
        message = entity_array(known, Time(sec=second), "map")
    assert {entity.seen.sec for entity in message.entities} <= {1, 2}
    assert all((entity.seen.sec == 2) == entity.visible for entity in message.entities)


def test_the_table_has_all_landmarks_of_the_server():
    assert len(SEVEN) == len(FIFA) == 30
    assert SEVEN["l_luf"] == (-27.5, 18.0, 0.0)
    assert SEVEN["g_rlp"] == (27.5, -1.83, 1.83)
    assert SEVEN["t_llpa"] == (-27.5, -16.5, 0.0)
    assert FIFA["l_ruga"] == (47.0, 18.32, 0.0)
    assert FIFA["p_lpm"] == (-41.5, 0.0, 0.0)
