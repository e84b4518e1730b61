# SPDX-License-Identifier: Apache-2.0
"""The Nao as a body: on the stand-in it does what its files say, and plays with the ball."""

import math

import pytest
import yaml
from nao_stage import ROOT, Nao

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.skill_info import EMOTIONS as USUAL
from embodiment_bridge.protocols.simspark.robots import ROBOTS
from embodiment_bridge.standins.simspark.anatomy import anatomy_of, poses
from embodiment_bridge.standins.simspark.world import BALL_RADIUS
from embodiment_bridge.urdf import link_pose, read_urdf

BODY = read_body(ROOT / "config/bodies/nao.yaml")
URDFS = {"nao": "nao", "nao1": "nao1", "nao2": "nao", "nao3": "nao3", "nao4": "nao_toe"}  # by robot


def test_body_has_the_joints_of_the_robot_inside_of_its_stops():
    real = {joint.name: joint for joint in ROBOTS["nao"].joints}
    assert [joint.name for joint in BODY.joints] == list(real)
    for joint in BODY.joints:
        assert math.radians(real[joint.name].min_deg) < joint.lower, joint.name
        assert joint.upper < math.radians(real[joint.name].max_deg), joint.name
        assert joint.velocity <= math.radians(351.77)


def test_body_has_every_skill_of_the_t1_but_emotions_that_are_not_usual():
    path = ROOT / "config/bodies/t1.yaml"
    of_its_own = set(yaml.safe_load(path.read_text())["emotions"]) - set(USUAL)
    assert set(read_body(path).skills) - of_its_own - set(BODY.skills) == set()


PLACES = {
    "camera_link": "head",
    "l_elbow": "lelbow",
    "r_ankle": "rankle",
    "l_ankle": "lankle",
    "r_sole": "rfoot",
    "l_sole": "lfoot",
}


@pytest.mark.parametrize(
    ("robot", "link"),
    [  # the soles with toes are shorter, and the stand-in has no toes
        (robot, link) for robot in URDFS for link in PLACES if robot != "nao4" or not link.endswith("sole")
    ],
)
def test_description_has_the_parts_where_the_stand_in_has_them(robot, link):
    angles = {
        joint.name: 0.4 * joint.min_deg + 0.2 * joint.max_deg + 3.0 * number
        for number, joint in enumerate(ROBOTS[robot].joints)
    }
    found = link_pose(
        read_urdf(ROOT / f"urdf/{URDFS[robot]}.urdf"),
        {name: math.radians(angle) for name, angle in angles.items()},
        link,
        "base_link",
    ).xyz
    x, y, z = poses(angles, parts=anatomy_of(ROBOTS[robot].type))[PLACES[link]].place
    assert found == pytest.approx((y, -x, z), abs=1e-6)


def test_stands_in_its_rest_pose_after_it_has_joined():
    nao = Nao().run(3.0)
    rest = [joint.rest for joint in BODY.joints]
    assert nao.state.position == pytest.approx(rest, abs=2e-3)
    assert nao.runner.status == "standing"
    assert nao.player.on_ground == ("rfoot", "lfoot")


@pytest.mark.parametrize("name", [name for name, skill in BODY.skills.items() if skill.kind == "motion"])
def test_motion_ends_as_it_should(name):
    nao = Nao().run(2.5)
    report, seconds = nao.do(name)
    skill = BODY.skills[name]
    expected = "SUCCEEDED" if BODY.available(skill) else "SKIPPED"
    assert report.status.name == expected, report.reason
    assert seconds <= skill.nominal_s + 0.3


EMOTIONS = yaml.safe_load((ROOT / "config/bodies/nao.yaml").read_text())["emotions"]


@pytest.mark.parametrize("name", EMOTIONS)
def test_emotion_is_a_posture_and_no_light_is_missed(name):
    nao = Nao().run(2.5)
    report, seconds = nao.do(name)
    assert (report.status.name, seconds) == ("SUCCEEDED", pytest.approx(0.8, abs=0.1)), report.reason
    nao.run(0.3)
    angles = dict(zip([joint.name for joint in BODY.joints], nao.state.position, strict=True))
    pose = EMOTIONS[name]["pose"]
    assert {joint: angles[joint] for joint in pose} == pytest.approx(pose, abs=0.02)
    assert nao.player.on_ground == ("rfoot", "lfoot")
    assert nao.runner.lights.shown["eyes"].color == pytest.approx(EMOTIONS[name]["light"]["color"])


@pytest.mark.parametrize(
    ("name", "parameters", "way", "turn"),
    [
        ("step_forward", {"distance": 0.5}, (0.5, 0.0), 0.0),
        ("step_backward", {"distance": 0.3}, (-0.3, 0.0), 0.0),
        ("step_left", {"distance": 0.3}, (0.0, 0.3), 0.0),
        ("step_right", {"distance": 0.3}, (0.0, -0.3), 0.0),
        ("turn_left", {"angle": 1.0}, (0.0, 0.0), 1.0),
        ("turn_right", {"angle": 1.0}, (0.0, 0.0), -1.0),
        ("walk", {"duration": 4.0, "speed": 0.0, "turn": 0.5}, (0.0, 0.0), 1.9),
    ],
)
def test_walk_goes_where_it_is_told(name, parameters, way, turn):
    nao = Nao().run(2.5)
    x, y, _ = nao.player.place
    yaw = nao.player.yaw
    report, _ = nao.do(name, **parameters)
    assert report.status.name == "SUCCEEDED", report.reason
    dx, dy = nao.player.place[0] - x, nao.player.place[1] - y
    ahead, left = dx * math.cos(yaw) + dy * math.sin(yaw), dy * math.cos(yaw) - dx * math.sin(yaw)
    assert (ahead, left) == pytest.approx(way, abs=0.08)
    assert nao.player.yaw - yaw == pytest.approx(turn, abs=0.12)


def test_walks_without_knowing_where_it_is_by_what_it_commands():
    nao = Nao(robot_description_file="").run(2.5)
    x = nao.player.place[0]
    report, _ = nao.do("step_forward", distance=0.5)
    assert report.status.name == "SUCCEEDED", report.reason
    assert nao.player.place[0] - x == pytest.approx(0.5, abs=0.1)


def test_joints_never_leave_their_range_or_stand_still_at_a_stop():
    nao = Nao().run(2.0)
    nao.runner.drive(["hj1"], {"position": [2.07]})
    limits = {joint.name: joint for joint in ROBOTS["nao"].joints}
    for _ in range(100):
        nao.runner.drive(["hj1", "laj2"], {"position": [2.07, 0.0]})
        nao.cycle()
        for name, angle in nao.player.angles.items():
            assert limits[name].min_deg <= angle <= limits[name].max_deg, name
    assert nao.player.angles["hj1"] == pytest.approx(math.degrees(2.07), abs=0.2)


def test_toes_turn_with_their_own_body_file():
    nao = Nao(robot="nao4", body="nao_toe.yaml").run(2.5)
    assert [joint.name for joint in nao.body.joints] == [joint.name for joint in ROBOTS["nao4"].joints]
    for _ in range(50):
        nao.runner.drive(["llj7"], {"position": [0.5]})
        nao.cycle()
    assert nao.player.angles["llj7"] == pytest.approx(math.degrees(0.5), abs=0.5)
    assert nao.player.angles["rlj7"] == 0.0
    assert nao.state.has_base
    report, _ = nao.do("step_forward", distance=0.2)
    assert report.status.name == "SUCCEEDED"


def test_type_4_is_driven_with_its_toes_still():
    nao = Nao(robot="nao4").run(2.5)
    assert nao.state is not None
    assert nao.player.angles["llj7"] == 0.0
    assert {"force/lf1", "force/rf1"} <= nao.topics()


@pytest.mark.parametrize("robot", URDFS)
def test_each_type_walks_a_metre(robot):
    nao = Nao(robot=robot, body="nao_toe.yaml" if robot == "nao4" else "nao.yaml").run(2.5)
    x, y, _ = nao.player.place
    report, _ = nao.do("walk", distance=1.0)
    assert report.status.name == "SUCCEEDED", report.reason
    assert math.dist((x, y), nao.player.place[:2]) == pytest.approx(1.0, abs=0.15)
    assert nao.state.base_position == pytest.approx(nao.player.place, abs=0.05)


def test_ankles_of_type_2_have_speeds_of_their_own():
    nao = Nao(robot="nao2").run(2.5)
    nao.player.drive("rle5", 20.0)
    nao.player.drive("rle6", 20.0)
    assert (nao.player.speeds["rlj5"], nao.player.speeds["rlj6"]) == pytest.approx(
        (8.80667, 3.47234), abs=1e-3
    )


def player(x=-3.0, y=0.0, yaw=0.0):
    """A Nao that stands there while the game goes on."""
    nao = Nao().run(2.0)
    nao.world.game.play_mode = "PlayOn"
    nao.player.put((x, y, 0.37), yaw)
    return nao.run(1.5)


def rolled(nao, ball):
    """How far (m) the ball is from where it was, and in which direction (rad)."""
    dx, dy = nao.world.ball.place[0] - ball[0], nao.world.ball.place[1] - ball[1]
    return math.hypot(dx, dy), math.atan2(dy, dx)


def test_ball_lies_still_before_feet_that_do_not_touch_it():
    nao = player()
    nao.world.ball.place = (-2.8, 0.05, BALL_RADIUS)
    nao.run(0.5)
    assert nao.world.ball.place == (-2.8, 0.05, BALL_RADIUS)


def test_feet_that_walk_push_the_ball_on():
    nao = player()
    nao.world.ball.place = (-2.5, 0.05, BALL_RADIUS)
    nao.do("walk", distance=0.5)
    way, direction = rolled(nao, (-2.5, 0.05))
    assert way > 0.1
    assert abs(direction) < 1.0


def test_ball_that_rolls_faster_than_a_foot_goes_on():
    nao = player()
    nao.world.ball.place, nao.world.ball.speed = (-2.84, 0.055, BALL_RADIUS), (2.0, 0.0, 0.0)
    nao.run(0.2)
    assert nao.world.ball.speed[0] > 1.5


def test_robot_that_is_put_beside_the_ball_does_not_shoot_it():
    nao = player(x=-3.2)
    nao.world.ball.place = (-2.8, 0.05, BALL_RADIUS)
    nao.run(0.1)
    nao.player.put((-2.92, 0.0, 0.37), 0.0)
    nao.run(0.04)
    assert math.hypot(*nao.world.ball.speed) < 1.0
    assert nao.world.ball.place[0] > -2.8  # it gave way


@pytest.mark.parametrize(("beside", "direction"), [(0.1, 0.0), (-0.1, 0.0), (0.0, 1.2), (0.05, -0.8)])
def test_kick_goes_behind_the_ball_and_kicks_it_in_the_direction_that_was_asked(beside, direction):
    nao = player()
    ball = -2.2, beside
    nao.world.ball.place = (*ball, BALL_RADIUS)
    nao.run(0.3)
    report, _ = nao.do("kick", 60.0, direction=direction)
    assert report.status.name == "SUCCEEDED", report.reason
    nao.run(3.0)
    way, found = rolled(nao, ball)
    assert way > 1.0
    assert math.remainder(found - direction, 2 * math.pi) == pytest.approx(0.0, abs=0.35)
    assert nao.runner.status == "standing"
