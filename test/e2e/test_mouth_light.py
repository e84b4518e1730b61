# SPDX-License-Identifier: Apache-2.0
"""A light of the body is as bright as the mouth is open, on the real graph: commands, and what viewers are shown."""

import json

import pytest
from embodiment_bridge.msg import LightCommand
from run_stage import RunStage

from embodiment_bridge.media.files.marks import Marks, to_text
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.standins.bml.replies import wav

OPEN, CLOSED = "a", "m"  # phonemes


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "voice.wav").write_bytes(wav("voice", "a", 1.4))
    phonemes = tuple((place * 0.2, OPEN if place % 2 else CLOSED) for place in range(7))
    (tmp_path / "voice.marks.json").write_text(to_text(Marks(phonemes=phonemes)))
    return tmp_path


class MouthStage(RunStage):
    def __init__(self, runtime, namespace, folder, **parameters):
        usual = {"sound": "null", "speech": "none", "media_roots": [str(folder)]}
        super().__init__(runtime, namespace, body={"speed": 1.0}, **{**usual, **parameters})
        self.commands, self.lamps, self.folder = [], [], folder
        self.watcher.create_subscription(LightCommand, "lights", self.commands.append, profile("events"))
        self.join()

    def say(self, marks=True):
        voice = {"type": "player", "action": "play", "url": (self.folder / "voice.wav").as_uri()}
        if marks:
            voice["marks_url"] = (self.folder / "voice.marks.json").as_uri()
        self.begin(json.dumps(voice))
        self.until(lambda: self.look() or self.bml.result is not None)
        return self.finish()

    def look(self):
        """Note the two lamps over the body: the lower one is the eyes, the upper one the face."""
        lamps = (
            [one for one in self.last["markers"].markers if one.ns == "light"]
            if "markers" in self.last
            else []
        )
        self.lamps.append([one.color.r for one in sorted(lamps, key=lambda one: one.pose.position.z)])


def levels(stage):
    assert {(one.pattern, 0.0 <= one.level <= 1.0) for one in stage.commands} <= {("level", True)}
    return [round(one.level, 3) for one in stage.commands]


def test_the_face_speaks(folder):
    with Runtime() as runtime:
        stage = MouthStage(runtime, "/mouth", folder)
        assert stage.say().outcome == "SUCCEEDED"
        stage.until(lambda: bool(stage.commands) and stage.commands[-1].level == 1.0)  # bright again
        assert {one.light for one in stage.commands} == {"face"}
        assert {0.2, 1.0} <= set(levels(stage))
        changes = sum(one != other for one, other in zip(levels(stage), levels(stage)[1:], strict=False))
        assert changes >= 4  # it opens and closes
        seen = [lamps[1] for lamps in stage.lamps if len(lamps) == 2]
        assert min(seen) < 0.3
        assert max(seen) == 1.0
        assert {lamps[0] for lamps in stage.lamps if len(lamps) == 2} == {1.0}  # the eyes show what they show
        stage.close()


@pytest.mark.parametrize(
    ("choice", "closed", "light"), [("eyes", 0.0, "eyes"), ("none", 0.2, ""), ("auto", 0.2, "")]
)
def test_choice_of_the_light(folder, choice, closed, light):
    with Runtime() as runtime:
        stage = MouthStage(runtime, "/choice", folder, mouth_light=choice, mouth_closed=closed)
        stage.say(marks=choice != "auto")  # a sound that is no speech moves no mouth
        assert {one.light for one in stage.commands} == ({light} if light else set())
        assert not light or min(levels(stage)) == 0.0
        stage.close()
