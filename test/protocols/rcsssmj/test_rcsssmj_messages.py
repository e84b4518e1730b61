# SPDX-License-Identifier: Apache-2.0
"""Percepts as ROS messages: fields, units, frames, which topics when, and none that nobody listens to."""

import math
from collections import Counter
from dataclasses import replace

import pytest
from builtin_interfaces.msg import Time
from percept_stage import (
    BALL,
    BODY,
    GAME,
    NAMES,
    PARAMETERS,
    ROOT,
    STAMP,
    STILL,
    converter,
    message,
    messages,
    percept,
)

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.rcsssmj import SPEC
from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.converter import RobotConverter
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
    Sync,
    Touch,
    Vision,
)
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS

RECORDING = ROOT / "test/data/rcsssmj/short_agent_t1.bin"


def test_topics_and_types_are_those_of_the_spec():
    full = percept(
        game_state=GAME,
        gyros=(Gyro("torso_gyro", 1.0, 2.0, 3.0),),
        accelerometers=(Accelerometer("torso_acc", 0.0, 0.0, 9.81),),
        touches=(Touch("bumper", 1),),
        microphones=(Microphone("hear", (Heard(0.0, b"x"),)),),
        vision=Vision((BALL,), ()),
    )
    made = dict(messages(full))
    assert {topic: type(made[topic]) for topic in made} == {o.topic: resolve(o.type) for o in SPEC.topics()}
    roles = {output.topic: output.role for output in SPEC.topics()}
    assert roles["game_state"] == "latched"
    frames = {topic: one.header.frame_id for topic, one in made.items()}
    assert frames == {
        "joint_states": "",
        "game_state": "",
        "pose": "r3/map",
        "entities": "r3/map",
        "imu": "r3/imu_link",
        "vision": "r3/camera_link",
        "heard": "r3/microphone_link",
        "touch": "r3/base_link",
    }
    assert all(one.header.stamp == STAMP for one in made.values())


@pytest.mark.parametrize("event", [Sync(0), Percept(0), Percept(0, 4.02), Percept(0, joints=STILL)])
def test_what_was_not_sensed_is_not_published(event):
    assert messages(event) == []


def test_joints_are_in_radians_in_the_body_s_order():
    positions = tuple(float(i) for i in range(23))
    event = Percept(0, 4.02, joints=Joints(NAMES[::-1], positions, tuple(-2.0 * p for p in positions)))
    states = message(event, "joint_states")
    by_name = {joint.joint: 22 - i for i, joint in enumerate(ROBOTS["T1"].joints)}
    assert list(states.name) == [joint.name for joint in BODY.joints]
    for name, position, velocity in zip(states.name, states.position, states.velocity, strict=True):
        assert position == pytest.approx(math.radians(by_name[name]))
        assert velocity == pytest.approx(-2.0 * math.radians(by_name[name]))


def test_imu_is_in_radians_and_says_when_it_has_no_orientation():
    sensors = {
        "gyros": (Gyro("torso_gyro", 90.0, -45.0, 1.0),),
        "accelerometers": (Accelerometer("torso_acc", 0.1, 0.2, 9.81),),
    }
    imu = message(percept(**sensors), "imu")
    assert imu.angular_velocity.x == pytest.approx(math.pi / 2)
    assert imu.angular_velocity.y == pytest.approx(-math.pi / 4)
    assert (imu.linear_acceleration.x, imu.linear_acceleration.z) == (0.1, 9.81)
    assert (imu.orientation.w, imu.orientation_covariance[0]) == (1.0, 0.0)
    assert message(Percept(0, **sensors), "imu").orientation_covariance[0] == -1.0


def test_pose_is_the_torso_in_the_map():
    turn = Orientation("torso_quat", 0.707, 0.0, 0.0, -0.707)
    pose = message(replace(percept(), orientations=(turn,)), "pose").pose
    assert (pose.position.x, pose.position.y, pose.position.z) == (2.0, -1.0, 0.67)
    assert (pose.orientation.w, pose.orientation.z) == pytest.approx((0.7071, -0.7071), abs=1e-3)


def test_vision_is_metres_and_radians_and_a_point_in_the_camera_s_frame():
    head = PointDetection("head", 2.0, -90.0, 0.0)
    vision = message(percept(vision=Vision((BALL,), (AgentDetection("them", 7, (head,)),))), "vision")
    (ball,) = vision.points
    assert (ball.name, ball.distance) == ("B", 3.0)
    assert (ball.azimuth, ball.elevation) == pytest.approx((math.pi / 2, -math.pi / 6))
    place = ball.position
    assert (place.x, place.y, place.z) == pytest.approx((0.0, 1.5 * math.sqrt(3.0), -1.5))
    (agent,) = vision.agents
    assert (agent.team, agent.number, agent.parts[0].name) == ("them", 7, "head")
    place = agent.parts[0].position
    assert (place.x, place.y, place.z) == pytest.approx((0.0, -2.0, 0.0))


def test_no_picture_is_no_message_and_an_empty_picture_is_an_empty_one():
    assert not {"vision", "entities"} & set(dict(messages(percept())))
    made = dict(messages(percept(vision=Vision((), ()))))
    assert (made["vision"].points, made["vision"].agents, made["entities"].entities) == ([], [], [])


def test_entities_are_in_the_map():
    ahead = PointDetection("B", 2.0, 0.0, -30.0)
    (ball,) = message(percept(vision=Vision((ahead,), ())), "entities").entities
    assert (ball.id, ball.kind, ball.visible, ball.seen) == ("ball", "ball", True, STAMP)
    assert (ball.size.x, ball.size.y, ball.size.z) == (0.22, 0.22, 0.22)
    place = ball.pose.position  # the camera is at (0.1125, 0, 0.4248) in base_link
    expected = (2.1125 + 2.0 * math.cos(math.pi / 6), -1.0, 0.67 + 0.4248 - 1.0)
    assert (place.x, place.y, place.z) == pytest.approx(expected, abs=0.005)
    assert ball.pose.orientation.w == 1.0


def test_own_parts_are_seen_but_are_no_entity():
    foot = PointDetection("lfoot", 1.0, 0.0, -60.0)
    agents = (AgentDetection("us", 3, (foot,)), AgentDetection("us", 4, (foot,)))
    made = dict(messages(percept(vision=Vision((), agents))))
    assert [agent.number for agent in made["vision"].agents] == [3, 4]
    (mate,) = made["entities"].entities
    assert (mate.id, mate.kind) == ("player_us_4", "player")
    assert {item.key: item.value for item in mate.properties} == {"team": "us", "number": "4"}


def test_entities_are_remembered_for_their_time_and_not_in_another_world():
    made = converter()
    seen, unseen = percept(vision=Vision((BALL,), ())), percept(vision=Vision((), ()))
    message(seen, "entities", made)
    (ball,) = message(replace(unseen, time_s=9.0), "entities", made).entities
    assert (ball.id, ball.visible, ball.seen) == ("ball", False, STAMP)
    (gone,) = message(replace(unseen, time_s=9.04), "entities", made).entities
    assert [(item.key, item.value) for item in gone.properties] == [("forgotten", "true")]
    assert message(replace(unseen, time_s=9.08), "entities", made).entities == []
    message(seen, "entities", made)
    made.handshake()
    assert message(unseen, "entities", made).entities == []


@pytest.mark.parametrize(
    "missing",
    [{"positions": ()}, {"orientations": ()}, {"joints": None}, {"time_s": None}],
    ids=lambda change: next(iter(change)),
)
def test_without_a_place_there_is_vision_but_no_entities(missing):
    made = dict(messages(replace(percept(vision=Vision((BALL,), ())), **missing)))
    assert "vision" in made
    assert "entities" not in made


def test_without_a_urdf_there_is_vision_and_one_remark():
    made = converter(robot_description_file="")
    topics = dict(messages(percept(vision=Vision((BALL,), ())), made))
    assert "vision" in topics
    assert "entities" not in topics
    (remark,) = made.warnings()
    assert "robot_description_file" in remark
    assert converter().warnings() == []


@pytest.mark.parametrize("skill", ["kick", "dribble"])
def test_a_k1_is_kept_away_from_the_ball_of_a_server_that_ends_at_its_touch(skill):
    k1 = {"robot": "K1", "robot_description_file": str(ROOT / "urdf/k1.urdf")}
    body = read_body(ROOT / "config/bodies/k1.yaml")
    made, managed = (
        RobotConverter({**PARAMETERS, **k1, "transport": how}, body) for how in ("tcp", "managed")
    )
    assert "ends, for all players, when a K1 touches the ball" in made.warnings()[0]
    with pytest.raises(CommandError, match=f"'{skill}'.*touches the ball"):
        MotionRunner(body, made.native_skills()).start(SkillRequest("1", skill))
    assert managed.warnings() == []
    assert skill not in managed.native_skills()
    assert skill not in converter(transport="tcp").native_skills()  # of a T1


def test_a_urdf_without_camera_is_a_remark_and_a_bad_one_an_error(tmp_path):
    urdf = tmp_path / "bare.urdf"
    urdf.write_text('<robot name="bare"><link name="base_link"/></robot>')
    made = converter(robot_description_file=str(urdf))
    (remark,) = made.warnings()
    assert "camera_link" in remark
    assert "vision" in dict(messages(percept(vision=Vision((BALL,), ())), made))
    urdf.write_text("<robot")
    with pytest.raises(ConfigError, match=r"bare\.urdf"):
        converter(robot_description_file=str(urdf))


def test_game_state():
    state = message(percept(game_state=GAME), "game_state")
    assert (state.play_time, state.play_mode) == (2.54, "PlayOn")
    assert (state.team_left, state.team_right, state.score_left, state.score_right) == ("us", "them", 1, 0)
    lonely = message(percept(game_state=GameState(0.0, "BeforeKickOff", None, None, 0, 0)), "game_state")
    assert (lonely.team_left, lonely.team_right) == ("", "")


@pytest.mark.parametrize(
    ("change", "news"),
    [
        ({"play_time_s": 2.56}, False),
        ({"play_mode": "GameOver"}, True),
        ({"team_right": None}, True),
        ({"score_left": 2}, True),
        ({"score_right": 1}, True),
    ],
)
def test_game_state_is_published_on_change(change, news):
    made = converter()
    assert "game_state" in dict(messages(percept(game_state=GAME), made))
    assert "game_state" not in dict(messages(percept(game_state=GAME), made))
    changed = percept(game_state=replace(GAME, **change))
    assert ("game_state" in dict(messages(changed, made))) is news


def test_game_state_is_published_once_a_second_and_after_a_new_connection():
    made = converter()
    event = percept(game_state=GAME)
    stamps = [Time(sec=5 + i // 50, nanosec=i % 50 * 20_000_000) for i in range(150)]
    assert sum("game_state" in dict(messages(event, made, stamp)) for stamp in stamps) == 3
    made.handshake()
    assert "game_state" in dict(messages(event, made, stamps[-1]))


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (b"hello", "hello"),
        ("né".encode(), "né"),
        (b"\xff\xfe!", "\\xff\\xfe!"),
        (b"a\0b", "a\\x00b"),
        (b"", ""),
    ],
)
def test_what_was_heard_is_text(said, text):
    heard = message(percept(microphones=(Microphone("hear", (Heard(-90.0, said),)),)), "heard")
    assert (heard.text, heard.sender, heard.has_direction) == (text, "", True)
    assert heard.azimuth == pytest.approx(-math.pi / 2)


def test_all_that_was_said_in_a_cycle_is_heard_in_order():
    ears = (
        Microphone("hear", (Heard(1.0, b"a"), Heard(math.nan, b"b"))),
        Microphone("other", (Heard(2.0, b"c"),)),
    )
    heard = [one for topic, one in messages(percept(microphones=ears)) if topic == "heard"]
    assert [(one.text, one.has_direction) for one in heard] == [("a", True), ("b", False), ("c", True)]
    assert heard[1].azimuth == 0.0
    assert messages(Percept(0, microphones=(Microphone("hear", ()),))) == []


def test_touch():
    touch = message(percept(touches=(Touch("lf", 0), Touch("rf", 3), Touch("b", -1))), "touch")
    assert [(sensor.name, sensor.touched) for sensor in touch.sensors] == [
        ("lf", False),
        ("rf", True),
        ("b", True),
    ]


def test_a_recording():
    made = converter(team="teamBlue", number=1)
    topics = Counter()
    for event in Codec().feed(RECORDING.read_bytes()):
        stamp = Time(sec=int(event.time_s), nanosec=round(event.time_s % 1.0 * 1e9))
        pairs = messages(event, made, stamp)
        topics.update(topic for topic, _ in pairs)
        if event.vision is not None:
            entities = dict(pairs)["entities"].entities
            assert len(dict(pairs)["vision"].points) == len(event.vision.points)
            seen = len(event.vision.points) + len(event.vision.agents)
            assert sum(entity.visible for entity in entities if entity.kind != "goal") == seen
    assert topics == {
        "joint_states": 60,
        "pose": 60,
        "imu": 60,
        "vision": 30,
        "entities": 30,
        "game_state": 3,
    }


FULL = percept(
    game_state=GAME,
    gyros=(Gyro("torso_gyro", 1.0, 2.0, 3.0),),
    accelerometers=(Accelerometer("torso_acc", 0.0, 0.0, 9.81),),
    touches=(Touch("bumper", 1),),
    microphones=(Microphone("hear", (Heard(0.0, b"x"),)),),
    vision=Vision((BALL,), ()),
)
ALL = {"joint_states", "pose", "imu", "touch", "game_state", "heard", "vision", "entities"}
ALWAYS = {"game_state", "heard"}  # these come seldom


def heeding(*topics):
    made = converter()
    made.set_demand(lambda topic: topic in topics)
    return made


def test_all_are_made_by_one_who_was_told_nothing():
    assert set(dict(messages(FULL))) == ALL


@pytest.mark.parametrize("topic", sorted(ALL - ALWAYS))
def test_one_topic_is_heard(topic):
    made = dict(messages(FULL, heeding(topic)))
    assert set(made) == {topic} | ALWAYS
    assert made[topic] == dict(messages(FULL))[topic]


def test_entities_are_remembered_while_nobody_listens():
    made = heeding()
    messages(FULL, made)
    made.set_demand(lambda topic: True)
    seen_nothing = percept(vision=Vision((), ()))
    assert [e.id for e in dict(messages(seen_nothing, made))["entities"].entities] == [
        e.id for e in dict(messages(FULL))["entities"].entities
    ]


def test_a_message_is_made_when_it_is_asked_for():
    asked = []
    made = converter()
    made.set_demand(lambda topic: bool(asked.append(topic)) or True)
    pairs = iter(made.messages(Cycle(FULL, made.body_state(FULL)), STAMP))
    assert asked == []
    assert next(pairs)[0] == "joint_states"
    assert asked == ["joint_states"]


def test_five_pictures_a_second_are_looked_at_while_nobody_asks():
    """They come every 0.08 s here. The first one counts, and each as soon as somebody wants the things."""
    made, looked = heeding(), []
    memory = made._memory
    look = memory.look
    memory.look = lambda *arguments: looked.append(arguments[1]) or look(*arguments)

    def see(begin: float, count: int) -> list[float]:
        looked.clear()
        for i in range(count):
            seen = percept(vision=Vision((BALL,), ()))
            messages(replace(seen, time_s=begin + i * 0.08), made)
        return [round(time, 2) for time in looked]

    see(0.0, 1)  # the first is looked at, whatever is asked
    assert see(1.0, 7) == [1.0, 1.24, 1.48]
    made.things()
    assert see(1.5, 2) == [1.5]
    assert see(0.5, 2) == [0.5]  # the clock went back
    made.set_demand(lambda topic: topic == "entities")
    assert see(2.0, 3) == [2.0, 2.08, 2.16]
