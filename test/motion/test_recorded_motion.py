# SPDX-License-Identifier: Apache-2.0
"""Recorded tracks: thinned, written as a skill, read back, played from anywhere."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_stage import DT, SMALL, SMALL_FILE, Stage

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.body.description import Track
from embodiment_bridge.body.state import SkillStatus
from embodiment_bridge.cli.motion_file import skill_text, track_of
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.motion.joints.keyframes import points_of, recorded, thinned
from embodiment_bridge.motion.joints.move import Brake
from embodiment_bridge.motion.joints.trajectory import Trajectory

NEAR = 0.01
TIMES = [i * DT for i in range(201)]
NAMES = ["yaw", "turn", "left", "right"]
ROWS = [[0.6 * math.sin(2 * t), 0.5 + 0.4 * math.cos(t), 0.001 * t, 0.3] for t in TIMES]


def skill_of_rows() -> str:
    return skill_text("swing", SMALL, track_of(SMALL, NAMES, TIMES, ROWS, NEAR))


def body_with(text: str):
    return parse_body(SMALL_FILE + "".join(f"  {line}\n" for line in text.splitlines()), "small.yaml")


def test_joints_that_did_not_move_stay_out() -> None:
    track = track_of(SMALL, NAMES, TIMES, ROWS, NEAR)
    assert track.joints == ("yaw", "turn")
    assert track.length == pytest.approx(4.0, abs=0.05)
    assert len(track.times) < 60
    assert track_of(SMALL, NAMES, TIMES, [[0.1, 0.2, 0.3, 0.4]] * len(TIMES), NEAR) is None


@settings(max_examples=40)
@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=60), st.floats(0.005, 0.2))
def test_a_thinned_track_is_near_every_sample(angles, near) -> None:
    times = [0.1 * i for i in range(len(angles))]
    track = thinned(["yaw"], times, [[angle] for angle in angles], near)
    curve = Trajectory([0], [angles[0]], points_of(track))
    out = [0.0]
    for time, angle in zip(times, angles, strict=True):
        curve.advance(time - curve.time)
        curve.write(out)
        assert abs(out[0] - angle) <= near + 1e-9


def test_written_read_and_played_it_does_what_was_recorded() -> None:
    stage = Stage(body_with(skill_of_rows()))
    request = stage.start("swing")
    seen = []
    while not seen or not stage.last(request).status.ended:
        stage.run(DT)
        seen.append((stage.angle("yaw"), stage.angle("turn")))
    assert stage.last(request).status is SkillStatus.SUCCEEDED
    for (yaw, turn), row in list(zip(seen, ROWS[1:], strict=False))[25:]:  # after the way to its beginning
        assert yaw == pytest.approx(row[0], abs=3 * NEAR)
        assert turn == pytest.approx(row[1], abs=3 * NEAR)


@given(st.floats(-1, 1), st.floats(-2, 2))
def test_it_begins_where_and_as_fast_as_the_joint_is(position, velocity) -> None:
    track = Track(("yaw",), (0.0, 1.0, 2.0), ((0.5,), (-0.5,), (0.2,)))
    brake = Brake(SMALL.joints, {0: position}, {0: velocity}, {0: 1.0})
    motion = recorded([0], brake, track, SMALL.joints[:1], 2.0)
    out = [0.0]
    motion.write(out)
    assert out[0] == pytest.approx(position)
    motion.advance(1e-4)
    motion.write(out)
    assert (out[0] - position) / 1e-4 == pytest.approx(velocity, abs=0.02)
    motion.advance(10.0)
    motion.write(out)
    assert motion.done
    assert out[0] == pytest.approx(0.2)


@pytest.mark.parametrize("slot", [0.0, 1.0, 3.0, 8.0])
def test_it_takes_its_slot_and_no_joint_goes_faster_than_it_may(slot: float) -> None:
    body = body_with(skill_of_rows())
    stage = Stage(body)
    request = stage.start("swing", slot=slot)
    elapsed, before = 0.0, stage.angle("yaw")
    while not elapsed or not stage.last(request).status.ended:
        stage.run(DT)
        elapsed += DT
        assert abs(stage.angle("yaw") - before) <= 2.0 * DT + 1e-9
        before = stage.angle("yaw")
    wanted = slot or body.skills["swing"].nominal_s
    assert elapsed == pytest.approx(max(wanted, body.skills["swing"].min_s), abs=0.15)


GOOD = """\
  swing:
    kind: motion
    channels: [head]
    nominal_s: 2.0
    min_s: 1.0
    track: {joints: [yaw], points: [[0, 0.0], [1.0, 0.5], [2.0, 0.0]]}
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[0, 0.0]", "[0.1, 0.0]", "times that begin at 0 and increase"),
        ("[1.0, 0.5]", "[3.0, 0.5]", "times that begin at 0 and increase"),
        ("[1.0, 0.5]", "[1.0, 1.5]", "yaw at 1.5 in point 1, not within -1..1 rad"),
        ("[1.0, 0.5]", "[1.0]", "point 1 has no time and 1 angles"),
        ("[1.0, 0.5]", "[1.0, .nan]", "point 1 has no time and 1 angles"),
        ("[1.0, 0.5]", "[1.0, true]", "point 1 has no time and 1 angles"),
        ("points: [[0, 0.0], [1.0, 0.5], [2.0, 0.0]]", "points: [[0, 0.0]]", "a list of 2 to 5000 points"),
        ("points: [[0, 0.0], [1.0, 0.5], [2.0, 0.0]]", "points: 3", "a list of 2 to 5000 points"),
        ("[yaw]", "[turn]", "unknown value 'turn'"),
        ("[yaw]", "[]", "at least one joint"),
        ("track:", "keyframes: [{at: 1.0}]\n    track:", "keyframes: .* is not left out beside track"),
        ("min_s: 1.0", "min_s: 0.1", "min_s: 0.1 is not long enough for its joints, which need"),
    ],
)
def test_fault_in_a_track_is_named(old: str, new: str, message: str) -> None:
    assert old in GOOD
    parse_body(SMALL_FILE + GOOD, "small.yaml")
    with pytest.raises(ConfigError, match=message):
        parse_body(SMALL_FILE + GOOD.replace(old, new, 1), "small.yaml")


def test_motions_in_files_of_their_own(tmp_path) -> None:
    (tmp_path / "swing.yaml").write_text(skill_of_rows())
    body = tmp_path / "small.yaml"
    body.write_text(SMALL_FILE + "motions: [swing.yaml]\n")
    assert read_body(body).skills["swing"].track is not None
    body.write_text(SMALL_FILE + "motions: [swing.yaml, swing.yaml]\n")
    with pytest.raises(ConfigError, match="another name than those of the other skills"):
        read_body(body)
    body.write_text(SMALL_FILE + "motions: [missing.yaml]\n")
    with pytest.raises(ConfigError, match=r"motions: .*missing.yaml: cannot be read"):
        read_body(body)
    body.write_text(SMALL_FILE + "motions: 3\n")
    with pytest.raises(ConfigError, match="motions: 3 is not a list of paths"):
        read_body(body)
