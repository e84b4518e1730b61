# SPDX-License-Identifier: Apache-2.0
"""A robot in a simulated world, stepped in this process, with the body of its model.

Plain Python, for learning, tests and searches.

    simulation = Simulation(Path("urdf/desk_humanoid.urdf"))
    runner = MotionRunner(simulation.body)
    state = simulation.reset()
    for _ in range(100):
        state = simulation.step(runner.step(state, 0.01), 0.01)

``model`` and ``data`` are MuJoCo's own, for what goes beyond this class. Not thread-safe.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import cos, sin
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from embodiment_bridge.body.body_file import channel_of, plain_body
from embodiment_bridge.body.description import BodyDescription, Joint
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError, unknown
from embodiment_bridge.core.rotation import Quaternion, Vector, rpy_from_quaternion
from embodiment_bridge.physics.assembly import MOTOR, Assembly, assemble
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.joints import DrivenJoint
from embodiment_bridge.physics.perturbations import Pushes, drop_height, place_body

# The body of a model: all its driven joints, or those of a body file with the gains of the model.

UNLIMITED: Final = 1e4  # rad or m, for a joint without a range: 1600 turns of a wheel
SKILLS: Final = ("reset", "rest")


def body_of_model(assembly: Assembly) -> BodyDescription:
    """Return a body with all driven joints; rest is the first keyframe of the model, or the angle nearest to 0."""
    first: Mapping[str, float] = next(iter(assembly.keyframes.values()), {})
    joints = [_joint(joint, first.get(joint.name, 0.0)) for joint in assembly.joints]
    return plain_body(assembly.name, joints, SKILLS)


def with_gains(body: BodyDescription, assembly: Assembly) -> BodyDescription:
    """Return the body, with the model's gains for joints that have none.

    Raises:
        ConfigError: a joint of the body is not driven in the model.
    """
    known = {joint.name: joint for joint in assembly.joints}
    joints = []
    for joint in body.joints:
        if joint.name not in known:
            raise ConfigError(
                f"body {body.name!r}: {unknown(f'joint of model {assembly.name!r}', joint.name, known)}"
            )
        model = known[joint.name]
        joints.append(joint if joint.kp or joint.kd else replace(joint, kp=model.kp, kd=model.kd))
    return replace(body, joints=tuple(joints))


def _joint(joint: DrivenJoint, rest: float) -> Joint:
    lower, upper = max(joint.lower, -UNLIMITED), min(joint.upper, UNLIMITED)
    rest = min(max(rest, lower), upper)
    return Joint(
        joint.name, channel_of(joint.name), lower, upper, joint.velocity, joint.effort, joint.kp, joint.kd, rest,
        joint.name,
    )  # fmt: skip


CLEARANCE: Final = 0.001  # m between the soles and the ground at the start
GREATEST: Final = 1e10  # largest control: MuJoCo takes all of them for garbage above it
STAND: Final = 0.05  # m between the soles and the ground, of a robot that hangs in a stand
UNSTABLE: Final = (
    mujoco.mjtWarning.mjWARN_BADQPOS,
    mujoco.mjtWarning.mjWARN_BADQVEL,
    mujoco.mjtWarning.mjWARN_BADQACC,
)
Array = npt.NDArray[np.float64]


def _torques(targets: JointTargets) -> Array:
    """Return the part of the efforts that does not depend on the state: kp * position + kd * velocity + effort."""
    position, velocity, kp, kd, effort = np.array(
        (targets.position, targets.velocity, targets.kp, targets.kd, targets.effort)
    )
    torques: Array = kp * position + kd * velocity + effort
    return torques


class Simulation:
    """Simulates one robot in one world.

    body: the joints and skills, those of ``body`` or else all driven joints; where the given one has no gains, with
    those of the model. assembly: what the model is made of. time: s since the last reset.

    Args:
        path: URDF or MJCF.
        body: its joints are driven; other joints of the model hold their start.
        base, world, timestep: see ``assemble``.
        start: x, y m and yaw rad of a free base, on whatever is there.

    Raises:
        ConfigError: a file cannot be used, or a joint of ``body`` is not in the model.
    """

    def __init__(
        self,
        path: Path,
        body: BodyDescription | None = None,
        *,
        base: str = "auto",
        world: str = "auto",
        timestep: float = 0.001,
        start: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        self.assembly: Assembly = assemble(path, base=base, world=world, timestep=timestep)
        self.model = self.assembly.model
        self.data = mujoco.MjData(self.model)
        self._start = start
        self._timestep = timestep
        self.body = body_of_model(self.assembly) if body is None else with_gains(body, self.assembly)
        names = [joint.name for joint in self.body.joints]
        self._qpos = np.array([int(self.model.joint(name).qposadr[0]) for name in names])
        self._dofs = np.array([int(self.model.joint(name).dofadr[0]) for name in names])
        self._motors = np.array([int(self.model.actuator(MOTOR + name).id) for name in names])
        self.root = int(self.model.body(self.assembly.root).id)
        self.pushes = Pushes(self.model, self.data, self.root)
        self._gains: tuple[Sequence[float], Sequence[float]] | None = None
        self._keyframe = ""  # keyframe of the last reset
        self._velocity = np.zeros(6)
        self.reset()

    @property
    def time(self) -> float:
        """Time since the last reset, s."""
        return float(self.data.time)

    @property
    def state(self) -> BodyState:
        """The state that the body has now, without noise; the base as far as the world knows."""
        data = self.data
        w, x, y, z = data.xquat[self.root].tolist()
        roll, pitch, yaw = rpy_from_quaternion((x, y, z, w))
        place = data.xpos[self.root].tolist()
        mujoco.mj_objectVelocity(self.model, data, mujoco.mjtObj.mjOBJ_XBODY, self.root, self._velocity, 1)
        rates = self._velocity[:3].tolist()
        return BodyState(
            time=float(data.time),
            position=tuple(data.qpos[self._qpos].tolist()),
            velocity=tuple(data.qvel[self._dofs].tolist()),
            base_position=(place[0], place[1], place[2]),
            roll=roll,
            pitch=pitch,
            yaw=yaw,
            base_rates=(rates[0], rates[1], rates[2]),
            has_base=True,
        )

    @property
    def effort(self) -> Sequence[float]:
        """The torque of each motor of the body in the last step, Nm."""
        efforts: list[float] = self.data.actuator_force[self._motors].tolist()
        return efforts

    @property
    def speed(self) -> Vector:
        """The velocity of the base in its own axes, m/s; as of the last ``state``."""
        x, y, z = self._velocity[3:].tolist()
        return x, y, z

    def reset(self, keyframe: str = "") -> BodyState:
        """Begin again: the robot stands at its start, in the rest pose of its body or in a keyframe of the model.

        Raises:
            CommandError: there is no such keyframe.
        """
        frames = self.assembly.keyframes
        if keyframe and keyframe not in frames:
            raise CommandError(unknown("keyframe", keyframe, frames))
        self._keyframe = keyframe
        mujoco.mj_resetData(self.model, self.data)
        self.pushes.clear()
        pose = self._start_pose()
        for name, angle in pose.items():
            self.data.qpos[int(self.model.joint(name).qposadr[0])] = angle
        for joint in self.assembly.joints:  # also those that the body does not have: they hold
            motor = int(self.model.actuator(MOTOR + joint.name).id)
            self._set_gains(np.array([motor]), np.array([joint.kp]), np.array([joint.kd]))
            self.data.ctrl[motor] = joint.kp * pose[joint.name]
        self._gains = None
        self._stand(*self._start)
        return self.state

    def step(self, targets: JointTargets, seconds: float) -> BodyState:
        """Let ``seconds`` pass, a multiple of the timestep, with these targets; return the new state.

        Raises:
            CommandError: as ``drive``.
            LinkError: the simulation became unstable; it has begun again.
        """
        self.drive(targets)
        self.run(round(seconds / self._timestep))
        return self.state

    def drive(self, targets: JointTargets) -> None:
        """Set the targets of the joints until the next call.

        Raises:
            CommandError: there are not as many as joints, or a number is not finite; nothing is changed then.
        """
        rows = (targets.position, targets.velocity, targets.effort, targets.kp, targets.kd)
        if any(len(row) != len(self._motors) for row in rows):
            raise CommandError(
                f"targets for {[len(row) for row in rows]} joints; there are {len(self._motors)}"
            )
        torques = _torques(targets)
        if not np.abs(torques).max(initial=0.0) < GREATEST:  # MuJoCo would let go of all motors
            worst = int(np.argmin(np.abs(torques) < GREATEST))
            raise CommandError(
                f"joint {self.body.joints[worst].name!r}: position {targets.position[worst]}, velocity "
                f"{targets.velocity[worst]}, effort {targets.effort[worst]}, kp {targets.kp[worst]}, "
                f"kd {targets.kd[worst]}: not finite, or too large"
            )
        if self._gains is None or targets.kp is not self._gains[0] or targets.kd is not self._gains[1]:
            self._gains = targets.kp, targets.kd
            self._set_gains(self._motors, np.array(targets.kp), np.array(targets.kd))
        self.data.ctrl[self._motors] = torques

    def run(self, steps: int) -> None:
        """Let so many time steps pass with the present targets.

        Raises:
            LinkError: as ``step``.
        """
        while steps > 0:
            some = min(steps, self.pushes.steps_left)
            self.pushes.apply()
            mujoco.mj_step(self.model, self.data, some)
            self.pushes.passed(some)
            steps -= some
        warnings = self.data.warning
        if any(warnings[kind].number for kind in UNSTABLE):
            when, last = (
                self.data.time,
                [warnings[kind].lastinfo for kind in UNSTABLE if warnings[kind].number],
            )
            self.reset(self._keyframe)
            raise LinkError(
                f"the simulation became unstable at degree of freedom {last[0]} ({when:.3f} s); it has begun again"
            )

    def beam(self, x: float, y: float, yaw: float) -> None:
        """Put the robot somewhere else, standing as at the start on what is there; m, rad in ``map``.

        Raises:
            CommandError: its base is fixed, or a value is not finite.
        """
        if not self.assembly.floating:
            raise CommandError("the base of this robot is fixed")
        if not np.isfinite([x, y, yaw]).all():
            raise CommandError(f"place {x} m, {y} m, {yaw} rad is not finite")
        for name, angle in self._start_pose().items():
            self.data.qpos[int(self.model.joint(name).qposadr[0])] = angle
        for dof in self._all_dofs():
            self.data.qvel[dof] = 0.0
        self._stand(x, y, yaw)

    def place(self, name: str, position: Vector, turn: Quaternion | None, velocity: Vector) -> None:
        """Put a thing of the world somewhere; m, quaternion (x, y, z, w; None: as it is), m/s in ``map``.

        Raises:
            CommandError: there is no such thing, it is part of the robot or cannot move, or a value is not finite.
        """
        place_body(self.model, self.data, self.root, name, position, turn, velocity)

    def _start_pose(self) -> dict[str, float]:
        """Return the angle of each driven joint at the start."""
        chosen: Mapping[str, float] = self.assembly.keyframes.get(self._keyframe, {})
        rests = {joint.name: joint.rest for joint in self.body.joints}
        first: Mapping[str, float] = next(iter(self.assembly.keyframes.values()), {})
        return {
            joint.name: min(
                max(chosen.get(joint.name, rests.get(joint.name, first.get(joint.name, 0.0))), joint.lower),
                joint.upper,
            )
            for joint in self.assembly.joints
        }

    def _all_dofs(self) -> list[int]:
        return [
            d for d in range(self.model.nv) if self.model.body_rootid[self.model.dof_bodyid[d]] == self.root
        ]

    def _stand(self, x: float, y: float, yaw: float) -> None:
        if self.assembly.floating:
            joint = int(self.model.body_jntadr[self.root])
            at = int(self.model.jnt_qposadr[joint])
            self.data.qpos[at : at + 7] = [x, y, 0.0, cos(0.5 * yaw), 0.0, 0.0, sin(0.5 * yaw)]
            mujoco.mj_forward(self.model, self.data)
            self.data.qpos[at + 2] = drop_height(self.model, self.data, self.root, x, y) + CLEARANCE
        elif self.assembly.in_stand:
            mujoco.mj_forward(self.model, self.data)
            place = self.model.body_pos[self.root]
            standing = drop_height(self.model, self.data, self.root, float(place[0]), float(place[1]))
            if place[2] < standing - CLEARANCE:
                place[2] = standing + STAND
        mujoco.mj_forward(self.model, self.data)

    def _set_gains(self, motors: npt.NDArray[np.int64], kp: Array, kd: Array) -> None:
        self.model.actuator_biasprm[motors, 1] = -kp
        self.model.actuator_biasprm[motors, 2] = -kd
