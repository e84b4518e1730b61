# SPDX-License-Identifier: Apache-2.0
"""A stop or a hold is answered by what the body is seen to do: nothing is claimed that has not happened."""

import random
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState, SkillRequest
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.nodes.body.stop_answers import (
    ANSWER_S,
    STILL_S,
    StopAnswers,
    at_rest,
    begun,
    held,
    stopped,
)

BODY = read_body(Path(__file__).parents[2] / "config/bodies/dummy.yaml")
DT = 0.02
FASTEST = 0.15  # rad/s of a joint that counts as at rest
PEERS = ("sound", "killed", "deaf", "half open", "late")


@dataclass
class World:
    """A body behind a link that goes wrong at ``wrong_at`` s, and all answers with the time and the speed then."""

    peer: str
    wrong_at: float
    now: float = 0.0
    ready: bool = True
    answers: list[tuple[float, bool, str, float, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        zero = (0.0,) * len(BODY.joints)
        self.runner = MotionRunner(BODY)
        self.queue = SkillQueue(self.runner, lambda report: None)
        self.asked = StopAnswers(
            self.queue, lambda: "" if self.ready else "link BACKOFF", monotonic=lambda: self.now
        )
        self.state = BodyState(0.0, zero, zero)
        self.targets, self.speed = zero, 0.0
        self.sent: list[tuple[float, BodyState]] = []

    @property
    def wrong(self) -> bool:
        return self.now >= self.wrong_at

    def step(self) -> None:
        """One step of the world, of the link and of who waits."""
        self.now += DT
        reach = 1.5 * DT
        follows = self.targets
        if self.peer == "deaf" and self.wrong:  # it goes on by itself
            follows = tuple(place + reach for place in self.state.position)
        place = tuple(
            here + min(max(there - here, -reach), reach)
            for here, there in zip(self.state.position, follows, strict=True)
        )
        self.speed = max(abs(a - b) for a, b in zip(place, self.state.position, strict=True)) / DT
        self.state = replace(self.state, time=self.now, position=place)
        late = 1.0 if self.peer == "late" and self.wrong else 0.0
        self.sent.append((self.now + late, self.state))
        if self.peer == "killed" and self.wrong and self.ready:
            self.ready = False
            self.queue.lost("the link was lost")
        silent = self.wrong and self.peer in ("killed", "half open")
        while self.sent and self.sent[0][0] <= self.now:
            state = self.sent.pop(0)[1]
            if not silent:
                self.targets = self.queue.step(state).position
        self.asked.look()

    def ask(self, what: str) -> None:
        def answered(success: bool, text: str) -> None:
            runs = bool(self.runner._table.sources) and what == "stop"
            self.answers.append((self.now, success, text, self.speed, runs))

        if what == "stop":
            self.asked.ask(lambda runner: runner.stop(), at_rest(stopped), "stopped", answered)
        elif what == "hold":
            self.asked.ask(lambda runner: runner.hold(True), at_rest(held), "held", answered)
        else:
            self.asked.ask(lambda runner: runner.hold(False), begun, "going on", answered)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / DT)):
            self.step()


def claims(seed: int) -> list[str]:
    """Play one random case; what was claimed that was not so."""
    chance = random.Random(seed)
    peer = chance.choice(PEERS)
    world = World(peer, wrong_at=chance.uniform(0.5, 3.0))
    world.run(0.5)
    skills = [name for name, skill in BODY.skills.items() if skill.kind != "native"]
    world.queue.start(SkillRequest("1", chance.choice(skills), {}, chance.uniform(1.0, 6.0)))
    asked = chance.choices(["stop", "hold", "release"], [3, 2, 1], k=chance.randint(1, 3))
    for what in asked:
        world.run(chance.uniform(0.0, 1.5))
        before = world.now
        world.ask(what)
        assert world.now == before
    world.run(ANSWER_S + 1.0)
    wrong = [] if len(world.answers) == len(asked) else [f"{len(asked)} asked, {world.answers}"]
    for _, success, text, speed, runs in world.answers:
        if success and text != "going on" and (runs or speed > FASTEST):
            wrong.append(f"{text} at {speed:.2f} rad/s, {runs}")
    return [f"seed {seed}, {peer}, {asked}: {one}" for one in wrong]


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.soak)])
def test_no_answer_claims_more_than_has_happened(count: int) -> None:
    assert [one for seed in range(count) for one in claims(seed)] == []


def moving(peer: str, wrong_at: float = 1.3) -> World:
    """A body in the middle of a motion at 1.3 s."""
    world = World(peer, wrong_at)
    world.run(0.5)
    name = next(name for name, skill in BODY.skills.items() if len(skill.keyframes) > 1)
    world.queue.start(SkillRequest("1", name, {}, 4.0))
    world.run(0.8)
    return world


@pytest.mark.parametrize(
    ("peer", "success", "text"),
    [
        ("sound", True, "stopped"),
        ("late", True, "stopped"),
        ("deaf", False, "asked, but not seen within 3 s: the body still moves"),
        ("half open", False, "asked, but not seen within 3 s: nothing was heard of the body since"),
        ("killed", False, "not seen: the link was lost"),
    ],
)
def test_a_stop_says_what_was_not_seen(peer: str, success: bool, text: str) -> None:
    world = moving(peer, 1.4 if peer == "killed" else 1.3)
    world.ask("stop")
    world.run(ANSWER_S + 0.1)
    assert [answer[1:3] for answer in world.answers] == [(success, text)]
    if peer == "sound":
        assert STILL_S < world.answers[0][0] - 1.3 < 1.0
        assert world.answers[0][3] < FASTEST


def test_a_stop_of_a_body_that_is_not_there_is_noted_and_not_claimed() -> None:
    world = moving("killed")
    world.run(0.1)
    world.ask("stop")
    assert world.answers[0][1:3] == (False, "asked, but link BACKOFF: whether the body moves is not known")
    world.queue.joined()
    world.peer = "sound"
    world.run(0.1)
    assert world.runner.stopped
