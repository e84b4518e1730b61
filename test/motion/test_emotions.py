# SPDX-License-Identifier: Apache-2.0
"""Emotions: a posture and a light, on bodies with and without lights; and how strongly a skill is done."""

from pathlib import Path

import pytest
from motion_stage import SMALL_FILE, MovedBody

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.body.skill_info import EMOTIONS
from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError, ConfigError

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
    assert {body.available(body.skills[emotion]) for emotion in EMOTIONS} == {name != "ant"}


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
    assert stage.runner.lights["eyes"].color == (1, 1, 0)


def test_an_emotion_of_light_alone_is_skipped_by_a_body_without() -> None:
    stage = feeling()
    request = stage.start("gloomy")
    stage.run(1.2)
    assert stage.last(request).status is SkillStatus.SKIPPED
    assert stage.runner.lights["eyes"].pattern == "close"


@pytest.mark.parametrize(
    ("intensity", "yaw", "turn"), [(0.0, 0.0, 0.5), (0.4, 0.2, 0.7), ("0.4", 0.2, 0.7), (1, 0.5, 1.0)]
)
def test_intensity_keeps_nearer_to_the_rest_pose_and_dims(intensity, yaw: float, turn: float) -> None:
    stage = feeling()
    stage.runner.start(SkillRequest("it", "happy", {"intensity": intensity}))
    stage.run(1.2)
    assert (stage.angle("yaw"), stage.angle("turn")) == pytest.approx((yaw, turn), abs=1e-3)
    assert stage.runner.lights["eyes"].color == pytest.approx((float(intensity), float(intensity), 0))


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
