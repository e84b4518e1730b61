# SPDX-License-Identifier: Apache-2.0
"""Lights, and emotions: a posture and a light, also on bodies without lights."""

from dataclasses import replace
from pathlib import Path

import pytest
from motion_stage import SMALL_FILE, T1, MovedBody

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.body.description import Light
from embodiment_bridge.body.skill_info import EMOTIONS
from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.motion.skills.lights import LEVEL_S, Lights, Shown

MORE = """\
  eye_wink: {kind: light, channels: [eyes], nominal_s: 0.8, min_s: 0.3, light: {pattern: blink}}
  eye_close: {kind: light, channels: [eyes], nominal_s: 0.3, min_s: 0.0, light: {pattern: close}}
  smile: {kind: motion, channels: [face, head], nominal_s: 1.0, min_s: 0.0, light: {pattern: blink, color: [0, 1, 0]}}
"""
BODY = parse_body(SMALL_FILE.replace("[head, waist", "[eyes, face, head, waist", 1) + MORE, "small.yaml")
RED, WHITE = Shown("steady", (1.0, 0.0, 0.0)), (1.0, 1.0, 1.0)


def test_colour_stays_and_a_wink_passes() -> None:
    stage = MovedBody(BODY)
    assert stage.runner.lights.shown == {}
    stage.finish(stage.start("eye_red"))
    assert stage.runner.lights.shown == {"eyes": RED}
    wink = stage.start("eye_wink")
    stage.run(0.4)
    assert stage.runner.lights.shown == {"eyes": Shown("blink", (1.0, 0.0, 0.0))}
    stage.finish(wink)
    assert stage.runner.lights.shown == {"eyes": RED}
    stage.finish(stage.start("eye_close"))
    assert stage.runner.lights.shown == {"eyes": Shown("close", (1.0, 0.0, 0.0))}


def test_a_wink_that_is_replaced_leaves_what_came_after() -> None:
    stage = MovedBody(BODY)
    stage.finish(stage.start("eye_close"))
    stage.start("eye_wink")
    stage.run(0.1)
    stage.start("eye_wink")
    stage.run(0.1)
    stage.start("eye_red", 1.0)
    stage.run(2.0)
    assert stage.runner.lights.shown == {"eyes": RED}
    wink = stage.start("eye_wink")
    stage.runner.lights.set_light("eyes", Light("off"))
    stage.finish(wink)
    assert stage.runner.lights.shown == {"eyes": Shown("off", (1.0, 0.0, 0.0))}


def test_other_skills_may_show_something_on_their_lights() -> None:
    stage = MovedBody(BODY)
    smile = stage.start("smile")
    stage.step()
    assert stage.runner.lights.shown == {"face": Shown("blink", (0.0, 1.0, 0.0))}
    stage.finish(smile)
    assert stage.runner.lights.shown == {}


def test_lights_that_a_body_lacks_are_shown_all_the_same() -> None:
    stage = MovedBody(T1)
    stage.finish(stage.start("eye_red"))
    assert stage.runner.lights.shown == {"eyes": RED}


def test_at_first_there_is_what_reset_shows() -> None:
    shining = replace(BODY.skills["reset"], channels=("eyes", "head"), light=Light("open"))
    body = replace(BODY, skills={**BODY.skills, "reset": shining})
    assert Lights(body).shown == {"eyes": Shown("open", WHITE)}
    assert Lights(BODY).shown == {}


def test_what_is_shown_is_another_object_only_when_it_changes() -> None:
    stage = MovedBody(BODY)
    before = stage.runner.lights.shown
    stage.run(0.2)
    assert stage.runner.lights.shown is before
    stage.runner.lights.set_light("face", Light("open"))
    assert stage.runner.lights.shown is not before
    assert before == {}


def test_unknown_light_is_refused() -> None:
    with pytest.raises(CommandError, match=r"unknown light 'nose' \(known: eyes, face\)"):
        MovedBody(BODY).runner.lights.set_light("nose", Light("open"))


def test_a_level_darkens_what_is_shown_and_ends_by_itself() -> None:
    stage = MovedBody(BODY)
    stage.finish(stage.start("eye_red"))
    stage.runner.lights.set_level("eyes", 0.25)
    assert stage.runner.lights.shown == {"eyes": Shown("steady", (0.25, 0.0, 0.0))}
    stage.finish(stage.start("eye_close"))  # skills show what they show, as dark
    assert stage.runner.lights.shown == {"eyes": Shown("close", (0.25, 0.0, 0.0))}
    stage.run(LEVEL_S + 0.1)
    assert stage.runner.lights.shown == {"eyes": Shown("close", (1.0, 0.0, 0.0))}


def test_a_level_that_is_told_again_stays() -> None:
    stage = MovedBody(BODY)
    stage.finish(stage.start("eye_red"))
    stage.runner.lights.set_level("eyes", 0.5)
    before = stage.runner.lights.shown
    for _ in range(5):
        stage.run(LEVEL_S / 2)
        stage.runner.lights.set_level("eyes", 0.5)
    assert stage.runner.lights.shown is before
    stage.runner.lights.set_level("eyes", 1.0)
    assert stage.runner.lights.shown == {"eyes": RED}


def test_a_level_of_a_light_that_shows_nothing_is_white() -> None:
    stage = MovedBody(BODY)
    stage.runner.lights.set_level("face", 0.5)
    assert stage.runner.lights.shown == {"face": Shown("steady", (0.5, 0.5, 0.5))}
    stage.run(LEVEL_S + 0.1)
    assert stage.runner.lights.shown == {}


def test_a_wink_ends_while_it_is_dark() -> None:
    stage = MovedBody(BODY)
    stage.finish(stage.start("eye_red"))
    wink = stage.start("eye_wink")
    stage.runner.lights.set_level("eyes", 0.5)
    stage.finish(wink)
    stage.run(LEVEL_S + 0.1)
    assert stage.runner.lights.shown == {"eyes": RED}


@pytest.mark.parametrize(
    ("light", "level", "text"),
    [
        ("nose", 0.5, "unknown light"),
        ("eyes", 1.1, "0 to 1"),
        ("eyes", -0.1, "0 to 1"),
        ("eyes", float("nan"), "0 to 1"),
    ],
)
def test_a_bad_level_is_refused(light, level, text) -> None:
    stage = MovedBody(BODY)
    with pytest.raises(CommandError, match=text):
        stage.runner.lights.set_level(light, level)
    assert stage.runner.lights.shown == {}


BODIES = Path(__file__).parents[2] / "config/bodies"
HAPPY = "{nominal_s: 1.0, pose: {yaw: 0.5, turn: 1.0}, light: {color: [1, 1, 0]}}"
GLOOMY = "{nominal_s: 1.0, light: {color: [0, 0, 1], pattern: close}}"
FEELING = f"{SMALL_FILE}emotions:\n  happy: {HAPPY}\n  gloomy: {GLOOMY}\n"


def feeling() -> MovedBody:
    return MovedBody(parse_body(FEELING, "small.yaml"))


WITH_EMOTIONS = ["mock", "desk_humanoid", "t1", "k1", "nao", "nao_toe", "dummy", "ant"]


@pytest.mark.parametrize("name", WITH_EMOTIONS)
def test_every_body_has_the_usual_emotions(name: str) -> None:
    body = read_body(BODIES / f"{name}.yaml")
    assert [skill for skill in body.skills if skill in EMOTIONS] == list(EMOTIONS)
    assert {body.available(body.skills[emotion]) for emotion in EMOTIONS} == {True}


@pytest.mark.parametrize("name", WITH_EMOTIONS)
def test_no_emotion_depends_on_the_one_before(name: str) -> None:
    skills = read_body(BODIES / f"{name}.yaml").skills
    poses = {key: {joint for frame in skills[key].keyframes for joint in frame.position} for key in EMOTIONS}
    moved = set().union(*poses.values())
    missing = {key: moved - pose for key, pose in poses.items() if pose != moved}
    assert not missing, f"{name}: another emotion moves these joints, and they would stay there: {missing}"


def test_a_body_without_lights_takes_the_posture_and_viewers_see_the_light() -> None:
    stage = feeling()
    request = stage.start("happy")
    stage.run(1.2)
    assert stage.last(request).status is SkillStatus.SUCCEEDED
    assert stage.angle("yaw") == pytest.approx(0.5, abs=1e-3)
    assert stage.angle("turn") == pytest.approx(1.0, abs=1e-3)
    assert stage.runner.lights.shown["eyes"].color == (1, 1, 0)


def test_an_emotion_of_light_alone_is_skipped_by_a_body_without() -> None:
    stage = feeling()
    request = stage.start("gloomy")
    stage.run(1.2)
    assert stage.last(request).status is SkillStatus.SKIPPED
    assert stage.runner.lights.shown["eyes"].pattern == "close"


@pytest.mark.parametrize(
    ("intensity", "yaw", "turn"), [(0.0, 0.0, 0.5), (0.4, 0.2, 0.7), ("0.4", 0.2, 0.7), (1, 0.5, 1.0)]
)
def test_intensity_keeps_nearer_to_the_rest_pose_and_dims(intensity, yaw: float, turn: float) -> None:
    stage = feeling()
    stage.runner.start(SkillRequest("it", "happy", {"intensity": intensity}))
    stage.run(1.2)
    assert (stage.angle("yaw"), stage.angle("turn")) == pytest.approx((yaw, turn), abs=1e-3)
    assert stage.runner.lights.shown["eyes"].color == pytest.approx((float(intensity), float(intensity), 0))


@pytest.mark.parametrize("intensity", [-0.1, 1.1, float("nan"), "much"])
def test_bad_intensity_is_refused(intensity) -> None:
    with pytest.raises(CommandError, match=r"parameter 'intensity' of skill 'nod' is .*, not within 0..1"):
        feeling().runner.start(SkillRequest("it", "nod", {"intensity": intensity}))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("happy:", "nod:", "emotions.nod: .* is not another name"),
        ("happy:", "Happy:", "emotions.Happy: .* lower case"),
        ("yaw: 0.5, turn: 1.0", "yaw: 1.5", "pose.yaw: 1.5 is not within -1..1"),
        ("yaw: 0.5, turn: 1.0", "yew: 0.5", "emotions.happy.pose: unknown key 'yew'"),
        (", light: {color: [1, 1, 0]}", "", "emotions.happy.light: missing"),
        ("color: [1, 1, 0]", "color: [1, 1, 2]", "light.color: .* within 0..1"),
        ("pattern: close", "pattern: glow", "light.pattern: unknown value 'glow'"),
        ("nominal_s: 1.0, pose", "nominal_s: 0.1, pose", "nominal_s: 0.1 is not long enough for its joints"),
        ("pose: {", "posture: 3, pose: {", "unknown key 'posture'"),
    ],
)
def test_fault_in_an_emotion_is_named(old: str, new: str, message: str) -> None:
    assert old in FEELING
    with pytest.raises(ConfigError, match=message):
        parse_body(
            FEELING.replace(old, new, 1) if old != "happy:" else FEELING.replace(old, new), "small.yaml"
        )


def test_an_emotion_leaves_the_legs_to_the_gait() -> None:
    text = (BODIES / "t1.yaml").read_text()
    with pytest.raises(ConfigError, match="leaves the legs to the gait"):
        parse_body(text.replace("pose: {AAHead_yaw: 0,", "pose: {Left_Knee_Pitch: 0.6,", 1), "t1.yaml")
