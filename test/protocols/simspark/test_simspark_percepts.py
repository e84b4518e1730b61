# SPDX-License-Identifier: Apache-2.0
"""Bytes of the agent port to events: each list, each dialect, each way to be bad."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.simspark import events
from embodiment_bridge.protocols.simspark.codec import Codec
from embodiment_bridge.protocols.simspark.percept_reader import OLD, Dialect, PerceptReader
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown
from embodiment_bridge.wire.framing import Framer, frame

DATA = Path(__file__).parents[2] / "data/simspark"
POINT = events.PointDetection

LISTS = {
    "(time (now 3.76))": {"time_s": 3.76},
    "(time (now nan))": {"time_s": math.nan},
    "(GS (sl 0) (sr 2) (t 0.00) (pm PlayOn))": {"game_state": events.GameState(0.0, "PlayOn", 0, 2)},
    "(GS (unum 1) (team left) (sl 0) (sr 0) (t 1.5) (pm PlayOn))": {
        "game_state": events.GameState(1.5, "PlayOn", 0, 0, 1, "left")
    },
    "(GS (t 1.5) (pm PlayOn))": {"game_state": events.GameState(1.5, "PlayOn")},
    "(GYR (n torso) (rt 0.01 -0.00 5))": {"gyros": (events.Gyro("torso", 0.01, -0.0, 5.0),)},
    "(ACC (n torso) (a 0.01 -0.00 9.81))": {"accelerometers": (events.Accelerometer("torso", 0.01, -0.0, 9.81),)},
    "(HJ (n hj1) (ax -12.34))(HJ (n hj2)(ax 1e1))": {"joints": events.Joints(("hj1", "hj2"), (-12.34, 10.0))},
    "(UJ (n laj1) (ax1 -1.32) (ax2 2.00))": {"universal_joints": (events.UniversalJoint("laj1", -1.32, 2.0),)},
    "(FRP (n lf) (c 0.1 -0.2 0.3) (f 1 2 22.59))": {
        "forces": (events.Force("lf", (0.1, -0.2, 0.3), (1.0, 2.0, 22.59)),)
    },
    "(TCH (n bumper) (val 1))": {"touches": (events.Touch("bumper", 1),)},
    "(TCH n bumper val 0)": {"touches": (events.Touch("bumper", 0),)},
    "(hear alpha 12.3 self hello)": {"heard": (events.Heard("alpha", 12.3, None, "hello"),)},
    "(hear alpha 12.3 -9.19 ok)(hear beta 12.3 30 no)": {
        "heard": (events.Heard("alpha", 12.3, -9.19, "ok"), events.Heard("beta", 12.3, 30.0, "no"))
    },
    "(hear 12.3 -9.19 ok)": {"heard": (events.Heard(None, 12.3, -9.19, "ok"),)},
    "(AgentState (pan_tilt 1 2) (battery 75) (temp 48))": {
        "agent_state": events.AgentState(75.0, 48.0, 1.0, 2.0)
    },
    "(AgentState (temp 48) (battery 75))": {"agent_state": events.AgentState(75.0, 48.0)},
    "(See )": {"vision": events.Vision()},
    "(See (B (pol 1 2 3)))": {"vision": events.Vision((POINT("B", 1.0, 2.0, 3.0),))},
    "(See (P (team T) (id 4) (head (pol 1 2 3))))": {
        "vision": events.Vision(agents=(events.AgentDetection("T", 4, (POINT("head", 1.0, 2.0, 3.0),)),))
    },
    "(See (P (team T) (head (pol 1 2 3))))": {
        "vision": events.Vision(agents=(events.AgentDetection("T", -1, (POINT("head", 1.0, 2.0, 3.0),)),))
    },
    "(See (B (pol 1 2 3)) (P (team T) (id 4) (pol 1 2 3)))": {
        "vision": events.Vision(
            (POINT("B", 1.0, 2.0, 3.0),), (events.AgentDetection("T", 4, (POINT("P", 1.0, 2.0, 3.0),)),)
        )
    },
    "(See (P (team T) (pol 1 2 3)) (P (pol 4 5 6)) (P (head (pol 7 8 9))) (G1L (pol 1 1 1)))": {
        "vision": events.Vision(
            (POINT("P", 4.0, 5.0, 6.0), POINT("G1L", 1.0, 1.0, 1.0)),
            (
                events.AgentDetection("T", -1, (POINT("P", 1.0, 2.0, 3.0),)),
                events.AgentDetection("", -1, (POINT("head", 7.0, 8.0, 9.0),)),
            ),
        )
    },
    "(See (L (pol 1 2 3) (pol 4 5 6)))": {
        "vision": events.Vision(lines=(events.LineDetection(POINT("L", 1.0, 2.0, 3.0), POINT("L", 4.0, 5.0, 6.0)),))
    },
    "(See (L (n mid) (pol 1 2 3) (pol 4 5 6)))": {
        "vision": events.Vision(
            lines=(events.LineDetection(POINT("mid", 1.0, 2.0, 3.0), POINT("mid", 4.0, 5.0, 6.0)),)
        )
    },
    "(See (mypos 1 2 3) (myorien 4.5) (ballpos 6 7 8))": {
        "vision": events.Vision((), (), (), (1.0, 2.0, 3.0), 4.5, (6.0, 7.0, 8.0))
    },
}  # fmt: skip

BAD = (
    "(((", ")", "text", "()", "(time (now x))", "(time (now 1 2))", "(GS (t 0))", "(GS (t x) (pm a))",
    "(GYR (n torso) (rt 1 2))", "(ACC (n torso))", "(HJ (n hj1))", "(HJ (ax 1))", "(HJ (n hj1) (ax 1.2.3))",
    "(FRP (n lf) (c 1 2 3) (f 1 2))", "(hear alpha)", "(hear a 1 2 3 4)", "(hear alpha x self hi)",
    "(hear alpha 1 here hi)", "(hear (alpha) 1 self hi)", "(UJ (n x) (ax1 1))", "(TCH n bumper val)",
    "(See (B (pol 1 2)))", "(See B)", "(See (L (pol 1 2 3) (pol 1 2 3) (pol 1 2 3) (pol 1 2 3)))",
    "(See (mypos 1 2))", "(See (P (team T) (id x) (head (pol 1 2 3))))", "(time (now 1))(time (now 2))",
    "(AgentState (battery full))",
)  # fmt: skip
UNKNOWN = (
    "(IMG (s 2 2) (d AAAA))",
    "(collision (n torso) (val 1))",
    "(See (B (xyz 1 2 3)))",
    "(time (later 3))",
)


def read(text, **options):
    return Codec(**options).feed(frame(text.encode()))


@pytest.mark.parametrize("text", LISTS)
def test_list_becomes_the_field_of_a_percept(text):
    assert repr(read(text)) == repr([events.Percept(0, **LISTS[text])])  # nan is not equal to nan


@pytest.mark.parametrize("text", BAD)
def test_bad_list_is_malformed_with_a_reason_and_costs_no_other(text):
    found = read(f"(GYR (n other) (rt 1 2 3)){text}")
    assert isinstance(found[0], events.Percept)
    assert [type(event) for event in found[1:]].count(Malformed) >= 1
    assert all(event.reason for event in found[1:] if isinstance(event, Malformed))


@pytest.mark.parametrize("text", UNKNOWN)
def test_unknown_list_keeps_its_bytes(text):
    assert Unknown(0, text.encode()) in read(text)


def test_frame_of_nothing_is_malformed():
    assert [type(event) for event in read("  ")] == [Malformed]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("(hear alpha 12.3 self hi)", "0.7"),
        ("(hear 12.3 self hi)", "0.6"),
        ("(GS (t 1) (pm PlayOn))", "0.6"),
        ("(See (L (n mid) (pol 1 2 3) (pol 4 5 6)))", "spl"),
    ],
)
def test_dialect_is_found_from_the_stream(text, dialect):
    codec = Codec()
    codec.feed(frame(text.encode()))
    assert codec.dialect == dialect


def test_dialect_that_was_told_is_insisted_on():
    told = Codec(dialect="0.7")
    assert isinstance(told.feed(frame(b"(hear 12.3 self hi)"))[0], Malformed)
    assert told.dialect == "0.7"


def test_lines_of_another_dialect_than_told_are_malformed_and_cost_no_other_sight():
    text = "(See (B (pol 1 2 3)) (L (pol 1 2 3) (pol 4 5 6)) (L (n mid) (pol 1 2 3) (pol 4 5 6)))"
    percept, report = read(text, dialect="0.7")
    assert [point.name for point in percept.vision.points] == ["B"]
    assert [line.start.name for line in percept.vision.lines] == ["L"]
    assert "of dialect spl, not 0.7" in report.reason
    assert len(read(text, dialect="spl")[0].vision.lines) == 2


def test_what_is_broken_in_a_picture_costs_no_other_sight():
    percept, report = read("(See (mypos 1 2) (myorien 4.5) (B (pol 1 2 3)))")
    assert percept.vision == events.Vision((POINT("B", 1.0, 2.0, 3.0),), my_orientation_deg=4.5)
    assert report.reason == "mypos has 2 values instead of 3 in the list at byte 0"


def test_unknown_dialect_is_refused_with_the_choices():
    with pytest.raises(ConfigError, match=r"0\.6"):
        Codec(dialect="seed")


def test_deep_nesting_and_giant_atoms_are_survived():
    for payload in (
        b"(" * 400_000,
        b"(" * 300_000 + b")" * 300_000,
        b"(" + b"a" * 900_000 + b")",
        b"(a" * 300_000,
    ):
        found = Codec().feed(frame(payload))
        assert [type(event) for event in found] in ([Malformed], [Unknown])


def test_a_frame_of_many_lists_gives_few_events():
    found = Codec().feed(frame(b"(x)" * 100_000))
    assert len(found) <= 1001
    assert isinstance(found[-1], Malformed)


def recorded():
    framer = Framer()
    for path in sorted(DATA.glob("*.bin")):
        yield from (found.payload.decode() for found in framer.feed(path.read_bytes()))


def by_lists(text):
    return PerceptReader(Dialect()).read_lists(0, text.encode())


def by_pattern(text, dialect=None):
    reader = PerceptReader(Dialect(dialect))
    fields = reader.quick(text)
    return None if fields is None else [reader.percept(0, fields)]


def test_patterns_read_all_that_was_recorded_as_the_lists_do():
    texts = list(recorded())
    assert len(texts) == 80
    for text in texts:
        found = by_pattern(text)
        assert found is not None
        assert found == by_lists(text)


def test_patterns_leave_what_is_not_usual_to_the_lists():
    text = next(recorded())
    assert by_pattern(text.replace("(GYR", "(hear a 1.0 self hi)(GYR"), OLD) is None
    assert by_pattern(text.replace("torso", "tor\x1cso")) is None
    heard = "(hear a 1.0 north hi)"
    for other in ("", f"{text}(x 1)", text[: text.index("(HJ")], text.replace("(GYR", f"{heard}(GYR")):
        assert by_pattern(other) in (None, by_lists(other))
    assert by_pattern(text.replace("(GYR", f"{heard}(GYR")) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("torso", "Bär"),
        ("(GYR", "(hear Bär 1.0 self hi)(hear b 1.0 3.5 ho)(GYR"),
        ("(See ", "(See (Ä (pol 1 2 3)) "),
    ],
)
def test_patterns_read_what_others_than_english_teams_have(old, new):
    text = next(recorded()).replace(old, new)
    assert "(See" in text
    assert repr(by_pattern(text)) == repr(by_lists(text)[:1])


def test_frame_that_is_too_long_and_one_that_breaks_off_are_told():
    codec = Codec(max_frame=20)
    (told,) = codec.feed(frame(b"x" * 21))
    assert isinstance(told, Malformed)
    codec.feed(b"\0\0\0\x09(See")
    assert codec.close() == [Truncated(25, 8)]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_mutated_percepts_are_survived_and_patterns_agree_with_lists(data):
    text = data.draw(st.sampled_from(list(recorded())[::9]))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text)))
        text = text[:place] + data.draw(st.sampled_from(["", "(", ")", " ", "nan", "-", "x", "9"])) + text[
            place + data.draw(st.integers(0, 3)) :
        ]  # fmt: skip
    found = read(text or " ")
    assert found
    quick = by_pattern(text)
    if quick is not None:
        assert repr(quick) == repr(by_lists(text))
        assert repr(found) == repr(quick)
