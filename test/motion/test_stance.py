# SPDX-License-Identifier: Apache-2.0
"""Legs that stand: their stances, and the inverse kinematics of a leg."""

from itertools import pairwise
from math import cos, hypot, sin
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from motion_stage import T1, T1_FILE, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.stance import UPRIGHT, Stance
from embodiment_bridge.body.state import SkillStatus
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.motion.gait.gait import SHORTEST, LegIk
from embodiment_bridge.motion.locomotion.legs import StanceChange

KNEE = "Left_Knee_Pitch"
DESK = Path(T1_FILE).with_name("desk_humanoid.yaml")


def crouched() -> MovedBody:
    stage = MovedBody(T1)
    stage.usual = stage.angle(KNEE)
    stage.finish(stage.start("afraid"))
    stage.run(0.5)
    return stage


def test_an_emotion_bends_the_knees_and_does_not_claim_the_legs() -> None:
    stage = crouched()
    assert stage.angle(KNEE) > stage.usual + 0.3
    assert "legs" not in T1.skills["afraid"].channels


def test_intensity_bends_them_less() -> None:
    stage, full = MovedBody(T1), crouched()
    stage.finish(stage.start("afraid", intensity=0.4))
    assert full.usual + 0.1 < stage.angle(KNEE) < full.angle(KNEE) - 0.1


@pytest.mark.parametrize("skill", ["neutral", "happy", "stand", "reset"])
def test_the_usual_stance_returns(skill: str) -> None:
    stage = crouched()
    assert stage.finish(stage.start(skill)).status is SkillStatus.SUCCEEDED
    assert stage.angle(KNEE) == pytest.approx(stage.usual, abs=0.01)


def test_a_walk_begins_from_the_usual_stance() -> None:
    stage = crouched()
    assert stage.runner.set_velocity(0.3, 0.0, timeout=5.0)
    before = []
    while stage.runner.status == "standing":
        stage.step()
        before.append(stage.angle(KNEE))
    assert 20 < len(before) < 60
    assert before[-1] == pytest.approx(stage.usual, abs=0.05)
    assert max(abs(b - a) for a, b in pairwise(before)) < 0.06


def test_an_emotion_during_a_walk_has_its_stance_after_it() -> None:
    stage = MovedBody(T1)
    walk = stage.start("walk", distance=0.5)
    stage.run(0.5)
    stage.start("sad")
    assert stage.finish(walk).status is SkillStatus.SUCCEEDED
    stage.run(2.0)
    assert stage.angle("Left_Hip_Pitch") < T1.joints[stage.index["Left_Hip_Pitch"]].rest - 0.2


def test_a_hold_stops_the_change() -> None:
    stage = MovedBody(T1)
    usual = stage.angle(KNEE)
    stage.start("afraid")
    stage.runner.hold(True)
    stage.run(3.0)
    assert stage.angle(KNEE) == pytest.approx(usual, abs=0.02)
    stage.runner.hold(False)
    stage.run(3.0)
    assert stage.angle(KNEE) > usual + 0.3


def test_a_change_is_smooth_and_may_turn_round() -> None:
    change, seen = StanceChange(), []
    for goal in (Stance(lower=0.1, sway=0.2), UPRIGHT):
        change.aim(goal, 1.0)
        for _ in range(40 if goal.lower else 60):
            change.step(0.02)
            seen.append(change.now.lower)
    assert max(abs(b - a) for a, b in pairwise(seen)) < 0.005
    assert 0.08 < max(seen) < 0.1
    assert change.now == UPRIGHT
    assert change.upright


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (
            T1_FILE,
            "stance: {lower:",
            "stance: {lower: 7.0, ahead:",
            "stance.lower: 7.0 is not within -0.5..0.5",
        ),
        (T1_FILE, "stance: {lower:", "stance: {deeper:", "stance: unknown key 'deeper'"),
        (DESK, "happy: {", "happy: {stance: {lean: 0.1}, ", "stance: .* is not possible without a gait"),
    ],
)
def test_a_stance_that_cannot_be_is_named(file: Path, old: str, new: str, message: str) -> None:
    text = file.read_text()
    assert old in text
    end = text.index("}", text.index(old))
    if new.endswith("ahead:"):
        text = text[: text.index(old)] + "stance: {lower: 7.0" + text[end:]
    else:
        text = text.replace(old, new, 1)
    with pytest.raises(ConfigError, match=message):
        parse_body(text, file.name)


BACK, THIGH, SHANK = 0.014, 0.235854, 0.28
LEG = LegIk(BACK, THIGH, SHANK)


def ankle_at(hip: float, knee: float) -> tuple[float, float]:
    """(x, z) m of the ankle: turning about y by a takes (x, z) to (x cos a + z sin a, z cos a - x sin a)."""
    x, z = -BACK * cos(hip) - THIGH * sin(hip), BACK * sin(hip) - THIGH * cos(hip)
    shank = hip + knee
    return x - SHANK * sin(shank), z - SHANK * cos(shank)


@given(st.floats(-0.25, 0.25), st.floats(-0.5, -0.3))
def test_puts_the_ankle_where_it_was_asked_with_the_foot_level(x: float, z: float) -> None:
    hip, knee, ankle = LEG.solve(x, z)
    if hypot(x, z) < 0.515:
        assert ankle_at(hip, knee) == pytest.approx((x, z), abs=1e-9)
    assert hip + knee + ankle == pytest.approx(0.0)
    assert knee >= 0.0


@pytest.mark.parametrize(
    ("x", "z", "length"), [(0, -9, 0.51617), (9, -9, 0.51617), (0, -0.01, SHORTEST), (0, 0, SHORTEST)]
)
def test_out_of_reach_gives_the_nearest_length(x: float, z: float, length: float) -> None:
    hip, knee, _ = LEG.solve(x, z)
    assert hypot(*ankle_at(hip, knee)) == pytest.approx(length, abs=1e-4)


@pytest.mark.parametrize(("thigh", "shank"), [(0.093, 0.093), (0.05, 0.06), (0.3, 0.04)])
def test_a_small_leg_bends_too(thigh: float, shank: float) -> None:
    leg, whole = LegIk(0.0, thigh, shank), thigh + shank
    for share in (0.9, 0.75, 0.1):
        hip, knee, ankle = leg.solve(0.0, -share * whole)
        x = -thigh * sin(hip) - shank * sin(hip + knee)
        z = -thigh * cos(hip) - shank * cos(hip + knee)
        assert hip + knee + ankle == pytest.approx(0.0)
        shortest = max(0.5 * whole, abs(thigh - shank))
        assert hypot(x, z) == pytest.approx(max(share * whole, shortest), abs=1e-3)
