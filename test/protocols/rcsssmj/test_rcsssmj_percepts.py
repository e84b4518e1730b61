# SPDX-License-Identifier: Apache-2.0
"""Frames from the server and perceptions of the simulator, and the events that they are."""

import math

import pytest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.rcsssmj.codec import Codec
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
    ServerError,
    Sync,
    Touch,
    Vision,
)
from embodiment_bridge.protocols.rcsssmj.percept_reader import percept_of
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown
from embodiment_bridge.wire.framing import frame

GOOD = {
    "(time (now 4.01))": Percept(0, time_s=4.01),
    "(time (now 7))": Percept(0, time_s=7.0),
    "(time (clock 7))": Percept(0, time_s=7.0),
    "(GS (t 2.54)(pm PlayOn)(tl Blue)(tr Red)(sl 2)(sr 1))": Percept(
        0, game_state=GameState(2.54, "PlayOn", "Blue", "Red", 2, 1)
    ),
    "(GS (t 0.0) (pm BeforeKickOff) (tl Blue) (sl 0) (sr 0))": Percept(
        0, game_state=GameState(0.0, "BeforeKickOff", "Blue", None, 0, 0)
    ),
    "(GS (t 0.0)(pm GameOver)(sl 0)(sr 10))": Percept(
        0, game_state=GameState(0.0, "GameOver", None, None, 0, 10)
    ),
    "(GS (t 0.0)(pm x)(tl a\tb)(sl 0)(sr 0))": Percept(0, game_state=GameState(0.0, "x", "a b", None, 0, 0)),
    "(quat (n torso_quat) (q 0.707 -0.0 0.0 -0.707))": Percept(
        0, orientations=(Orientation("torso_quat", 0.707, -0.0, 0.0, -0.707),)
    ),
    "(pos (n torso_pos) (p -2.999 21.0 0.672))": Percept(
        0, positions=(Position("torso_pos", -2.999, 21.0, 0.672),)
    ),
    "(pos (n torso_pos) (pos -0.122 24.575 0.762))": Percept(
        0, positions=(Position("torso_pos", -0.122, 24.575, 0.762),)
    ),
    "(GYR (n torso_gyro) (rt -6.97 -3.31 25.16))": Percept(
        0, gyros=(Gyro("torso_gyro", -6.97, -3.31, 25.16),)
    ),
    "(GYR (n a) (rt 1 2 3))(GYR (n b) (rt 4 5 6))": Percept(
        0, gyros=(Gyro("a", 1, 2, 3), Gyro("b", 4, 5, 6))
    ),
    "(ACC (n torso_acc) (a 0.13 0.41 9.8))": Percept(
        0, accelerometers=(Accelerometer("torso_acc", 0.13, 0.41, 9.8),)
    ),
    "(HJ (n q_hj1)(ax 1.43)(vx 0.03))(HJ (n q_hj2)(ax -2)(vx 1))": Percept(
        0, joints=Joints(("q_hj1", "q_hj2"), (1.43, -2.0), (0.03, 1.0))
    ),
    "(HJ (n hj1) (ax 1.43) (vx 0.03)) (HJ (n hj2) (ax 16.92) (vx 1.44))": Percept(
        0, joints=Joints(("hj1", "hj2"), (1.43, 16.92), (0.03, 1.44))
    ),
    "(JS (names hj1 hj2) (axs 1.43 16.92) (vxs 0.03 1.44))": Percept(
        0, joints=Joints(("hj1", "hj2"), (1.43, 16.92), (0.03, 1.44))
    ),
    "(TCH n bumper val 1)": Percept(0, touches=(Touch("bumper", 1),)),
    "(MIC hear (-2 aGVsbG8=))": Percept(0, microphones=(Microphone("hear", (Heard(-2.0, b"hello"),)),)),
    "(MIC hear (1 AP8=)(90 aGk=))": Percept(
        0, microphones=(Microphone("hear", (Heard(1.0, b"\0\xff"), Heard(90.0, b"hi"))),)
    ),
    "(MIC hear )": Percept(0, microphones=(Microphone("hear", ()),)),
    "(See )": Percept(0, vision=Vision((), ())),
    "(See)": Percept(0, vision=Vision((), ())),
    "(See (B (pol 1.44 -10.77 -41.0)))": Percept(
        0, vision=Vision((PointDetection("B", 1.44, -10.77, -41.0),), ())
    ),
    "(See (P (team Red)(id 1)(head (pol 2.16 -7.97 1.3))(lfoot (pol 2.46 -10.5 -24.09))))": Percept(
        0,
        vision=Vision(
            (),
            (
                AgentDetection(
                    "Red",
                    1,
                    (PointDetection("head", 2.16, -7.97, 1.3), PointDetection("lfoot", 2.46, -10.5, -24.09)),
                ),
            ),
        ),
    ),
    "(See (P (team Red) (id 1) (pol 1 2 3)) (P (team Red) (pol 4 5 6)) (P (pol 7 8 9)))": Percept(
        0,
        vision=Vision(
            (PointDetection("P", 7, 8, 9),),
            (
                AgentDetection("Red", 1, (PointDetection("P", 1, 2, 3),)),
                AgentDetection("Red", -1, (PointDetection("P", 4, 5, 6),)),
            ),
            letters=True,  # only the server's next version names a place P
        ),
    ),
    "(See (P (team Red) (id 1)) (g_lup (pol 3 2 1)))": Percept(
        0, vision=Vision((PointDetection("g_lup", 3, 2, 1),), (AgentDetection("Red", 1, ()),))
    ),
    "(syn)": Sync(0),
    "(error)": ServerError(0),
}


@pytest.mark.parametrize("text", GOOD)
def test_each_form_is_one_event(text):
    assert Codec().feed(frame(text.encode())) == [GOOD[text]]


def test_the_lists_of_a_frame_are_one_percept():
    text = "(time (now 1))(TCH n a val 0)\n  (See )(HJ (n j)(ax 1)(vx 2))"
    assert Codec().feed(frame(text.encode())) == [
        Percept(
            0, 1.0, joints=Joints(("j",), (1.0,), (2.0,)), touches=(Touch("a", 0),), vision=Vision((), ())
        )
    ]


@pytest.mark.parametrize("number", ["nan", "-nan", "inf", "-inf", "1e400"])
def test_numbers_that_are_none_survive(number):
    (percept,) = Codec().feed(frame(f"(ACC (n a) (a {number} 0 0))(HJ (n j)(ax {number})(vx 1))".encode()))
    assert not math.isfinite(percept.accelerometers[0].x_m_s2)
    assert not math.isfinite(percept.joints.positions_deg[0])


def test_unknown_lists_follow_the_percept_with_their_bytes():
    raw = [b"(FRP  (n lf)(c 1 2 3))", b"((RSMP 1 0))", b"(clock (now 3))"]
    assert Codec().feed(frame(raw[0] + b"(time (now 1))" + raw[1] + raw[2])) == [
        Percept(0, 1.0),
        *(Unknown(0, text) for text in raw),
    ]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (
            "(GS (unum 1)(t 1)(pm x)(sl 0)(sr 0))",
            Percept(0, game_state=GameState(1.0, "x", None, None, 0, 0)),
        ),
        ("(GYR (n g)(rt 1 2 3)(bias 0 0 0))", Percept(0, gyros=(Gyro("g", 1, 2, 3),))),
        ("(JS (names j)(axs 1)(vxs 2)(efs 3))", Percept(0, joints=Joints(("j",), (1.0,), (2.0,)))),
    ],
)
def test_a_field_that_is_unknown_makes_its_list_unknown_and_loses_nothing(text, known):
    assert Codec().feed(frame(text.encode())) == [known, Unknown(0, text.encode())]


def test_a_sight_that_is_unknown_loses_no_other():
    text = b"(See (L (pol 1 2 3) (pol 4 5 6))(B (pol 1 2 3)))"
    assert Codec().feed(frame(text)) == [
        Percept(0, vision=Vision((PointDetection("B", 1, 2, 3),), ())),
        Unknown(0, text),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(time (now x))", "'x' is no number"),
        ("(time (now 1_0))", "'1_0' is no number"),
        ("(time (now ١))", "'١' is no number"),
        ("(time (now 1 2))", "now has 2 values instead of 1"),
        ("(time (now (1)))", "'(1)' stands where a word or number should"),
        ("(time now 1)", "'now' is no (name value ...)"),
        ("(time (now 1)(now 2))", "'now' twice"),
        ("(GS (t 1)(pm x)(sl 0))", "no sr"),
        ("(GS (t 1)(pm x)(sl 0)(sr 0.5))", "'0.5' is no whole number"),
        ("(GS (t 1)(pm x)(sl 0)(sr 9999999999999999999))", "'9999999999999999999' is no whole number"),
        ("(GS (t 1)(pm)(sl 0)(sr 0))", "pm is empty"),
        ("(GS (t 1)(pm x)(sl 0 1)(sr 0))", "sl has 2 values instead of 1"),
        ("(quat (n a) (q 1 0 0))", "q has 3 values instead of 4"),
        ("(pos (n a) (q 1 0 0))", "no pos"),
        ("(GYR (rt 1 0 0))", "no n"),
        ("(HJ (n j)(ax 1))", "no vx"),
        ("(JS (names a b)(axs 1 2)(vxs 1))", "vxs has 1 values instead of 2"),
        ("(JS (names )(axs )(vxs ))", "names is empty"),
        ("(TCH n bumper 1)", "'n' is no (name value ...)"),
        ("(TCH n bumper val on)", "'on' is no whole number"),
        ("(MIC)", "'(MIC)' has not 1 values"),
        ("()", "empty list"),
    ],
)
def test_a_broken_list_is_reported_and_the_others_are_kept(text, reason):
    codec = Codec()
    data = f"(ACC (n a) (a 1 2 3)){text}(TCH n t val 1)".encode()
    percept, report = codec.feed(frame(data))
    assert percept == Percept(0, accelerometers=(Accelerometer("a", 1, 2, 3),), touches=(Touch("t", 1),))
    assert report == Malformed(0, f"{reason} in the list at byte 21", text)


@pytest.mark.parametrize(
    ("text", "reason", "kept"),
    [
        (
            "(See (A (pol 1 2))(B (pol 1 2 3)))",
            "pol has 2 values instead of 3",
            {"vision": Vision((PointDetection("B", 1, 2, 3),), ())},
        ),
        (
            "(See (P (team T)(id x)(head (pol 1 2 3)))(B (pol 1 2 3)))",
            "'x' is no whole number",
            {"vision": Vision((PointDetection("B", 1, 2, 3),), ())},
        ),
        ("(See B)", "'B' stands where a list should", {"vision": Vision((), ())}),
        (
            "(MIC hear (1 !!)(2 aGk=))",
            "'!!' is not base64",
            {"microphones": (Microphone("hear", (Heard(2.0, b"hi"),)),)},
        ),
        (
            "(MIC hear (1 ä)(2 aGk=))",
            "'ä' is not base64",
            {"microphones": (Microphone("hear", (Heard(2.0, b"hi"),)),)},
        ),
        (
            "(MIC hear (x aGk=)(2 aGk=))",
            "'x' is no number",
            {"microphones": (Microphone("hear", (Heard(2.0, b"hi"),)),)},
        ),
        (
            "(MIC hear (1 a b)(2 aGk=))",
            "'(1 a b)' has not 2 values",
            {"microphones": (Microphone("hear", (Heard(2.0, b"hi"),)),)},
        ),
    ],
)
def test_the_good_part_of_a_broken_list_is_kept(text, reason, kept):
    assert Codec().feed(frame(text.encode())) == [
        Percept(0, **kept),
        Malformed(0, f"{reason} in the list at byte 0", text),
    ]


def test_what_a_percept_has_once_may_not_come_twice():
    text = b"(time (now 1))(time (now 2))"
    assert Codec().feed(frame(text)) == [
        Percept(0, 1.0),
        Malformed(0, "twice in one percept in the list at byte 14", "(time (now 2))"),
    ]


@pytest.mark.parametrize(
    ("payload", "reason", "quoted"),
    [
        (b"garbage", "text outside of any list at byte 0", "garbage"),
        (b"(time (now 1)", "'(' without its ')' at byte 0", "(time (now 1)"),
        (b" \n ", "nothing but white space in the frame", ""),
        (b"(tl \xff)", "not UTF-8 at byte 4", r"(tl \xff)"),
        (b"(" * 300 + b")" * 300, "list nested deeper than 200 at byte 200", "(" * 80 + "..."),
        (b"\0\1\2", "text outside of any list at byte 0", r"\x00\x01\x02"),
    ],
)
def test_garbage_is_malformed_and_the_next_frame_is_read(payload, reason, quoted):
    stream = frame(payload) + frame(b"(syn)")
    assert Codec().feed(stream) == [Malformed(0, reason, quoted), Sync(4 + len(payload))]


def test_a_frame_of_too_many_lists_is_cut_short():
    *others, last = Codec().feed(frame(b"(a)" * 100_000))
    assert others == [Unknown(0, b"(a)")] * 1000
    assert last == Malformed(0, "more than 1000 lists; the rest is dropped", "(a)" * 26 + "(a...")


def test_oversize_empty_and_unfinished_frames():
    codec = Codec(max_frame=50)
    stream = b"\0\0\0\x33" + b"(" * 51 + b"\0\0\0\0" + frame(b"(syn)") + b"\0\0\0\x05(s"
    assert [event for i in range(len(stream)) for event in codec.feed(stream[i : i + 1])] == [
        Malformed(0, "frame of 51 bytes skipped (limit: 50)"),
        Malformed(55, "empty frame (no peer sends one)"),
        Sync(59),
    ]
    assert codec.close() == [Truncated(68, 6)]


class TestDialect:
    SEED = b"(See (B (pol -10 5 2))(g_lup (pol 3 4 20)))"
    CURRENT = b"(See (B (pol 2 -10 5))(g_lup (pol 20 3 -4)))"
    EITHER = b"(See (B (pol 1 2 3)))"

    @staticmethod
    def ball(codec, payload):
        (percept,) = codec.feed(frame(payload))
        return percept.vision.points[0]

    @pytest.mark.parametrize(
        ("told", "payload", "ball"),
        [
            (None, SEED, PointDetection("B", 2, -10, 5)),
            (None, CURRENT, PointDetection("B", 2, -10, 5)),
            (None, EITHER, PointDetection("B", 1, 2, 3)),
            ("seed", EITHER, PointDetection("B", 3, 1, 2)),
            ("seed", CURRENT, PointDetection("B", 5, 2, -10)),
            ("0.2.1", SEED, PointDetection("B", -10, 5, 2)),
        ],
    )
    def test_order_of_numbers(self, told, payload, ball):
        assert self.ball(Codec(dialect=told), payload) == ball

    def test_is_remembered_until_the_stream_contradicts(self):
        codec = Codec()
        assert codec.dialect == "0.2.1"
        self.ball(codec, self.SEED)
        assert codec.dialect == "seed"
        assert self.ball(codec, self.EITHER) == PointDetection("B", 3, 1, 2)
        self.ball(codec, self.CURRENT)
        assert codec.dialect == "0.2.1"

    def test_numbers_that_fit_neither_order_change_nothing(self):
        codec = Codec()
        self.ball(codec, b"(See (B (pol -1 2 -3))(x_cuc (pol nan nan nan)))")
        assert codec.dialect == "0.2.1"

    def test_an_unknown_one_is_refused(self):
        with pytest.raises(ConfigError, match=r"unknown dialect '0\.2'; did you mean '0\.2\.1'"):
            Codec(dialect="0.2")


def test_an_unknown_robot_is_refused():
    with pytest.raises(ConfigError, match=r"unknown robot 't1'; did you mean 'T1'"):
        Codec(robot="t1")


def simulated(kind, **values):
    """An object that is like one of a class of ``rcsssmj.sim.perceptions``."""
    return type(kind, (), values)()


BALL_SEEN = simulated("ObjectDetection", name="B", distance=1, azimuth=2, inclination=3)
FOE_SEEN = simulated("AgentDetection", team_name="T", player_no=4, body_detections=[BALL_SEEN])
BALL = PointDetection("B", 1.0, 2.0, 3.0)
SIMULATED = (
    (simulated("TimePerception", time=4), {"time_s": 4.0}),
    (
        simulated(
            "GameStatePerception",
            play_time=1,
            play_mode="PlayOn",
            team_left="a",
            team_right=None,
            score_left=2,
            score_right=3,
        ),
        {"game_state": GameState(1.0, "PlayOn", "a", None, 2, 3)},
    ),
    (
        simulated("JointStatePerception", joint_names=["j"], joint_axs=[1], joint_vxs=[2]),
        {"joints": Joints(("j",), (1.0,), (2.0,))},
    ),
    (
        simulated("VisionPerception", obj_detections=[BALL_SEEN, FOE_SEEN]),
        {"vision": Vision((BALL,), (AgentDetection("T", 4, (BALL,)),))},
    ),
    (
        simulated("OrientationPerception", name="q", qw=1, qx=2, qy=3, qz=4),
        {"orientations": (Orientation("q", 1, 2, 3, 4),)},
    ),
    (simulated("PositionPerception", name="p", x=1, y=2, z=3), {"positions": (Position("p", 1, 2, 3),)}),
    (simulated("GyroPerception", name="g", rx=1, ry=2, rz=3), {"gyros": (Gyro("g", 1, 2, 3),)}),
    (
        simulated("AccelerometerPerception", name="a", ax=1, ay=2, az=3),
        {"accelerometers": (Accelerometer("a", 1, 2, 3),)},
    ),
    (simulated("TouchPerception", name="t", active=True), {"touches": (Touch("t", 1),)}),
    (
        simulated("MicrophonePerception", name="m", azimuths=[5], messages=[bytearray(b"hi")]),
        {"microphones": (Microphone("m", (Heard(5.0, b"hi"),)),)},
    ),
    (simulated("SmellPerception"), {}),
)


@pytest.mark.parametrize(("perception", "fields"), SIMULATED, ids=lambda value: type(value).__name__)
def test_a_perception_of_the_simulator_is_what_its_list_on_the_wire_would_be(perception, fields):
    assert percept_of([perception]) == Percept(0, **fields)
