# SPDX-License-Identifier: Apache-2.0
"""Body files: what they say, what is refused, and files that are like another one."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_stage import SEED_ACTIONS, SMALL, SMALL_FILE, T1, T1_FILE, MovedBody

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.body.description import Keyframe
from embodiment_bridge.core.errors import ConfigError

# ruff: noqa: E501  (a fault is one row)


T1_TEXT = T1_FILE.read_text(encoding="utf-8")


def test_t1_has_its_joints_in_the_order_of_the_model() -> None:
    names = [joint.name for joint in T1.joints]
    assert len(names) == 23
    assert names[:3] == ["AAHead_yaw", "Head_pitch", "Left_Shoulder_Pitch"]
    assert names[10:13] == ["Waist", "Left_Hip_Pitch", "Left_Hip_Roll"]
    assert names[-1] == "Right_Ankle_Roll"
    assert T1.channels == ("eyes", "head", "waist", "arm_l", "arm_r", "legs")


def test_t1_has_a_skill_for_every_action_of_the_behaviour_language() -> None:
    infos = {info.name: info for info in T1.skill_infos()}
    assert set(SEED_ACTIONS) <= set(infos)
    absent = {name for name, info in infos.items() if not info.available}
    assert absent == {name for name in infos if name in ("hand_grip", "hand_relax")}
    assert all(infos[name].min_s <= 1.5 for name in SEED_ACTIONS)
    assert infos["step_forward"].parameters == ("distance",)
    assert (infos["reset"].nominal_s, infos["head_shake"].kind, infos["walk"].kind) == (1.0, "motion", "walk")


def test_mirrored_joints_of_t1_have_mirrored_ranges() -> None:
    joints = {joint.name: joint for joint in T1.joints}
    for joint in T1.joints:
        image = joints[joint.mirror]
        ends = sorted((joint.mirror_sign * joint.lower, joint.mirror_sign * joint.upper))
        assert ends == [image.lower, image.upper], joint.name
        assert image.rest == joint.mirror_sign * joint.rest


def test_a_continuous_joint_turns_on_and_on() -> None:
    text = SMALL_FILE.replace("range: [-1.0, 1.0], velocity: 2.0", "range: continuous, velocity: 2.0")
    stage = MovedBody(parse_body(text, "small.yaml"))
    for number in range(1500):
        stage.runner.drive(["yaw"], {"position": [0.03 * number]})
        stage.step()
    assert stage.angle("yaw") == pytest.approx(0.03 * 1499, abs=0.1)


def test_file_becomes_description() -> None:
    assert [j.name for j in SMALL.joints] == ["yaw", "turn", "left", "right"]
    assert SMALL.skills["wave"].keyframes == (
        Keyframe(0.25, {"left": 0.5}),
        Keyframe(0.5, {"left": 0.0}),
        Keyframe(0.75, {"right": -0.5}),
        Keyframe(1.0, {"right": -0.0}),
    )
    assert SMALL.skills["reset"].keyframes[0].position == {"yaw": 0.0, "turn": 0.5, "left": 0.0, "right": 0.0}
    assert SMALL.skills["look"].on_stop == "reset"
    assert SMALL.skills["eye_red"].light.color == (1.0, 0.0, 0.0)
    assert [i.available for i in SMALL.skill_infos()] == [True] * 6 + [False] * 3


def test_body_without_joints_may_have_native_skills() -> None:
    text = "body: grid\nchannels: [legs]\nskills:\n  go: {kind: native, channels: [legs], nominal_s: 1, min_s: 0}\n"
    body = parse_body(text, "grid.yaml")
    assert (body.joints, body.carrier, body.fall) == ((), None, None)
    assert body.skill_infos()[0].kind == "native"


# what to replace in a good file -> by what, and the message (after the name of the file)
SMALL_FAULTS = [
    ("body: small", "bodi: small", "body: missing"),
    ("body: small", "body: [small]", r"body: \['small'\] is not a text"),
    ("skills:", "extra: 1\nskills:", r"unknown key 'extra' \(known: base, battery, body, channels, emotions, fall, gait"),
    ("skills:", "skils:", "skills: missing"),
    ("[head, waist, arm_l, arm_r]\njoints", "[head, waits, arm_l, arm_r]\njoints", "channels: unknown value 'waits'; did you mean 'waist'?"),
    ("[head, waist, arm_l, arm_r]\njoints", "[head, head]\njoints", "channels: .* is not free of repetition"),
    ("[head, waist, arm_l, arm_r]\njoints", "head\njoints", "channels: 'head' is not a list"),
    ("[head, waist, arm_l, arm_r]\njoints", "[1]\njoints", r"channels: \[1\] is not a list of texts"),
    ("joints:\n", "joints: 5\nrest:\n", "joints: 5 is not a mapping"),
    ("channel: head", "channel: hand_l", "joints.yaw.channel: unknown value 'hand_l'"),
    ("range: [-1.0, 1.0], velocity: 2.0", "range: [1.0, -1.0], velocity: 2.0", r"joints.yaw.range: \[1.0, -1.0\] is not \[lower, upper\] or continuous"),
    ("range: [-1.0, 1.0], velocity: 2.0", "range: endless, velocity: 2.0", "joints.yaw.range: 'endless' is not a list"),
    ("range: [-1.0, 1.0], velocity: 2.0", "range: [-1.0], velocity: 2.0", "joints.yaw.range: .* is not a list of 2 numbers"),
    ("range: [-1.0, 1.0], velocity: 2.0", "range: [-99, 1.0], velocity: 2.0", "joints.yaw.range: .* is not within -10..10"),
    ("velocity: 2.0", "velocity: 0", "joints.yaw.velocity: 0 is not within 1e-06..100"),
    ("velocity: 2.0", "velocity: fast", "joints.yaw.velocity: 'fast' is not a finite number"),
    ("velocity: 2.0", "velocity: .nan", "joints.yaw.velocity: nan is not a finite number"),
    ("velocity: 2.0", "velocity: true", "joints.yaw.velocity: True is not a finite number"),
    ("velocity: 2.0", "speed: 2.0", "joints.yaw.velocity: missing"),
    ("kd: 1, mirror", "kd: 1, ki: 3, mirror", r"joints.yaw: unknown key 'ki'.*known: acceleration, channel, effort, kd, kp"),
    ("rest: 0.5", "rest: 2.0", "joints.turn.rest: 2.0 is not within -1..1.5"),
    ("mirror: -yaw", "mirror: -jaw", "joints.yaw.mirror: unknown value '-jaw'"),
    ("mirror: -right", "mirror: -left", "joints.right: .* is not the mirror image of what 'left' says of it"),
    ("  nod:", "  Nod:", "skills.Nod: .* is not under a name of lower case letters"),
    ("nod: {kind: motion", "nod: {kind: emotion", r"skills.nod.kind: unknown value 'emotion'; did you mean 'motion'\?"),
    ("nod: {kind: motion", "nod: {kind: walk", "skills.nod.walk: missing"),
    ("nod: {kind: motion, channels: [head]", "nod: {kind: motion, channels: []", "skills.nod.channels: .* at least one"),
    ("nominal_s: 2.0, min_s: 1.0", "nominal_s: -1, min_s: 1.0", "skills.nod.nominal_s: -1 is not within 0..86400"),
    ("nominal_s: 2.0, min_s: 1.0", "nominal_s: 2.0, min_s: 3.0", "skills.nod.min_s: 3.0 is not within 0..2"),
    ("nominal_s: 2.0, min_s: 1.0", "nominal_s: 2.0, min_s: 0.9", "skills.nod.min_s: 0.9 is not long enough for its joints, which need 0.938 s: 'yaw' is the slowest, to the keyframe at 0.5"),
    ("on_stop: reset", "on_stop: freeze", "skills.look.on_stop: unknown value 'freeze' .known: finish, hold, reset"),
    ("on_stop: reset", "on_pause: reset", "skills.look: unknown key 'on_pause'"),
    ("keyframes: [{at: 0.5, yaw: 0.5}, {at: 1.0, yaw: 0}]", "keyframes: []", "skills.nod.keyframes: .* ends at 1.0"),
    ("{at: 1.0, yaw: 0}]", "{at: 0.9, yaw: 0}]", "skills.nod.keyframes: .* is not a list that ends at 1.0"),
    ("{at: 1.0, yaw: 0}]", "{at: 0.5, yaw: 0}]", r"skills.nod.keyframes\[1\].at: 0.5 is not later than 0.5"),
    ("{at: 1.0, yaw: 0}]", "{yaw: 0}]", r"skills.nod.keyframes\[1\].at: missing"),
    ("{at: 1.0, yaw: 0}]", "{at: 1.0, jaw: 0}]", r"skills.nod.keyframes\[1\]: unknown key 'jaw'; did you mean 'yaw'\?"),
    ("{at: 1.0, yaw: 0}]", "{at: 1.0, turn: 0}]", r"skills.nod.keyframes\[1\]: unknown key 'turn'"),
    ("{at: 1.0, yaw: 0}]", "{at: 1.0, yaw: 3}]", r"skills.nod.keyframes\[1\].yaw: 3 is not within -1..1"),
    ("{at: 1.0, yaw: 0}]", "5]", r"skills.nod.keyframes\[1\]: 5 is not a mapping"),
    ("then_mirrored: true", "then_mirrored: yes please", "skills.wave.then_mirrored: 'yes please' is not true or false"),
    ("channels: [arm_l, arm_r]\n", "channels: [arm_l]\n", "skills.wave.then_mirrored: True is not possible: 'right' cannot go to -0.5"),
    ("light: {pattern: steady, color: [1, 0, 0]}", "light: {pattern: stedy}", "skills.eye_red.light.pattern: unknown value 'stedy'"),
    ("color: [1, 0, 0]", "color: [255, 0, 0]", "skills.eye_red.light.color: .* is not within 0..1"),
    (", light: {pattern: steady, color: [1, 0, 0]}", "", "skills.eye_red.light: missing"),
    ("min_s: 0.3}", "min_s: 0.3, parameters: {far: {range: [0, 1]}}}", "skills.grip.parameters: unknown key 'far'"),
    ("body: small", "body: small\nbody: twice", "cannot be read as YAML: .*key 'body' given twice"),
    ("body: small", "body: [small", "cannot be read as YAML"),
    ("body: small", "body: small\nfall: {height: 0.4, tilt: 0.0, recover_s: 1}", "fall.tilt: 0.0 is not within 0.1..3.2"),
    ("body: small", "body: small\nfall: {height: 0.4, recover_s: 1}", "fall.tilt: missing"),
]  # fmt: skip
T1_FAULTS = [
    ("frequency: ", "frequenzy: ", "gait.parameters.frequency: missing"),
    ("frequency_v: -0.2691", "frequency_v: -2.6", "gait.parameters.frequency: 2.691 is not within 0.1..10, also with frequency_v"),
    ("hip_pitch: Left_Hip_Pitch", "hip_pitch: Left_Hipp_Pitch", r"gait.left.hip_pitch: unknown value 'Left_Hipp_Pitch'; did you"),
    ("waist: Waist", "waist: Waste", "gait.waist: unknown value 'Waste'"),
    ("shank: 0.28", "shank: 0", "gait.lengths.shank: 0 is not within 0.01..10"),
    ("walk: twist", "walk: dance", "skills.foot_yaw.walk: unknown value 'dance'"),
    ("direction: -1", "direction: 2", "skills.step_backward.direction: 2 is not 1 or -1"),
    ("distance: {range: [0.03, 5.0], unit: m, default: 0.1}", "way: {range: [0, 5]}", "skills.step_forward.parameters: unknown key 'way'"),
    ("distance: {range: [0.03, 5.0], unit: m, default: 0.1}", "distance: {range: [0.03, 5.0]}", "distance.default: missing"),
    ("distance: {range: [0.03, 5.0], unit: m, default: 0.1}", "distance: {range: [5, 0], default: 1}", "distance.range: .* is not .lower, upper."),
    ("distance: {range: [0.03, 5.0], unit: m, default: 0.1}", "distance: {range: [0.1, 5], default: 9}", "distance.default: 9 is not within 0.1..5"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), SMALL_FAULTS)
def test_fault_is_named(old: str, new: str, message: str) -> None:
    assert old in SMALL_FILE
    with pytest.raises(ConfigError) as error:
        parse_body(SMALL_FILE.replace(old, new, 1), "small.yaml")
    assert re.search(message, str(error.value)), error.value
    assert str(error.value).startswith("small.yaml: ")


@pytest.mark.parametrize(("old", "new", "message"), T1_FAULTS)
def test_fault_in_gait_or_walk_is_named(old: str, new: str, message: str) -> None:
    assert old in T1_TEXT
    with pytest.raises(ConfigError) as error:
        parse_body(T1_TEXT.replace(old, new, 1), "t1.yaml")
    assert re.search(message, str(error.value)), error.value


def test_keyframes_are_limited() -> None:
    many = ", ".join(f"{{at: {i / 1001}, yaw: 0}}" for i in range(1, 1002))
    with pytest.raises(ConfigError, match=r"keyframes: .* is not a list of at most 1000"):
        parse_body(SMALL_FILE.replace("{at: 0.5, yaw: 0.5}, {at: 1.0, yaw: 0}", many), "small.yaml")


@pytest.mark.parametrize(
    ("skill", "old", "new"),
    [
        ("step_forward", "range: [0.03,", "range: [-1,"),
        ("step_left", "range: [0.03,", "range: [-1.0,"),
        ("walk", "steps: {range: [1,", "steps: {range: [-1,"),
        ("walk", "duration: {range: [0.5,", "duration: {range: [-0.5,"),
    ],
)
def test_a_walk_of_less_than_nothing_is_refused(skill: str, old: str, new: str) -> None:
    before, begin, after = T1_TEXT.partition(f"  {skill}:")
    damaged = before + begin + after.replace(old, new, 1)
    assert damaged != T1_TEXT
    with pytest.raises(ConfigError, match=rf"skills\.{skill}\.parameters\.\w+\.range: .* is not 0 or more"):
        parse_body(damaged, "t1.yaml")


def test_walking_skill_needs_a_gait() -> None:
    head, skills = T1_TEXT.split("gait:\n", 1)
    with pytest.raises(ConfigError, match=r"skills.kick.kind: 'walk' is not possible without a gait"):
        parse_body(head + skills[skills.index("skills:") :], "t1.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "None is not a mapping"),
        ("- 1", r"\[1\] is not a mapping"),
        ("1: 2", "not a mapping from names to values"),
        ("[" * 5000, "cannot be read as YAML"),
        (
            "a: !!python/object/apply:os.getcwd []",
            "cannot be read as YAML: could not determine a constructor",
        ),
        ("x" * 1_000_001, "1000001 characters are more than the limit of 1000000"),
        ("? [1, 2]\n: 3", "not a mapping from names to values|cannot be read as YAML"),
    ],
)
def test_text_that_is_no_body_file(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_body(text, "x.yaml")


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, len(SMALL_FILE)), st.integers(0, 12), st.text(":{}[]-, \n'0123456789.naeyw&*!", max_size=6)
)
def test_any_damage_gives_a_body_or_a_clear_error(start: int, length: int, text: str) -> None:
    damaged = SMALL_FILE[:start] + text + SMALL_FILE[start + length :]
    try:
        body = parse_body(damaged, "small.yaml")
    except ConfigError as error:
        assert str(error).startswith("small.yaml: ")  # noqa: PT017
    else:
        assert body.joints


def test_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"body file .*none.yaml: cannot be read: .*No such file"):
        read_body(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_bytes(b"body: \xff\xfe")
    with pytest.raises(ConfigError, match=r"bad.yaml: not UTF-8, at byte 6"):
        read_body(tmp_path / "bad.yaml")


OTHER = """
like: small.yaml
body: other
skills:
  nod: {kind: motion, channels: [head], nominal_s: 3.0, min_s: 1.0, keyframes: [{at: 1.0, yaw: 0.2}]}
  shake: {kind: motion, channels: [head], nominal_s: 3.0, min_s: 1.0, keyframes: [{at: 1.0, yaw: 0.2}]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.yaml").write_text(SMALL_FILE)
    return tmp_path


def other(folder: Path, text: str = OTHER):
    (folder / "other.yaml").write_text(text)
    return read_body(folder / "other.yaml")


def test_keys_are_those_of_the_other_file_but_for_its_own(folder: Path) -> None:
    body = other(folder)
    assert (body.name, body.joints, body.channels) == ("other", SMALL.joints, SMALL.channels)
    assert list(body.skills) == [*SMALL.skills, "shake"]
    assert body.skills["nod"].nominal_s == 3.0
    assert body.skills["look"] == SMALL.skills["look"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("like: nobody.yaml\nbody: other\n", "other.yaml: like: .*nobody.yaml: cannot be read"),
        ("like: other.yaml\nbody: other\n", "like: 'other.yaml' is not a file without the key 'like'"),
        ("like: 3\nbody: other\n", "like: 3 is not"),
        ("like: small.yaml\ngame: 3\n", "unknown key 'game'"),
        ("like: small.yaml\nskills: 3\n", "skills: 3 is not a mapping"),
    ],
)
def test_a_fault_is_named(folder: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        other(folder, text)


def test_a_text_without_a_file_is_like_no_other() -> None:
    with pytest.raises(ConfigError, match="is not possible for a body that is read from a file"):
        parse_body(OTHER, "other.yaml")


KICK = read_body(T1_FILE).carrier.kick


def test_strength_is_that_after_which_the_ball_rolls_so_far() -> None:
    ways = KICK.ways
    assert [KICK.strength(way) for way in (0.0, ways[0], ways[2], ways[-1], 99.0)] == pytest.approx(
        [0.0, 0.0, 2 / (len(ways) - 1), 1.0, 1.0]
    )
    assert KICK.strength(0.5 * (ways[1] + ways[2])) == pytest.approx(1.5 / (len(ways) - 1))


def test_drift_is_interpolated() -> None:
    outward = KICK.outward
    assert [KICK.drift(s) for s in (-1.0, 0.0, 1.0, 2.0)] == [
        outward[0],
        outward[0],
        outward[-1],
        outward[-1],
    ]
    assert KICK.drift(0.5 / (len(outward) - 1)) == pytest.approx(0.5 * (outward[0] + outward[1]))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (r"reach_at: 0.623", "reach_at: 0.01", "gait.kick.reach_at: 0.01 is not within 0.02..0.99"),
        (r"reach_at: 0.623", "reach_at: 0.04", "gait.kick.reach_at: 0.04 is not later than back_at, 0.05"),
        ("    ways: [", "    ways: [9.0, ", "is not a list of numbers that grow"),
        ("    outward: [", "    outward: [0.1, ", "gait.kick.outward: .* is not a list of 11 numbers"),
        ("    toe:", "    tow:", "gait.kick.toe: missing"),
    ],
)
def test_what_is_wrong_is_named(old, new, why) -> None:
    text = T1_FILE.read_text()
    assert text.count(old) == 1
    with pytest.raises(ConfigError, match=why):
        parse_body(text.replace(old, new), "t1.yaml")


def test_a_ball_that_lies_further_ahead_is_kicked_more_softly() -> None:
    assert min(KICK.further) > 0.0
    kick, way = replace(KICK, further=(15.0,) * len(KICK.ways)), 0.5 * (KICK.ways[2] + KICK.ways[3])
    assert kick.strength(way, 0.02) == pytest.approx(kick.strength(way * math.exp(-0.02 * 15.0)))
    assert kick.strength(way, 0.02) < kick.strength(way) < kick.strength(way, -0.02)
    assert kick.strength(math.inf, 0.02) == 1.0


def test_how_much_further_may_differ_from_strength_to_strength() -> None:
    kick = replace(KICK, ways=(1.0, 2.0, 4.0), further=(10.0, 0.0, -10.0))
    assert kick.strength(2.0, 0.02) == pytest.approx(0.5)
    assert kick.strength(math.exp(0.2), 0.02) == pytest.approx(0.0)
    assert kick.strength(3.9 * math.exp(-0.2), 0.02) > kick.strength(3.9 * math.exp(-0.2))
    assert kick.strength(1.0, 0.2) == 0.0  # as if the softest kick rolled further than the next one
