# SPDX-License-Identifier: Apache-2.0
"""Scores a gait by running skills in the model as a user would; more points are better."""

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
LEAST_HEIGHT = 0.93  # of the height of base_link on straight legs: lower than this costs points
FALLING = 0.83  # of it: lower than this costs no more
STAND_S = 1.2  # s to get from the first pose to a stand


@dataclass
class Outcome:
    """What a skill did: how it ended, s it took, m forward and left, rad turned, rms of pitch, roll and yaw wobble."""

    ended: bool
    seconds: float
    forward: float
    left: float
    turned: float
    wobble: tuple[float, float, float]


class Trial:
    """A robot in the model that does one skill after the other."""

    def __init__(self, model: RobotModel, description: BodyDescription, seed: int) -> None:
        self._model = model
        self._runner = MotionRunner(description)
        self._late = np.random.default_rng(seed)
        self._state = model.reset(seed)
        self._dt = 0.0
        self._yaw = self._state.yaw
        self._path: list[tuple[float, float, float]] = []
        self.lowest = math.inf
        self._cycles(STAND_S)

    @property
    def fallen(self) -> bool:
        """Whether the robot fell."""
        return self._runner.status == "fallen"

    def do(self, name: str, limit: float, **parameters: float) -> Outcome:
        """Run a skill to its end, for at most ``limit`` s."""
        self._runner.take_reports()
        self._runner.start(SkillRequest("trial", name, parameters))
        before, yaw, self._path = self._state, self._yaw, []
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
        return Outcome(ended is SkillStatus.SUCCEEDED, seconds, *moved, self._wobble())

    def drive(self, seconds: float, forward: float, turn: float, skill: str = "") -> float:
        """Command a velocity (m/s, rad/s) while a skill of the upper body runs; s until the robot fell, if it did."""
        if skill:
            self._runner.start(SkillRequest(f"{skill} {self._state.time}", skill))
        for cycle in range(int(seconds / CYCLE)):
            if self.fallen:
                return cycle * CYCLE
            self._runner.set_velocity(forward, turn)
            self._cycle()
        return seconds

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
        self._path.append((self._state.pitch, self._state.roll, self._yaw))
        self.lowest = min(self.lowest, self._state.base_position[2])

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

    def _wobble(self) -> tuple[float, float, float]:
        path = np.array(self._path)
        if len(path) < 50:
            return 0.0, 0.0, 0.0
        mean = np.convolve(path[:, 2], np.ones(25) / 25, "valid")
        yaw = float(np.std(path[12 : 12 + len(mean), 2] - mean))
        pitch, roll = np.sqrt(np.mean(path[:, :2] ** 2, axis=0))
        return float(pitch), float(roll), yaw


def points(model: RobotModel, description: BodyDescription, seed: int) -> float:
    """Points of a gait: long walks, single steps and turns, curves. About 15 is good; a fall ends a scenario."""
    total = 0.0
    for number, scenario in enumerate((_long_walk, _steps, _curves, _rough_orders)):
        trial = Trial(model, description, seed + 7 * number)
        height = trial.lowest / model.torso_height
        total += scenario(trial) - 13.0 * max(LEAST_HEIGHT - max(height, FALLING), 0.0)
        if trial.fallen:
            break  # the rest would tell little, and bad gaits shall be quick to judge
    return total


def _long_walk(trial: Trial) -> float:
    there = trial.do("walk", 8.0, distance=2.5)
    total = min(there.forward, 2.5)
    if trial.fallen:
        return total
    pitch, roll, yaw = there.wobble
    total += 1.0 + 3.0 * min(there.forward / there.seconds, 0.5) / 0.5 - abs(there.left) - abs(there.turned)
    total -= 3 * max(pitch - 0.15, 0) + 3 * max(roll - 0.05, 0) + 6 * yaw
    back = trial.do("walk", 5.0, distance=-0.6)
    if trial.fallen:
        return total
    return total + 1.5 + min(-back.forward / back.seconds, 0.3) / 0.3 - abs(back.left) - abs(back.turned)


def _steps(trial: Trial) -> float:
    total = 0.0
    goals = (
        ("step_forward", 0.1, 0.0),
        ("step_backward", -0.1, 0.0),
        ("turn_left", 0.0, 1.0),
        ("turn_right", 0.0, -1.0),
    )
    for name, forward, turns in goals * 2:
        did = trial.do(name, 3.0)
        if trial.fallen:
            break
        error = abs(did.forward - forward) + abs(did.left) + 0.4 * abs(did.turned - turns * math.radians(15))
        total += 0.9 - 6 * min(error, 0.15) - 0.4 * max(did.seconds - 0.8, 0)
    return total


def _curves(trial: Trial) -> float:
    curve = trial.do("walk", 5.0, turn=0.4, duration=3.0)
    if trial.fallen:
        return 0.0
    total = 1.0 + min(curve.turned, 1.0)
    for name, sign in (("turn_left", 1), ("turn_right", -1)):
        did = trial.do(name, 3.5, angle=1.2)
        if trial.fallen:
            break
        total += 0.5 + min(sign * did.turned, 1.2) / did.seconds - math.hypot(did.forward, did.left)
    return total


def _rough_orders(trial: Trial) -> float:
    orders = (
        (1.0, 1.0, 0.0, "hand_pitch"),
        (0.8, -1.0, 0.5, ""),
        (0.8, 1.0, -1.0, "hand_roll"),
        (0.6, 0.0, 1.0, "waist_shake"),
        (0.8, -1.0, -1.0, ""),
        (1.0, 1.0, 1.0, "hand_pitch"),
        (1.5, 0.0, 0.0, ""),
    )
    return sum(0.5 * trial.drive(*order) for order in orders)
