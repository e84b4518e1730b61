# SPDX-License-Identifier: Apache-2.0
"""``ManagedRobot`` for searches: it begins anew on the field, facing +x, and what it is told comes some cycles late."""

import math
from collections import deque
from typing import NamedTuple

import numpy as np

from embodiment_bridge.body.carriers.gait import Gait, LegLengths
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.perturbations import drop_height
from embodiment_bridge.protocols.rcsssmj.managed_robot import CYCLE, ManagedRobot

__all__ = ["CYCLE", "RobotModel"]

TEAM, NUMBER = "bridge", 2
START = (-5.0, 10.0)  # m: on the field, away from the ball, and not in the line of the goals
FACING = (0.0, 0.0, 0.0, 1.0)  # along +x; x y z w
BALL_RADIUS = 0.11  # m
DROP = 0.01  # m that the soles are over the ground at the start
FIRST_POSE = 0.01  # rad, spread of the joints at the start


class Placed(NamedTuple):
    """A thing at its true place, as skills know things."""

    kind: str
    position: tuple[float, float, float]
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)


class RobotModel:
    """One robot alone on the field, without a referee.

    model, data: MuJoCo's. torso, feet: numbers of their bodies, the left foot first. height: of the torso of a robot
    that begins, m. ball: its root in MuJoCo's own numbers.

    Args:
        description: of the robot; its joints tell which one it is. A robot with two legs: not for the ant.
        delay: cycles that targets take to become effective: 0 shows in the next percept (the server with
            ``--sequential``), 1 in the second (its default and ``--sync``); more stands for a slow client.
    """

    def __init__(self, description: BodyDescription, delay: int = 1) -> None:
        self.delay = delay
        self._robot = ManagedRobot(description, team=TEAM, number=NUMBER, referee=False)
        self.world = self._robot.simulation.world
        self.model, self.data = self.world.simulation.mj_model, self.world.simulation.mj_data
        self.ball = self.data.joint("ball-root")
        self._prefix = self.world.players[0].prefix
        self.torso = self._body("torso")
        self.feet = self._body("left_foot_link"), self._body("right_foot_link")
        self._angles = np.array([self._joint(joint.name).qposadr[0] for joint in description.joints])
        none = (0.0,) * len(description.joints)
        self._limp = JointTargets(none, none, none, none, none)
        self._waiting: deque[JointTargets] = deque()
        self._put(0.0)
        self.height = drop_height(self.model, self.data, self.torso, *START) + DROP

    def reset(self, seed: int) -> BodyState:
        """Put the robot upright on the field, limp until it is told something; ``seed`` varies its joints a little."""
        self._put(self.height)
        self.data.qpos[self._angles] += np.random.default_rng(seed).normal(0, FIRST_POSE, len(self._angles))
        mujoco.mj_forward(self.model, self.data)
        return self.sense()

    def lay(self, height: float, roll: float, pitch: float) -> None:
        """Turn the robot about its x axis, then about the y axis of the field (rad); lift its torso to ``height`` m."""
        turn = np.zeros(4)
        mujoco.mju_mulQuat(
            turn,
            np.array([np.cos(0.5 * pitch), 0.0, np.sin(0.5 * pitch), 0.0]),
            np.array([np.cos(0.5 * roll), np.sin(0.5 * roll), 0.0, 0.0]),
        )
        w, x, y, z = turn.tolist()
        self.world.place_player(TEAM, NUMBER, (*START, height), (x, y, z, w))

    def step(self, targets: JointTargets) -> BodyState:
        """Send targets, let a cycle pass, return what it senses then."""
        self._waiting.append(targets)
        return self._robot.step(self._waiting.popleft())

    def sense(self) -> BodyState:
        """What it senses of itself after ``data`` was changed."""
        return self._robot.sense()

    @property
    def upright(self) -> float:
        """Cosine of the tilt of the torso."""
        return float(self.data.xmat[self.torso][8])

    def place_ball(self, x: float, y: float) -> None:
        """Put the ball on the ground, m in ``map``."""
        self.world.place_ball((x, y, BALL_RADIUS))
        self._has_ball = True

    @property
    def ball_place(self) -> tuple[float, float]:
        """Where the ball is, m in ``map``."""
        x, y = self.ball.qpos[:2].tolist()
        return x, y

    def things(self) -> dict[str, Placed]:
        """The ball as it lies, once it was placed; m, to the centimetre."""
        if not self._has_ball:
            return {}
        x, y, z = (math.trunc(100 * value) / 100 for value in self.ball.qpos[:3].tolist())
        return {"ball": Placed("ball", (x, y, z), (2 * BALL_RADIUS,) * 3)}

    def leg_lengths(self, gait: Gait) -> LegLengths:
        """The lengths of the left leg, m, as the model has them."""
        self._put(self.height)
        leg = gait.left
        hip, knee, ankle = (
            self.data.xanchor[self._joint(name).id].tolist()
            for name in (leg.hip_pitch, leg.knee, leg.ankle_pitch)
        )
        lengths = hip[0] - knee[0], hip[2] - knee[2], knee[2] - ankle[2]
        return LegLengths(*(round(length, 6) for length in lengths))  # as a body file has them

    def _put(self, height: float) -> None:
        """Begin anew with straight legs; ``height`` of the torso, m."""
        self._robot.reset()
        self.data.time = 0.0  # so that what is sensed does not hang on what was tried before
        self.world.place_player(TEAM, NUMBER, (*START, height), FACING)
        self._waiting = deque([self._limp] * self.delay)
        self._has_ball = False

    def _body(self, name: str) -> int:
        return int(self.model.body(self._prefix + name).id)

    def _joint(self, name: str):  # noqa: ANN202 - a view of MuJoCo's
        return self.model.joint(self._prefix + name)
