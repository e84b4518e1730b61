# SPDX-License-Identifier: Apache-2.0
"""A robot of rcssservermj in MuJoCo, in one process, driven the way the server drives it (rcssservermj 0.2.1).

``protocols/rcsssmj/managed_robot.py`` is the same with the server's own classes. This one leaves out what a gait
does not need (vision, rules, percepts as objects), can delay commands, and begins anew at once.
"""

import math
from collections import deque

import mujoco
import numpy as np
from rcsssmj.resources.spec_provider import ModelSpecProvider

from embodiment_bridge.body.description import BodyDescription, Gait, LegLengths
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.protocols.rcsssmj.convert import robot_of

PREFIX = "robot-"
CYCLE = 0.02  # s: four steps of 0.005 s, then a percept
SUBSTEPS = 4
START = (-5.0, 0.0)  # m: on the field, away from the ball
TORSO_HEIGHT = {"T1": 0.666, "K1": 0.551}  # m above the ground, standing with straight legs
DROP = 0.014  # m that the soles are over the ground at the start


class RobotModel:
    """One robot in the soccer world.

    Args:
        description: of the robot; its joints tell which one it is, and their order. No gears: not for the ant.
        delay: cycles that targets take to become effective: 0 shows in the next percept (the server with
            ``--sequential``), 1 in the second (its default and ``--sync``); more stands for a slow client.
    """

    def __init__(self, description: BodyDescription, delay: int = 1) -> None:
        self.robot = robot_of(description)
        self.torso_height = TORSO_HEIGHT[self.robot.name]
        provider = ModelSpecProvider()
        world = provider.load_environment_spec("soccer", "world")
        spec = provider.load_robot_spec(self.robot.name)
        world.attach(spec, prefix=PREFIX, frame=world.worldbody.add_frame())
        self.model = world.compile()
        self.data = mujoco.MjData(self.model)
        self.delay = delay
        joints = [self.model.joint(PREFIX + joint.name) for joint in description.joints]
        root = self.model.joint(PREFIX + "root")
        self._root, self._root_speed = root.qposadr[0], root.dofadr[0]
        self._angle = np.array([joint.qposadr[0] for joint in joints])
        self._speed = np.array([joint.dofadr[0] for joint in joints])
        self._actuators = {kind: self._find_actuators(joints, kind) for kind in ("pos", "vel", "tau")}
        self._queue: deque[JointTargets] = deque()
        self.reset(0)

    def _find_actuators(self, joints: list, kind: str) -> np.ndarray:
        of_joint = {
            int(self.model.actuator_trnid[i][0]): i
            for i in range(self.model.nu)
            if self.model.actuator(i).name.endswith("_" + kind)
        }
        return np.array([of_joint[joint.id] for joint in joints])

    def reset(self, seed: int, drop: float = DROP) -> BodyState:
        """Put the robot upright on the field, ``drop`` m over it, joints near zero; ``seed`` varies them a little."""
        mujoco.mj_resetData(self.model, self.data)
        height = self.torso_height + drop
        self.data.qpos[self._root : self._root + 7] = (*START, height, 1, 0, 0, 0)
        self.data.qpos[self._angle] += np.random.default_rng(seed).normal(0, 0.01, len(self._angle))
        self._queue.clear()
        mujoco.mj_forward(self.model, self.data)
        return self.state()

    def step(self, targets: JointTargets) -> BodyState:
        """Send targets, let a cycle pass, return the next percept."""
        self._queue.append(targets)
        if len(self._queue) > self.delay:
            self._apply(self._queue.popleft())
        mujoco.mj_step(self.model, self.data, SUBSTEPS)
        return self.state()

    def _apply(self, targets: JointTargets) -> None:
        model, control = self.model, self.data.ctrl
        pos, vel, tau = (self._actuators[kind] for kind in ("pos", "vel", "tau"))
        control[pos], control[vel], control[tau] = targets.position, targets.velocity, targets.effort
        kp, kd = np.array(targets.kp), np.array(targets.kd)
        model.actuator_gainprm[pos, 0], model.actuator_biasprm[pos, 1] = kp, -kp
        model.actuator_gainprm[vel, 0], model.actuator_biasprm[vel, 2] = kd, -kd

    def state(self) -> BodyState:
        """What the robot senses, rounded like the server rounds it."""
        data, root = self.data, self._root
        roll, pitch, yaw = _euler(*np.trunc(data.qpos[root + 3 : root + 7] * 1000) / 1000)
        rates = np.trunc(np.degrees(data.qvel[self._root_speed + 3 : self._root_speed + 6]) * 100) / 100
        return BodyState(
            data.time,
            tuple(data.qpos[self._angle].tolist()),
            tuple(data.qvel[self._speed].tolist()),
            tuple((np.trunc(data.qpos[root : root + 3] * 1000) / 1000).tolist()),
            roll,
            pitch,
            yaw,
            tuple(np.radians(rates).tolist()),
            True,
        )

    def leg_lengths(self, gait: Gait) -> LegLengths:
        """The lengths of the left leg, m, as the model has them."""
        mujoco.mj_resetData(self.model, self.data)
        mujoco.mj_forward(self.model, self.data)
        leg = gait.left
        hip, knee, ankle = (
            self.data.xanchor[self.model.joint(PREFIX + name).id].tolist()
            for name in (leg.hip_pitch, leg.knee, leg.ankle_pitch)
        )
        return LegLengths(hip[0] - knee[0], hip[2] - knee[2], knee[2] - ankle[2])


def _euler(w: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    roll = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = math.asin(max(-1.0, min(1.0, 2 * (w * y - z * x))))
    yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return roll, pitch, yaw
