# SPDX-License-Identifier: Apache-2.0
"""Where a search for keyframes begins, and what their outcome is worth: falls for get_up, balls for kick."""

from dataclasses import dataclass

import mujoco
import numpy as np
from robot_model import CYCLE, PREFIX, RobotModel

from embodiment_bridge.body import SkillRequest
from embodiment_bridge.description import BodyDescription
from embodiment_bridge.motion.runner import MotionRunner

PUSH_CYCLES = 20  # 0.4 s, in which a push throws the robot over
FALL_CYCLES = 150
LIE_CYCLES = 60
STAND_CYCLES = 60
SETTLE_CYCLES = 10  # in which a new runner finds out how the body lies
AFTER_CYCLES = 60  # in which the robot has to stay up
LONGEST_CYCLES = 400
PUSHES = (210.0, 160.0, 240.0, 190.0)  # N, at the torso
BALLS = ((0.30, -0.10), (0.28, -0.08), (0.32, -0.12), (0.28, -0.13))  # m before and left of the hips' middle
BALL_RADIUS = 0.11  # m
FAR, FAST = 3.0, 3.0  # m, m/s: more is not worth more

Pose = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Scene:
    """A first pose of the world, commands that come ``delay`` cycles late, and perhaps a ball (m ahead, m left)."""

    skill: str
    pose: Pose
    delay: int
    ball: tuple[float, float] | None = None

    def points(self, model: RobotModel, body: BodyDescription) -> float:
        """About 10 for a robot that stands in the end; with a ball, more for how far and fast and straight it goes."""
        run = Run(model, body, self)
        run.play()
        return run.upright + (run.ball_points if self.ball else run.rise)


class Run:
    """One try in one scene."""

    def __init__(self, model: RobotModel, body: BodyDescription, scene: Scene) -> None:
        self._model, self._scene = model, scene
        self._torso = model.model.body(PREFIX + "torso").id
        self._foot = model.model.body(PREFIX + "left_foot_link").id
        self._ball = model.model.joint("ball-root")
        load(model, scene.pose)
        if scene.ball:
            self._put_ball(scene.ball)
        self._ball_start = self._ball_place()
        self._runner = MotionRunner(body)
        self._state = model.state()
        self._heights: list[float] = []
        self._tilts: list[float] = []
        self._progress: list[float] = []
        self._ball_speed = 0.0

    def play(self) -> None:
        """Settle, do the skill, and see whether the robot stays up."""
        for _ in range(SETTLE_CYCLES):
            self._step()
        self._runner.start(SkillRequest("try", self._scene.skill, {}, 0.0))
        for _ in range(LONGEST_CYCLES):
            self._step()
            self._judge()
            if any(report.status.ended for report in self._runner.take_reports()):
                break
        self._heights.clear()
        for _ in range(AFTER_CYCLES):
            self._step()
            self._judge()

    @property
    def upright(self) -> float:
        """Up to 6: how the robot is in the end, and whether it never went down again."""
        data = self._model.data
        height, level = float(data.xpos[self._torso][2]), float(data.xmat[self._torso][8])
        stands = level > 0.95 and min(self._heights) > 0.5
        return level + 3.0 * min(height, 0.66) + (3.0 if stands else 0.0)

    @property
    def rise(self) -> float:
        """Up to 4: soles on the ground below the weight, on the way."""
        half = self._progress[len(self._progress) // 2 : -AFTER_CYCLES]
        return 4.0 * float(np.mean(half)) if half else 0.0

    @property
    def ball_points(self) -> float:
        """4 for no fall, and up to 6 for the ball."""
        ahead, left = self._ball_place() - self._ball_start
        gone = 1.2 * min(max(float(ahead), 0.0), FAR) + 0.8 * min(self._ball_speed, FAST)
        return (4.0 if min(self._tilts) > 0.7 else 0.0) + gone - 1.8 * abs(float(left))

    def _step(self) -> None:
        self._state = self._model.step(self._runner.step(self._state, CYCLE))

    def _judge(self) -> None:
        data = self._model.data
        self._heights.append(float(data.xpos[self._torso][2]))
        self._tilts.append(float(data.xmat[self._torso][8]))
        over = abs(float(data.subtree_com[self._torso][0] - data.xpos[self._foot][0]))
        sole = max(float(data.xmat[self._foot][8]), 0.0)
        self._progress.append(0.5 * sole + 0.5 * max(self._tilts[-1], 0.0) - min(over, 0.5))
        self._ball_speed = max(self._ball_speed, float(data.qvel[self._ball.dofadr[0]]))

    def _put_ball(self, ball: tuple[float, float]) -> None:
        data, at = self._model.data, self._ball.qposadr[0]
        torso = data.xpos[self._torso]
        data.qpos[at : at + 3] = (torso[0] + ball[0], torso[1] + ball[1], BALL_RADIUS)
        mujoco.mj_forward(self._model.model, data)

    def _ball_place(self) -> np.ndarray:
        at = self._ball.qposadr[0]
        return self._model.data.qpos[at : at + 2].copy()


def get_up_scenes(body: BodyDescription, side: str) -> list[Scene]:
    """Falls to the front or the back by pushes of several strengths, with several delays."""
    model = RobotModel(body)
    sign = 1.0 if side == "front" else -1.0
    poses = [_fallen(model, body, seed, sign * push) for seed, push in enumerate(PUSHES)]
    return [Scene("get_up", pose, delay) for pose, delay in zip(poses, (1, 0, 2, 1), strict=True)]


def kick_scenes(body: BodyDescription) -> list[Scene]:
    """A stand with the ball at several places."""
    model = RobotModel(body)
    pose = _after(model, body, 0, STAND_CYCLES)
    return [Scene("kick", pose, delay, ball) for ball, delay in zip(BALLS, (1, 0, 2, 1), strict=True)]


def load(model: RobotModel, pose: Pose) -> None:
    """Put the world into a pose."""
    model.reset(0)
    model.data.qpos[:], model.data.qvel[:] = pose
    mujoco.mj_forward(model.model, model.data)


def _after(model: RobotModel, body: BodyDescription, seed: int, cycles: int, push: float = 0.0) -> Pose:
    runner, state = MotionRunner(body), model.reset(seed)
    torso = model.model.body(PREFIX + "torso").id
    for cycle in range(cycles):
        pushed = STAND_CYCLES <= cycle < STAND_CYCLES + PUSH_CYCLES
        model.data.xfrc_applied[torso, 0] = push if pushed else 0.0
        state = model.step(runner.step(state, CYCLE))
    return model.data.qpos.copy(), model.data.qvel.copy()


def _fallen(model: RobotModel, body: BodyDescription, seed: int, push: float) -> Pose:
    return _after(model, body, seed, STAND_CYCLES + FALL_CYCLES + LIE_CYCLES, push)
