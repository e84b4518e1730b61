# SPDX-License-Identifier: Apache-2.0
"""The files of the mock body: that body and URDF agree, and that the sample documents take the times they should."""

import math
from pathlib import Path

import pytest
from mock_stage import BODY, ROOT

from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.rehearsal.rehearse import Cues, rehearse
from embodiment_bridge.body.description import CHANNELS
from embodiment_bridge.cli.robots import robot
from embodiment_bridge.mock.world import BASE_HEIGHT
from embodiment_bridge.urdf import Mesh, fixed_transforms, link_pose, link_transforms, read_urdf

ROBOT = read_urdf(ROOT / "urdf/mock.urdf")
ZERO = dict.fromkeys((joint.name for joint in ROBOT.movable), 0.0)
SAMPLES = ROOT / "test/data/bml"
STORY = "http://cloud.example/story?n=1"
REPLIES = {STORY: '{"type": "player", "action": "play", "url": "http://media.example/story.mp3"}'}


class Media(dict):
    """Voice 3 s, alarm 1 s, all else 20 s."""

    def get(self, url, default=None):
        if "alarm" in url:
            return 1.0
        return 3.0 if "/tts" in url or "voice" in url else 20.0


def test_it_stands_on_its_soles() -> None:
    for sole in ("l_sole", "r_sole"):
        assert link_pose(ROBOT, ZERO, sole).xyz[2] == pytest.approx(-BASE_HEIGHT)


def test_every_link_is_placed_and_every_moving_one_drawn() -> None:
    assert ROBOT.root == "base_link"
    placed = {t.child for t in link_transforms(ROBOT, ZERO) + fixed_transforms(ROBOT)}
    assert placed == set(ROBOT.links) - {"base_link"}
    shapes = [visual.shape for link in ROBOT.links.values() for visual in link.visuals]
    assert not any(isinstance(shape, Mesh) for shape in shapes)
    assert all(ROBOT.links[joint.child].visuals for joint in ROBOT.movable)


@pytest.mark.parametrize(
    ("joint", "angle", "link", "moves"),
    [
        ("l_shoulder_pitch", -1.0, "l_gripper", (1, 0, 1)),  # ahead and up
        ("l_shoulder_roll", 1.0, "l_gripper", (0, 1, 1)),  # out and up
        ("r_shoulder_roll", -1.0, "r_gripper", (0, -1, 1)),
        ("l_hip_pitch", -0.5, "l_sole", (1, 0, 1)),
        ("l_knee_pitch", 1.0, "l_sole", (-1, 0, 1)),
        ("head_pitch", 0.5, "camera_link", (0, 0, -1)),  # looks down
        ("head_yaw", 0.5, "camera_link", (-1, 1, 0)),  # looks left
    ],
)
def test_signs(joint, angle, link, moves) -> None:
    before, after = link_pose(ROBOT, ZERO, link).xyz, link_pose(ROBOT, ZERO | {joint: angle}, link).xyz
    for way, sign in zip((b - a for a, b in zip(before, after, strict=True)), moves, strict=True):
        if sign:
            assert math.copysign(1, way) == sign
            assert abs(way) > 1e-3


def test_sides_are_mirror_images() -> None:
    joints = {joint.name: joint for joint in BODY.joints}
    for joint in BODY.joints:
        image = joints[joint.mirror]
        assert sorted((joint.mirror_sign * joint.lower, joint.mirror_sign * joint.upper)) == [
            image.lower,
            image.upper,
        ]
        assert image.rest == joint.mirror_sign * joint.rest


def test_it_has_every_channel_and_every_skill_is_available() -> None:
    assert BODY.channels == CHANNELS
    infos = BODY.skill_infos()
    assert all(info.available for info in infos)
    assert next(info for info in infos if info.name == "reset").nominal_s == 1.0
    assert all(info.min_s <= 1.0 for info in infos)
    assert {info.name: info.parameters for info in infos}["say"] == ("text",)


@pytest.fixture
def skills(monkeypatch):
    """The skills as the command line finds them, of this checkout."""
    monkeypatch.setattr(robot, "find_share", lambda package: Path(ROOT))
    return robot.body_skills("mock")


@pytest.mark.parametrize(
    ("name", "outcome", "t"),
    [
        ("01_seed_play_music", "FAILED", 23.2),
        ("02_seed_body_steps", "SUCCEEDED", 4.0),
        ("03_seed_delay", "SUCCEEDED", 2.0),
        ("04_song_with_eye_colours", "SUCCEEDED", 23.0),
        ("05_sing_and_dance", "FAILED", 24.2),
        ("06_reply_speak_unprocessed", "SUCCEEDED", 4.0),
        ("07_reply_speak_processed", "SUCCEEDED", 4.0),
        ("08_alarm_with_timeout", "STOPPED", 30.0),
        ("09_fetch_story_with_fallback", "SUCCEEDED", 43.6),
        ("10_player_controls", "SUCCEEDED", 6.5),
        ("11_self_test_all_actions", "SUCCEEDED", 20.0),
        ("12_tolerated_spellings", "SUCCEEDED", 20.0),
    ],
)
def test_samples_take_their_times(skills, name, outcome, t) -> None:
    text = (SAMPLES / f"{name}.json").read_bytes()
    lines = list(rehearse(text, Rules(skills), Cues(Media(), 3.0, REPLIES)))
    assert (lines[-1]["outcome"], lines[-1]["t"]) == (outcome, t)
    assert not [line for line in lines if line.get("code") == "SLOT_OVERRUN"]
