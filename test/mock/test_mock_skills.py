# SPDX-License-Identifier: Apache-2.0
"""What the mock body's skills do in its world, and why they fail."""

import math

import pytest
from mock_stage import BODY, MockWorld

from embodiment_bridge.body.state import SkillStatus
from embodiment_bridge.core.errors import CommandError

SUCCEEDED, FAILED, CANCELED = SkillStatus.SUCCEEDED, SkillStatus.FAILED, SkillStatus.CANCELED
EYES = ("eye_red", "eye_green", "eye_blue", "eye_yellow", "eye_open", "eye_close", "eye_wink")
HANDS = ("hand_grip", "hand_relax", "hand_roll", "hand_pitch")
FEET = ("foot_yaw", "foot_pitch", "step_forward", "step_backward", "turn_left", "turn_right")
SEED_ACTIONS = ("reset", *EYES, "head_shake", "waist_shake", *HANDS, *FEET)
FIRST = {
    "eye_open": "eye_close",
    "hand_relax": "hand_grip",
    "reset": "hand_grip",
}  # else nothing would be seen


def looks(stage: MockWorld) -> tuple[object, ...]:
    world = stage.world
    rounded = tuple(round(angle, 3) for angle in world.servos.position)
    return rounded, world.base.x, world.base.yaw, dict(stage.runner.lights.shown)


@pytest.mark.parametrize("name", SEED_ACTIONS)
def test_every_action_has_an_effect_that_can_be_seen(name) -> None:
    stage = MockWorld()
    if name in FIRST:
        stage.do(FIRST[name])
    before = looks(stage)
    seen: list[object] = []
    report = stage.finish(stage.start(name, 1.0), lambda: seen.append(looks(stage)))
    assert report.status is SUCCEEDED
    assert any(state != before for state in seen)


NEEDED: dict[str, dict[str, float | str]] = {
    "say": {"text": "yes"},
    "go_to": {"x": 0.0, "y": 0.0},
    "find": {"thing": "ball"},
    "dribble": {"to": "ball"},
}


@pytest.mark.parametrize("name", sorted(BODY.skills))
def test_every_skill_keeps_its_least_slot(name) -> None:
    skill = BODY.skills[name]
    stage = MockWorld(ball=(0.4, 0.0))
    if name == "drop":
        stage.world.ball.take()
    begun = stage.world.time
    report = stage.do(name, max(skill.min_s, 0.02), **NEEDED.get(name, {}))
    assert report.status is SUCCEEDED
    assert stage.world.time - begun == pytest.approx(max(skill.min_s, 0.02), abs=0.03)


def test_grab_takes_the_ball_along_and_drop_puts_it_down() -> None:
    stage = MockWorld(ball=(0.4, 0.1))
    assert stage.do("grab").status is SUCCEEDED
    assert stage.world.ball.held
    stage.do("walk", distance=1.0)
    assert stage.world.ball.x > 1.0
    assert stage.do("drop").status is SUCCEEDED
    stage.run(1.0)
    assert not stage.world.ball.held
    assert stage.world.ball.x > 1.0


@pytest.mark.parametrize(
    ("name", "ball", "reason"),
    [
        ("grab", (1.0, 0.0), "the ball is 1.00 m away; the hand reaches 0.5 m"),
        (
            "grab",
            (-0.4, 0.1),
            "the ball is 166 degrees to the left; the hand reaches 57 degrees to each side",
        ),
        ("drop", (0.4, 0.0), "there is nothing in the hand"),
        (
            "kick",
            (0.0, -0.45),
            "the ball is 90 degrees to the right; the foot reaches 40 degrees to each side",
        ),
        ("kick", (0.0, 2.0), "the ball is 2.00 m away; the foot reaches 0.5 m"),
    ],
)
def test_what_cannot_be_done_fails_at_once_with_the_reason(name, ball, reason) -> None:
    stage = MockWorld(ball)
    begun = stage.world.time
    report = stage.do(name)
    assert (report.status, report.reason) == (FAILED, reason)
    assert stage.world.time - begun < 0.1
    assert not stage.world.ball.held
    assert stage.world.ball.speed == 0.0


def test_hand_is_full() -> None:
    stage = MockWorld(ball=(0.4, 0.0))
    stage.do("grab")
    assert stage.do("grab").reason == "the ball is in the hand already"
    assert stage.do("kick").reason == "the ball is in the hand, not on the floor"


def test_ball_that_rolls_away_is_not_grabbed() -> None:
    stage = MockWorld(ball=(0.45, 0.0))
    request = stage.start("grab")
    stage.run(0.1)
    stage.world.ball.hit(1.0, 0.0)
    stage.run(1.0)
    assert stage.last(request).status is FAILED
    assert stage.last(request).reason.startswith("the ball is 0.")


@pytest.mark.parametrize(("speed", "direction"), [(1.0, 0.0), (2.0, 0.5), (0.5, -0.5)])
def test_kick_lets_the_ball_roll(speed, direction) -> None:
    stage = MockWorld(ball=(0.4, 0.0))
    assert stage.do("kick", speed=speed, direction=direction).status is SUCCEEDED
    away = (stage.world.ball.x - 0.4, stage.world.ball.y)
    assert math.atan2(away[1], away[0]) == pytest.approx(direction, abs=0.05)
    stage.run(8.0)
    assert stage.world.ball.speed == 0.0


def test_kick_while_walking_stops_first() -> None:
    stage = MockWorld(ball=(0.9, 0.0))
    stage.start("walk", distance=3.0)
    stage.run(2.5)
    kick = stage.start("kick")
    stage.run(0.1)
    assert stage.runner.velocity[0] > 0.0
    assert stage.world.ball.speed < 1.0
    stage.run(2.0)
    assert stage.last(kick).status is SUCCEEDED
    assert stage.world.ball.x > 1.5


def test_canceled_grab_grabs_nothing() -> None:
    stage = MockWorld(ball=(0.4, 0.0))
    request = stage.start("grab")
    stage.run(0.2)
    stage.runner.cancel(request)
    stage.run(2.0)
    assert stage.last(request).status is CANCELED
    assert not stage.world.ball.held


def test_held_grab_waits() -> None:
    stage = MockWorld(ball=(0.4, 0.0))
    request = stage.start("grab")
    stage.run(0.2)
    stage.runner.hold(True)
    stage.run(3.0)
    assert stage.last(request).held
    assert not stage.world.ball.held
    stage.runner.hold(False)
    stage.run(1.5)
    assert stage.last(request).status is SUCCEEDED


def test_say_takes_as_long_as_the_text_and_is_answered() -> None:
    stage = MockWorld()
    begun = stage.world.time
    text = "where are you going today?"
    assert stage.do("say", text=text).status is SUCCEEDED
    assert stage.world.time - begun == pytest.approx(0.06 * len(text), abs=0.05)
    stage.run(1.1)
    assert [said.text for said in stage.world.take_heard()] == [f"you said: {text}"]


def test_mouth_blinks_while_it_talks() -> None:
    stage = MockWorld()
    before = stage.runner.lights.shown["face"]
    request = stage.start("say", text="good morning to you")
    stage.run(0.2)
    assert stage.runner.lights.shown["face"].pattern == "blink"
    stage.run(2.0)
    assert stage.last(request).status is SUCCEEDED
    assert stage.runner.lights.shown["face"] == before


@pytest.mark.parametrize(
    ("name", "parameters", "reason"),
    [
        ("say", {}, "skill 'say' needs the parameter 'text'"),
        ("say", {"text": "  "}, "skill 'say': there is no text to say"),
        ("say", {"text": "x" * 201}, "parameter 'text' of skill 'say' has 201 characters, more than 200"),
        (
            "look_at",
            {"entity": "bal"},
            r"unknown entity 'bal'; did you mean 'ball'\? \(known: ball, goal, pillar, robin",
        ),
        ("grab", {"entity": "robin"}, r"unknown thing for it 'robin' \(known: ball"),
        ("kick", {"entity": "pillar"}, r"unknown thing for it 'pillar'"),
        ("look_at", {"x": 1.0, "y": 1.0}, "give either an entity, or all of x, y and z"),
        ("look_at", {"entity": "ball", "x": 1.0, "y": 1.0, "z": 0.0}, "give either an entity, or"),
        ("look_at", {"entity": "ball", "yaw": 1.0}, "give either an entity, or all of x, y and z, or yaw"),
        ("look_at", {"yaw": 3.0}, "head_yaw would have to be at 172 degrees; it goes from -92"),
        (
            "look_at",
            {"x": -1.0, "y": 0.1, "z": 0.0},
            "head_yaw would have to be at 174 degrees; it goes from -92",
        ),
        (
            "look_at",
            {"x": 0.1, "y": 0.0, "z": 5.0},
            "head_pitch would have to be at -89 degrees; it goes from -34",
        ),
        ("kick", {"speed": 9.0}, "parameter 'speed' of skill 'kick' is 9.0, not within 0.35..5 m/s"),
    ],
)
def test_what_makes_no_sense_is_refused(name, parameters, reason) -> None:
    stage = MockWorld(ball=(0.4, 0.0))
    with pytest.raises(CommandError, match=reason):
        stage.start(name, **parameters)


def test_look_at_turns_the_head_to_what_is_there() -> None:
    stage = MockWorld(ball=(1.0, 1.0))
    stage.do("look_at")
    yaw, pitch = stage.world.angle("head_yaw"), stage.world.angle("head_pitch")
    assert yaw == pytest.approx(math.pi / 4, abs=0.01)
    assert pitch == pytest.approx(math.atan2(0.65 - 0.08, math.sqrt(2)), abs=0.01)
    stage.do("look_at", x="1.0", y="0.0", z="0.65")
    assert stage.world.angle("head_yaw") == pytest.approx(0.0, abs=0.01)
    assert stage.world.angle("head_pitch") == pytest.approx(0.0, abs=0.01)
    stage.do("look_at", yaw="-1.0")
    assert stage.world.angle("head_yaw") == pytest.approx(-1.0, abs=0.01)
    assert stage.world.angle("head_pitch") == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(
    ("name", "parameters", "x", "yaw"),
    [
        ("step_forward", {}, 0.1, 0.0),
        ("step_backward", {}, -0.1, 0.0),
        ("step_forward", {"distance": 1.0}, 1.0, 0.0),
        ("turn_left", {}, 0.0, 0.2618),
        ("turn_right", {"angle": 1.5708}, 0.0, -1.5708),
        ("walk", {"distance": -0.7}, -0.7, 0.0),
        ("walk", {"steps": 4}, 0.4, 0.0),
        ("walk", {"duration": 2.0, "speed": 0.0, "turn": 0.3}, 0.0, 0.6),
    ],
)
def test_walks_go_where_they_shall(name, parameters, x, yaw) -> None:
    stage = MockWorld(ball=(-2.0, -2.0))
    assert stage.do(name, **parameters).status is SUCCEEDED
    assert (stage.world.base.x, stage.world.base.y) == pytest.approx(
        (x, 0.0), abs=0.02 + 0.1 * ("steps" in parameters)
    )
    assert stage.world.base.yaw == pytest.approx(yaw, abs=0.03 + 0.1 * ("turn" in parameters))


def test_walk_into_a_wall_fails() -> None:
    stage = MockWorld(ball=(-2.0, -2.0))
    stage.world.base.x = 3.8
    report = stage.do("step_forward")
    assert report.status is FAILED
    assert "of the way after" in report.reason


def test_legs_swing_while_it_drives_and_rest_after() -> None:
    stage = MockWorld()
    stage.start("walk", distance=1.0)
    swing = []
    for _ in range(100):
        stage.step()
        swing.append((stage.world.angle("l_hip_pitch"), stage.world.angle("r_hip_pitch")))
    left, right = zip(*swing, strict=True)
    assert max(left) > 0.2
    assert min(left) < -0.2
    assert all(a == pytest.approx(-b, abs=1e-6) for a, b in zip(left, right, strict=True))
    stage.run(5.0)
    assert stage.world.angle("l_hip_pitch") == pytest.approx(0.0, abs=1e-3)


def test_ball_is_gone_to_and_grabbed() -> None:
    stage = MockWorld(ball=(1.5, -1.0))
    assert stage.do("go_to", thing="ball").status is SUCCEEDED
    assert stage.do("grab").status is SUCCEEDED


@pytest.mark.parametrize("aim", [{"towards": "goal"}, {"x": 4.0, "y": 0.0}])
def test_kick_towards_a_thing_or_a_place_scores(aim) -> None:
    stage = MockWorld(ball=(1.0, 0.7))
    assert stage.do("go_to", thing="ball", towards="goal").status is SUCCEEDED
    assert stage.do("kick", **aim).status is SUCCEEDED
    stage.run(4.0)
    assert stage.world.goals == 1


def test_kick_rolls_the_ball_a_distance() -> None:
    stage = MockWorld(ball=(0.4, 0.0))
    assert stage.do("kick", distance=1.5).status is SUCCEEDED
    stage.run(8.0)
    assert stage.world.ball.x - 0.4 == pytest.approx(1.5, abs=0.1)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"towards": "goal", "direction": 0.1}, "give a direction, or towards, or x and y"),
        ({"x": 1.0}, "give a direction, or towards, or x and y"),
        ({"speed": 1.0, "distance": 1.0}, "give either a speed or a distance"),
        ({"towards": "moon"}, "unknown thing 'moon'"),
        ({"towards": "wall_north"}, "that is .* degrees to the left of the heading; the foot kicks up to 34"),
    ],
)
def test_kick_to_nowhere_is_refused(parameters, reason) -> None:
    with pytest.raises(CommandError, match=reason):
        MockWorld(ball=(0.4, 0.0)).do("kick", **parameters)
