# SPDX-License-Identifier: Apache-2.0
"""Poses of a robot after a push, and scores of attempts to get up from them."""

from dataclasses import dataclass

import mujoco
import numpy as np
from robot_model import CYCLE, RobotModel

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.motion.skills.fall import side_of

SKILL = "get_up"
STAND_CYCLES = 60
LAID_CYCLES = 200  # in which a robot that is laid on a side rolls on and comes to rest
LAID_HEIGHT = 0.35  # m of the torso, from where it drops
TIP_RAD = 0.15  # at most, to the front or back of a robot that is laid on a side
PUSH_CYCLES = 20  # 0.4 s, in which a push throws the robot over
LIE_CYCLES = 190  # from the end of the push on
SETTLE_CYCLES = 10  # in which a new runner detects how the body lies
AFTER_CYCLES = 60  # in which the robot has to stay up
LATE_S = 0.5  # by which a motion may take longer than its nominal time; what follows would be a second try
PUSHES = (210.0, 160.0, 240.0, 190.0, 130.0, 260.0)  # N, at the torso
DELAYS = (1, 0, 2, 1, 3, 1)  # delay of commands in cycles, one per push
LAID_DELAYS = (0, 3, 2, 3)  # one per robot that is laid on its left, and on its right side

Pose = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Fall:
    """A fallen robot: positions and speeds of everything in the model; commands are ``delay`` cycles late."""

    pose: Pose
    delay: int

    def points(self, model: RobotModel, body: BodyDescription) -> float:
        """About 10 for a robot that stands in the end, less for one that came half way."""
        attempt = Attempt(model, body, self.pose)
        attempt.play()
        return attempt.upright + attempt.rise


class Attempt:
    """One try to get up."""

    def __init__(self, model: RobotModel, body: BodyDescription, pose: Pose) -> None:
        self._model = model
        self._torso, self._foot = model.torso, model.feet[0]
        model.reset(0)
        model.data.qpos[:], model.data.qvel[:] = pose
        mujoco.mj_forward(model.model, model.data)
        self._runner = MotionRunner(body)
        self._nominal_s = body.skills[SKILL].nominal_s
        self._state = model.sense()
        self._progress: list[float] = []
        self._lowest = np.inf

    def play(self) -> None:
        """Settle, get up, and check whether the robot stays up."""
        self._steps(SETTLE_CYCLES)
        self._runner.start(SkillRequest("try", SKILL, {}, 0.0))
        for _ in range(round((self._nominal_s + LATE_S) / CYCLE)):
            self._steps(1)
            self._progress.append(self._share_of_the_way())
            if any(report.status.ended for report in self._runner.take_reports()):
                break
        self._lowest = np.inf
        self._steps(AFTER_CYCLES)

    @property
    def upright(self) -> float:
        """Up to 6: how the robot is in the end, and whether it never went down again."""
        data = self._model.data
        height, level = float(data.xpos[self._torso][2]), float(data.xmat[self._torso][8])
        stands = level > 0.95 and self._lowest > 0.75 * height
        return level + 3.0 * min(height, 0.66) + (3.0 if stands and height > 0.45 else 0.0)

    @property
    def rise(self) -> float:
        """Up to 4: soles on the ground below the weight, in the second half of the way."""
        half = self._progress[len(self._progress) // 2 :]
        return 4.0 * float(np.mean(half)) if half else 0.0

    def _steps(self, cycles: int) -> None:
        for _ in range(cycles):
            self._state = self._model.step(self._runner.step(self._state, CYCLE))
            self._lowest = min(self._lowest, float(self._model.data.xpos[self._torso][2]))

    def _share_of_the_way(self) -> float:
        data = self._model.data
        over = abs(float(data.subtree_com[self._torso][0] - data.xpos[self._foot][0]))
        sole, level = (max(float(data.xmat[body][8]), 0.0) for body in (self._foot, self._torso))
        return 0.5 * sole + 0.5 * level - min(over, 0.5)


def falls(body: BodyDescription, side: str) -> list[Fall]:
    """Falls to the front or the back: by pushes, and of those laid on a side the ones that came to rest so."""
    model = RobotModel(body)
    sign = 1.0 if side == "front" else -1.0
    found = [
        Fall(fallen(model, body, seed, sign * push), delay)
        for seed, (push, delay) in enumerate(zip(PUSHES, DELAYS, strict=True))
    ]
    for left in (True, False):
        for seed, delay in enumerate(LAID_DELAYS):
            pose = laid(model, body, seed, left)
            if side_of(model.sense().pitch) == side:
                found.append(Fall(pose, delay))
    return found


def fallen(model: RobotModel, body: BodyDescription, seed: int, push: float) -> Pose:
    """The pose after a push (N, + forward) of the standing robot; ``seed`` varies the standing pose."""
    runner, state = MotionRunner(body), model.reset(seed)
    for cycle in range(STAND_CYCLES + PUSH_CYCLES + LIE_CYCLES):
        pushed = STAND_CYCLES <= cycle < STAND_CYCLES + PUSH_CYCLES
        model.data.xfrc_applied[model.torso, 0] = push if pushed else 0.0
        state = model.step(runner.step(state, CYCLE))
    return model.data.qpos.copy(), model.data.qvel.copy()


def laid(model: RobotModel, body: BodyDescription, seed: int, left: bool) -> Pose:
    """The pose of a robot that was laid on its left or right side; ``seed`` varies its joints and how it is tipped."""
    runner, state = MotionRunner(body), model.reset(seed)
    tip = float(np.random.default_rng(seed).uniform(-TIP_RAD, TIP_RAD))
    model.lay(LAID_HEIGHT, (-0.5 if left else 0.5) * np.pi, tip)
    state = model.sense()
    for _ in range(LAID_CYCLES):
        state = model.step(runner.step(state, CYCLE))
    return model.data.qpos.copy(), model.data.qvel.copy()
