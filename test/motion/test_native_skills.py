# SPDX-License-Identifier: Apache-2.0
"""Skills that the body does by itself: how they run beside others, end, and fail."""

import math

import pytest
from motion_stage import DT, SMALL_FILE, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.description import Keyframe
from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.runner import MotionRunner

SUCCEEDED, REPLACED, CANCELED, FAILED, RUNNING = (
    SkillStatus[name] for name in ("SUCCEEDED", "REPLACED", "CANCELED", "FAILED", "RUNNING")
)
NATIVE_SKILLS = """\
  point:
    kind: native
    channels: [arm_l]
    nominal_s: 1.0
    min_s: 0.8
    keyframes: [{at: 1.0, left: 0.8}]
  tell:
    kind: native
    channels: [head]
    nominal_s: 0.0
    min_s: 0.0
    parameters:
      text: {longest: 5}
      tone: {longest: 9, default: friendly}
      volume: {range: [0, 1], default: 0.5}
"""
BODY = parse_body(SMALL_FILE + NATIVE_SKILLS, "small.yaml")


class SomeAction:
    """A native skill that the test decides about; it needs a quarter of a second to stop."""

    def __init__(self, skill, values, slot) -> None:
        self.asked = (skill.name, dict(values), slot)
        self.done = False
        self.progress = 0.0
        self.patience = math.inf
        self.failure = ""
        self.keyframes: tuple[Keyframe, ...] = skill.keyframes
        self.passed = 0.0
        self.stops = 0
        self.stopping = 0.0

    def step(self, dt: float) -> None:
        self.passed += dt
        if self.stops:
            self.stopping += dt
            self.done = self.done or self.stopping > 0.25

    def stop(self) -> None:
        self.stops += 1


class Natives(MovedBody):
    """A stage whose native skills are in ``actions``."""

    def __init__(self) -> None:
        self.actions: list[SomeAction] = []
        super().__init__(BODY, settle=0.0)
        self.runner = MotionRunner(BODY, {"point": self.begin, "tell": self.begin})
        self.run(2.0)

    def begin(self, skill, values, slot) -> SomeAction:
        if values.get("text") == "no":
            raise CommandError("that cannot be told")
        self.actions.append(SomeAction(skill, values, slot))
        return self.actions[-1]


def test_it_lasts_until_it_is_done_and_its_slot_is_over() -> None:
    stage = Natives()
    request = stage.start("tell", 0.5)
    stage.run(2.0)
    assert stage.status(request) is RUNNING
    stage.actions[0].done = True
    stage.step()
    assert stage.status(request) is SUCCEEDED
    assert stage.actions[0].passed == pytest.approx(2.0 + DT)
    request = stage.start("tell", 0.5)
    stage.actions[1].done = True
    stage.run(0.4)
    assert stage.status(request) is RUNNING
    stage.run(0.2)
    assert stage.status(request) is SUCCEEDED


def test_it_gets_its_parameters_with_defaults_and_texts_as_they_are() -> None:
    stage = Natives()
    stage.start("tell", 0.5, text="5.0", volume="1")
    stage.step()
    stage.start("tell", text=7.0)
    told = {"tone": "friendly", "volume": 1.0, "text": "5.0"}
    assert stage.actions[0].asked == ("tell", told, 0.5)
    assert stage.actions[1].asked == ("tell", {"tone": "friendly", "volume": 0.5, "text": "7"}, 0.0)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"text": "123456"}, "parameter 'text' of skill 'tell' has 6 characters, more than 5"),
        ({"volume": "loud"}, "parameter 'volume' of skill 'tell' is 'loud', not within 0..1"),
        ({"txt": "a"}, "unknown parameter of skill 'tell' 'txt'; did you mean 'text'"),
        ({"text": "no"}, "that cannot be told"),
    ],
)
def test_refusal_changes_nothing(parameters, reason) -> None:
    stage = Natives()
    running = stage.start("nod")
    with pytest.raises(CommandError, match=reason):
        stage.start("tell", **parameters)
    stage.step()
    assert stage.status(running) is RUNNING
    assert stage.actions == []


def test_without_somebody_who_does_it_it_is_refused() -> None:
    stage = MovedBody(BODY)
    with pytest.raises(CommandError, match="skill 'point' is done by body 'small' itself, not by its joints"):
        stage.start("point")


def test_it_moves_joints_meanwhile() -> None:
    stage = Natives()
    request = stage.start("point")
    stage.actions[0].done = True
    stage.run(0.5)
    assert 0.2 < stage.angle("left") < 0.6
    assert stage.finish(request).status is SUCCEEDED
    assert stage.angle("left") == pytest.approx(0.8)


def test_failure_ends_it_at_once_with_its_reason() -> None:
    stage = Natives()
    request = stage.start("point")
    stage.run(0.3)
    stage.actions[0].failure = "the finger is stuck"
    stage.step()
    assert (stage.status(request), stage.last(request).reason) == (FAILED, "the finger is stuck")
    assert stage.actions[0].stops == 1
    stage.run(0.5)
    assert stage.targets.velocity[stage.index["left"]] == 0.0


def test_one_that_is_not_done_in_time_has_failed() -> None:
    stage = Natives()
    request = stage.start("tell")
    stage.actions[0].patience = 1.0
    stage.actions[0].progress = 0.4
    assert stage.finish(request, 1.1).reason == "only 40% of the way after 1.0 s"


def test_cancel_waits_until_it_has_stopped() -> None:
    stage = Natives()
    request = stage.start("tell")
    stage.run(0.2)
    stage.runner.cancel(request)
    stage.run(0.2)
    assert stage.status(request) is RUNNING
    stage.run(0.1)
    assert stage.status(request) is CANCELED


@pytest.mark.parametrize(
    "end", [lambda s: s.runner.start(SkillRequest("n", "nod")), lambda s: s.runner.reset(s.state)]
)
def test_whatever_ends_it_stops_it(end) -> None:
    stage = Natives()
    request = stage.start("tell")
    stage.run(0.1)
    end(stage)
    stage.step()
    assert stage.status(request) in (REPLACED, FAILED)
    assert stage.actions[0].stops == 1


def test_hold_lets_no_time_pass_for_it() -> None:
    stage = Natives()
    stage.start("tell")
    stage.runner.hold(True)
    stage.run(0.5)
    before = stage.actions[0].passed
    stage.run(1.0)
    assert stage.actions[0].passed == before
    stage.runner.hold(False)
    stage.run(0.5)
    assert stage.actions[0].passed > before + 0.5 - 0.2 - DT
