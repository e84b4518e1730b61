# SPDX-License-Identifier: Apache-2.0
"""Units, signs and frames of what a Nao tells ROS, and what ROS asks of it; the same for both sides."""

import math

import pytest
from embodiment_bridge.srv import Beam
from nao_stage import ROOT, STAMP, Nao
from std_msgs.msg import String
from std_srvs.srv import Trigger

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.simspark.convert import mirrored
from embodiment_bridge.wire.framing import frame

JOINED = "(time (now 1.00))(GS (unum 2) (team {side}) (sl 3) (sr 4) (t 5.5) (pm PlayOn))"


def told(text, side="left", joints=True, **parameters):
    """What a joined player is told by the lists in ``text``."""
    nao = Nao(**parameters)
    hinges = "".join(f"(HJ (n {joint.name}) (ax 0))" for joint in nao.body.joints) if joints else ""
    (event,) = nao.codec.feed(frame((JOINED.format(side=side) + hinges + text).encode()))
    state = nao.converter.body_state(event)
    return dict(nao.converter.messages(Cycle(event, state), STAMP)) if state else None


def xyz(vector):
    return vector.x, vector.y, vector.z


def test_joint_angles_are_rad_and_keep_name_and_sign():
    nao = Nao().run(0.2)
    nao.player.angles["laj3"] = -90.0
    nao.cycle()
    message = nao.last("joint_states")
    assert dict(zip(message.name, message.position, strict=True))["laj3"] == pytest.approx(-math.pi / 2)
    assert list(message.name) == [joint.name for joint in nao.body.joints]


def test_joint_speeds_are_differences_of_angles():
    nao = Nao().run(2.0)
    before = nao.state.position[0]
    nao.player.angles["hj1"] = math.degrees(before) + 1.0
    nao.cycle()
    assert nao.state.velocity[0] == pytest.approx(math.radians(1.0) / 0.02, rel=0.1)


def test_imu_turns_right_forward_up_into_forward_left_up():
    message = told("(GYR (n torso) (rt 90 180 -90))(ACC (n torso) (a 1 2 9.81))")["imu"]
    assert xyz(message.angular_velocity) == pytest.approx((math.pi, -math.pi / 2, -math.pi / 2))
    assert xyz(message.linear_acceleration) == pytest.approx((2.0, -1.0, 9.81))
    assert message.header.frame_id == "imu_link"
    assert message.orientation_covariance[0] == -1.0


def test_force_of_a_foot_is_a_wrench_in_the_frame_of_its_sole():
    message = told("(FRP (n lf) (c 0.01 0.02 0) (f 0 0 10))")["force/lf"]
    assert xyz(message.wrench.force) == pytest.approx((0.0, 0.0, 10.0))
    assert xyz(message.wrench.torque) == pytest.approx((-0.1, -0.2, 0.0))
    assert message.header.frame_id == "l_sole"


def test_foot_that_leaves_the_ground_is_told_once_with_no_force():
    nao = Nao().run(1.0)
    nao.world.beam(nao.player, -3.0, 0.0, 0.0)
    nao.told.clear()
    nao.cycle()
    nao.cycle()
    assert [m.wrench.force.z for topic, m in nao.told if topic == "force/rf"] == [0.0]


def test_game_names_the_own_team_on_its_side():
    message = told("", side="right")["game_state"]
    assert (message.team_left, message.team_right) == ("", "bridge")
    assert (message.score_left, message.score_right, message.play_time) == (3, 4, 5.5)
    assert message.play_mode == "PlayOn"


def test_vision_has_points_players_and_lines_in_metres():
    text = "(See (B (pol 2 90 0)) (P (team x) (id 3) (head (pol 1 0 90))) (L (pol 1 0 0) (pol 2 -90 0)))"
    message = told(text)["vision"]
    assert xyz(message.points[0].position) == pytest.approx((0.0, 2.0, 0.0), abs=1e-9)
    assert message.agents[0].number == 3
    assert xyz(message.agents[0].parts[0].position) == pytest.approx((0.0, 0.0, 1.0), abs=1e-9)
    assert xyz(message.lines[0].start) == pytest.approx((1.0, 0.0, 0.0), abs=1e-9)
    assert xyz(message.lines[0].end) == pytest.approx((0.0, -2.0, 0.0), abs=1e-9)


@pytest.mark.parametrize(("side", "x", "yaw"), [("left", -1.2, 12.5), ("right", 1.2, -167.5)])
def test_place_that_is_told_is_turned_for_the_right_team(side, x, yaw):
    nao = Nao()
    hinges = "".join(f"(HJ (n {joint.name}) (ax 0))" for joint in nao.body.joints)
    see = "(See (mypos -1.20 0 0.515) (myorien 12.50))"  # of the head
    for text in (see, see.replace("1.00", "1.02")):
        full = JOINED.format(side=side).replace("1.00", "1.02" if nao.state else "1.00") + hinges + text
        (event,) = nao.codec.feed(frame(full.encode()))
        nao.state = nao.converter.body_state(event)
    assert nao.state.has_base
    assert nao.state.base_position == pytest.approx((x, 0.0, 0.36), abs=1e-6)
    assert math.degrees(nao.state.yaw) == pytest.approx(yaw)


@pytest.mark.parametrize("team_before", ["", "others"])
def test_place_that_is_told_is_that_of_the_head_wherever_it_looks(team_before):
    nao = Nao(true_pose=True)
    if team_before:
        nao.world.game.teams["left"] = team_before
    nao.run(1.0)
    nao.world.beam(nao.player, -4.0, 2.0, 30.0)
    nao.runner.follow(["hj1", "hj2"], [TrajectoryPoint(0.5, (1.0, -0.5))])
    nao.run(2.0)
    assert nao.state.base_position == pytest.approx(nao.player.place, abs=0.02)
    assert math.sin((nao.state.yaw - nao.player.yaw) / 2) == pytest.approx(0.0, abs=0.01)


def test_without_a_description_a_place_that_is_told_is_nobodys():
    nao = Nao(true_pose=True, robot_description_file="").run(2.0)
    assert not nao.state.has_base
    assert "pose" not in nao.topics()


@pytest.mark.parametrize("team_before", ["", "others"])
def test_place_is_found_by_landmarks_for_both_sides(team_before):
    nao = Nao()
    if team_before:
        nao.world.game.teams["left"] = team_before
    nao.run(1.0)
    nao.world.beam(nao.player, -4.0, 2.0, 30.0)
    nao.run(2.0)
    assert nao.player.side == ("right" if team_before else "left")
    assert nao.state.base_position == pytest.approx(nao.player.place, abs=0.03)
    turned = nao.state.yaw - nao.player.yaw
    assert math.sin(turned / 2) == pytest.approx(0.0, abs=0.01)


def test_entities_are_where_things_are():
    nao = Nao().run(1.0)
    nao.world.beam(nao.player, -4.0, 0.0, 0.0)
    nao.run(2.0)
    found = {entity.id: entity.pose.position for entity in nao.last("entities").entities}
    assert xyz(found["ball"]) == pytest.approx((0.0, 0.0, 0.042), abs=0.06)
    assert xyz(found["landmark_G1R"]) == pytest.approx((15.0, 1.05, 0.8), abs=0.1)


def test_own_arms_are_seen_but_are_no_player():
    nao = Nao().run(2.0)
    assert [agent.number for agent in nao.last("vision").agents] in ([2], [])
    assert not [entity for entity in nao.last("entities").entities if entity.kind == "player"]


@pytest.mark.parametrize("side", ["left", "right"])
def test_direction_of_a_voice_is_turned_into_the_body(side):
    nao = Nao()
    hinges = "".join(f"(HJ (n {joint.name}) (ax 0))" for joint in nao.body.joints)
    for time in ("1.00", "1.02"):
        text = JOINED.format(side=side).replace("1.00", time) + "(hear friend 1 90 hi)" + hinges
        (event,) = nao.codec.feed(frame((text + "(See (mypos 0 0 0.36) (myorien 30))").encode()))
        nao.state = nao.converter.body_state(event)
        heard = dict(nao.converter.messages(Cycle(event, nao.state), STAMP))["heard"]
    assert (heard.sender, heard.text, heard.has_direction) == ("friend", "hi", True)
    assert math.degrees(heard.azimuth) == pytest.approx(60.0)  # both are turned for the right team


def test_own_voice_has_no_direction():
    heard = told("(hear bridge 1 self hi)")["heard"]
    assert (heard.text, heard.has_direction) == ("hi", False)


def test_battery_and_temperature_where_an_agent_has_them():
    messages = told("(AgentState (temp 48) (battery 75))")
    assert messages["battery"].percentage == pytest.approx(0.75)
    assert messages["temperature"].temperature == 48.0


def test_percept_that_lacks_a_joint_gives_no_state():
    assert told("(HJ (n hj1) (ax 0))", joints=False) is None


@pytest.mark.parametrize("text", ["a" * 21, "two words", "(x", "é", ""])
def test_text_that_the_server_would_drop_is_refused(text):
    nao = Nao().run(0.2)
    with pytest.raises(CommandError, match=r"text"):
        nao.converter.handle_request("say", String(data=text))


def test_what_is_asked_for_goes_out_in_the_next_frame_with_all_joints():
    nao = Nao().run(0.2)
    nao.converter.handle_request("say", String(data="hello"))
    nao.converter.handle_request("beam", Beam.Request(x=-3.0, y=0.5, theta=math.pi / 2))
    nao.converter.handle_request("pass", Trigger.Request())
    nao.cycle()
    sent = nao.sent[-1].decode()
    assert "(say hello)" in sent
    assert "(beam -3 0.5 90)" in sent
    assert "(pass)" in sent
    assert sent.endswith("(syn)")
    assert sent.count("(") == 22 + 4
    nao.cycle()
    assert "(say" not in nao.sent[-1].decode()


def test_beam_to_nowhere_is_refused():
    with pytest.raises(CommandError, match="y is nan"):
        Nao().converter.handle_request("beam", Beam.Request(x=0.0, y=math.nan))


@pytest.mark.parametrize(
    ("robot", "remarks"), [("nao", 0), ("nao0", 0), ("nao1", 1), ("nao2", 0), ("nao3", 1)]
)
def test_log_says_that_longer_limbs_are_not_described(robot, remarks, tmp_path):
    plain = str(ROOT / "urdf/nao.urdf")
    found = Nao(robot=robot, robot_description_file=plain).converter.warnings()
    assert [f"those of {robot} are longer" in remark for remark in found] == [True] * remarks
    own = tmp_path / "mine.urdf"
    own.write_text((ROOT / "urdf/nao.urdf").read_text())
    assert Nao(robot=robot, robot_description_file=str(own)).converter.warnings() == []
    assert Nao(robot=robot).converter.warnings() == []


def test_without_a_description_the_log_says_that_there_is_no_place():
    nao = Nao(robot_description_file="").run(1.0)
    assert "no pose and entities" in nao.converter.warnings()[0]
    assert "pose" not in nao.topics()


def placed(side, **parameters):
    nao = Nao(**parameters)
    if side == "right":
        nao.world.game.teams["left"] = "others"
    nao.run(1.0)
    nao.converter.handle_request("beam", Beam.Request(x=-4.0, y=2.0, theta=math.radians(30.0)))
    return nao.run(2.0)


def test_same_request_and_the_same_place_in_the_frame_team():
    places = []
    for side in ("left", "right"):
        nao = placed(side, team_frame=True)
        assert nao.player.side == side
        assert nao.last("game_state").own_side == side
        assert nao.last("pose").header.frame_id == "team"
        assert nao.last("entities").header.frame_id == "team"
        assert nao.state.base_position[:2] == pytest.approx((-4.0, 2.0), abs=0.15)
        assert nao.state.yaw == pytest.approx(math.radians(30.0), abs=0.3)
        landmarks = {e.id: e.pose.position for e in nao.last("entities").entities if e.kind == "landmark"}
        goal = landmarks["landmark_G1R"]
        assert (goal.x, goal.y) == pytest.approx((15.0, 1.05), abs=0.3)
        places.append(set(landmarks))
    assert places[0] == places[1]


def test_without_the_parameter_a_right_player_is_in_the_map():
    nao = placed("right")
    assert nao.last("pose").header.frame_id == "map"
    assert nao.state.base_position[:2] == pytest.approx((4.0, -2.0), abs=0.15)


@pytest.mark.parametrize(("name", "other"), [("F1L", "F2R"), ("F2L", "F1R"), ("G1L", "G2R")])
def test_landmarks_are_named_by_their_place(name, other):
    assert mirrored(name) == other
    assert mirrored(other) == name


@pytest.mark.parametrize(
    ("true_pose", "side", "told"), [(True, "left", "left"), (True, "right", "right"), (False, "right", "")]
)
def test_a_recording_from_the_middle_of_a_game_tells_the_side_by_mypos(true_pose, side, told):
    live = placed(side, true_pose=true_pose)
    replayed = Nao(transport="replay")
    for _ in range(30):
        live.world.step()
        replayed.percept(live.talk.message())
    assert replayed.last("game_state").own_side == told
    assert replayed.state.base_position[:2] == pytest.approx(live.player.place[:2], abs=0.15)


def test_in_the_middle_of_the_field_mypos_tells_no_side():
    live = Nao(true_pose=True).run(1.0)
    live.player.put((0.1, 0.1, 0.4), 0.0)
    live.run(1.0)
    replayed = Nao(transport="replay")
    for _ in range(30):
        live.world.step()
        replayed.percept(live.talk.message())
    assert replayed.last("game_state").own_side == ""
