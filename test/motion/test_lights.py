# SPDX-License-Identifier: Apache-2.0
"""What the lights show, also those that a body does not have."""

from dataclasses import replace

import pytest
from motion_stage import SMALL_FILE, T1, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.description import Light
from embodiment_bridge.core.errors import CommandError
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
    assert stage.runner.lights == {}
    stage.finish(stage.start("eye_red"))
    assert stage.runner.lights == {"eyes": RED}
    wink = stage.start("eye_wink")
    stage.run(0.4)
    assert stage.runner.lights == {"eyes": Shown("blink", (1.0, 0.0, 0.0))}
    stage.finish(wink)
    assert stage.runner.lights == {"eyes": RED}
    stage.finish(stage.start("eye_close"))
    assert stage.runner.lights == {"eyes": Shown("close", (1.0, 0.0, 0.0))}


def test_a_wink_that_is_replaced_leaves_what_came_after() -> None:
    stage = MovedBody(BODY)
    stage.finish(stage.start("eye_close"))
    stage.start("eye_wink")
    stage.run(0.1)
    stage.start("eye_wink")
    stage.run(0.1)
    stage.start("eye_red", 1.0)
    stage.run(2.0)
    assert stage.runner.lights == {"eyes": RED}
    wink = stage.start("eye_wink")
    stage.runner.show("eyes", Light("off"))
    stage.finish(wink)
    assert stage.runner.lights == {"eyes": Shown("off", (1.0, 0.0, 0.0))}


def test_other_skills_may_show_something_on_their_lights() -> None:
    stage = MovedBody(BODY)
    smile = stage.start("smile")
    stage.step()
    assert stage.runner.lights == {"face": Shown("blink", (0.0, 1.0, 0.0))}
    stage.finish(smile)
    assert stage.runner.lights == {}


def test_lights_that_a_body_lacks_are_shown_all_the_same() -> None:
    stage = MovedBody(T1)
    stage.finish(stage.start("eye_red"))
    assert stage.runner.lights == {"eyes": RED}


def test_at_first_there_is_what_reset_shows() -> None:
    shining = replace(BODY.skills["reset"], channels=("eyes", "head"), light=Light("open"))
    body = replace(BODY, skills={**BODY.skills, "reset": shining})
    assert Lights(body).shown == {"eyes": Shown("open", WHITE)}
    assert Lights(BODY).shown == {}


def test_what_is_shown_is_another_object_only_when_it_changes() -> None:
    stage = MovedBody(BODY)
    before = stage.runner.lights
    stage.run(0.2)
    assert stage.runner.lights is before
    stage.runner.show("face", Light("open"))
    assert stage.runner.lights is not before
    assert before == {}


def test_unknown_light_is_refused() -> None:
    with pytest.raises(CommandError, match=r"unknown light 'nose' \(known: eyes, face\)"):
        MovedBody(BODY).runner.show("nose", Light("open"))


def test_a_level_darkens_what_is_shown_and_ends_by_itself() -> None:
    stage = MovedBody(BODY)
    stage.finish(stage.start("eye_red"))
    stage.runner.set_light_level("eyes", 0.25)
    assert stage.runner.lights == {"eyes": Shown("steady", (0.25, 0.0, 0.0))}
    stage.finish(stage.start("eye_close"))  # skills show what they show, as dark
    assert stage.runner.lights == {"eyes": Shown("close", (0.25, 0.0, 0.0))}
    stage.run(LEVEL_S + 0.1)
    assert stage.runner.lights == {"eyes": Shown("close", (1.0, 0.0, 0.0))}


def test_a_level_that_is_told_again_stays() -> None:
    stage = MovedBody(BODY)
    stage.finish(stage.start("eye_red"))
    stage.runner.set_light_level("eyes", 0.5)
    before = stage.runner.lights
    for _ in range(5):
        stage.run(LEVEL_S / 2)
        stage.runner.set_light_level("eyes", 0.5)
    assert stage.runner.lights is before
    stage.runner.set_light_level("eyes", 1.0)
    assert stage.runner.lights == {"eyes": RED}


def test_a_level_of_a_light_that_shows_nothing_is_white() -> None:
    stage = MovedBody(BODY)
    stage.runner.set_light_level("face", 0.5)
    assert stage.runner.lights == {"face": Shown("steady", (0.5, 0.5, 0.5))}
    stage.run(LEVEL_S + 0.1)
    assert stage.runner.lights == {}


def test_a_wink_ends_while_it_is_dark() -> None:
    stage = MovedBody(BODY)
    stage.finish(stage.start("eye_red"))
    wink = stage.start("eye_wink")
    stage.runner.set_light_level("eyes", 0.5)
    stage.finish(wink)
    stage.run(LEVEL_S + 0.1)
    assert stage.runner.lights == {"eyes": RED}


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
        stage.runner.set_light_level(light, level)
    assert stage.runner.lights == {}
