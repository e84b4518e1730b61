# SPDX-License-Identifier: Apache-2.0
"""Runs skills in the model as a user would, and measures what they do."""

import math
from dataclasses import dataclass

import numpy as np
from robot_model import CYCLE, RobotModel

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets, SkillRequest, SkillStatus
from embodiment_bridge.motion.runner import MotionRunner

LATE_SHARE = 0.03  # of cycles in which a target comes a cycle later than usual
STALL_SHARE = 0.005  # of cycles after which answers stop for a while, as on a busy machine
STALL_CYCLES = (2, 6)
STAND_S = 1.2  # s to get from the first pose to a stand


@dataclass
class Outcome:
    """What a skill did: whether it succeeded, s it took, m forward and left, rad turned."""

    ended: bool
    seconds: float
    forward: float
    left: float
    turned: float


class Trial:
    """A robot in the model that does one skill after the other."""

    def __init__(self, model: RobotModel, description: BodyDescription, seed: int) -> None:
        self._model = model
        self._runner = MotionRunner(description)
        self._late = np.random.default_rng(seed)
        self._state = model.reset(seed)
        self._dt = 0.0
        self._yaw = self._state.yaw
        self._cycles(STAND_S)

    def do(self, name: str, limit: float, **parameters: float) -> Outcome:
        """Run a skill to its end, for at most ``limit`` s."""
        self._runner.take_reports()
        self._runner.start(SkillRequest("trial", name, parameters))
        before, yaw = self._state, self._yaw
        # Counted, for the model's time begins anew when its simulation becomes unstable.
        for _ in range(int(limit / CYCLE)):
            self._cycle()
            if ended := self._ended():
                break
        if not ended:
            self._runner.stop()
            self._cycles(STAND_S)
        dx, dy = (self._state.base_position[i] - before.base_position[i] for i in (0, 1))
        c, s = math.cos(yaw), math.sin(yaw)
        seconds = max(self._state.time - before.time, CYCLE)
        moved = c * dx + s * dy, c * dy - s * dx, self._yaw - yaw
        return Outcome(ended is SkillStatus.SUCCEEDED, seconds, *moved)

    def _ended(self) -> SkillStatus | None:
        return next((r.status for r in self._runner.take_reports() if r.status.ended), None)

    def _cycles(self, seconds: float) -> None:
        for _ in range(int(seconds / CYCLE)):
            self._cycle()

    def _cycle(self) -> None:
        targets = self._runner.step(self._state, self._dt)
        for state in self._unanswered(targets):
            self._runner.step(state, CYCLE)  # answered at last, but the answer is overtaken at once
        before = self._state
        self._advance(targets)
        self._dt = self._state.time - before.time

    def _unanswered(self, targets: JointTargets) -> list[BodyState]:
        """Let cycles pass in which the targets are late; the percepts that wait for an answer after a stall."""
        chance = self._late.random()
        stall = int(self._late.integers(*STALL_CYCLES))
        waiting = []
        for _ in range(stall if chance < STALL_SHARE else 1 if chance < LATE_SHARE else 0):
            self._advance(targets)
            waiting.append(self._state)
        return waiting

    def _advance(self, targets: JointTargets) -> None:
        before = self._state
        self._state = self._model.step(targets)
        self._yaw += math.remainder(self._state.yaw - before.yaw, 2 * math.pi)
