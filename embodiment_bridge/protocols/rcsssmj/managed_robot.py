# SPDX-License-Identifier: Apache-2.0
"""Drives one robot alone in a simulator in this process.

As commands and percepts, and in SI units for a ``MotionRunner``. No ROS, no thread. ``RobotArrays`` drives and senses
it in MuJoCo's own arrays, with the numbers cut as the server cuts them, because the actions and perceptions of rcsssmj
are Python objects, which cost more than the physics (0.83 ms a cycle, 0.21 ms without them).

robot = ManagedRobot(read_body("config/bodies/t1.yaml"))
runner = MotionRunner(robot.body)
runner.start(SkillRequest("1", "walk", {"distance": 1.0}))
while not any(report.status.ended for report in runner.take_reports()):
    robot.step(runner.step(robot.state, CYCLE))
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import CommandError, LinkError
from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.protocols.rcsssmj.commands import Action, Frame, Init, Syn
from embodiment_bridge.protocols.rcsssmj.convert import (
    RAD_PER_WIRE_ANGLE,
    WIRE_ANGLE_PER_RAD,
    BodyMap,
    robot_of,
)
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed_world import CYCLE, ManagedPlayer, ManagedWorld
from embodiment_bridge.protocols.rcsssmj.robots import Joint, TorsoSensors

_JOINT_POSITION, _JOINT_VELOCITY = 9, 10  # MuJoCo's mjSENS_JOINTPOS and mjSENS_JOINTVEL
GREATEST: Final = 1e7  # of what is written here; what is greater goes the long way, where it is checked
Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


class RobotArrays:
    """One robot in one compiled world; a world that is compiled anew has new arrays.

    model, data: MuJoCo's. prefix: of the robot's names in them. joints: in the order of the body.
    """

    def __init__(
        self, model: Any, data: Any, prefix: str, joints: Sequence[Joint], torso: TorsoSensors
    ) -> None:
        self.data = data
        self._model = model
        self._joints = len(joints)
        motors = [
            [int(model.actuator(f"{prefix}{joint.effector}_{kind}").id) for joint in joints]
            for kind in ("pos", "vel", "tau")
        ]
        self._motors = np.array(motors).ravel()
        self._position, self._velocity = np.array(motors[0]), np.array(motors[1])
        gear = np.array([joint.gear for joint in joints])
        self._gear2 = gear**2
        self._factors = np.concatenate([gear, gear, 1.0 / gear])
        self._kp: Sequence[float] = ()
        self._kd: Sequence[float] = ()
        names = [model.sensor(s).name for s in range(model.nsensor)]
        kinds = model.sensor_type.tolist()
        sensors = [
            [s for s, name in enumerate(names) if kinds[s] == kind and name.startswith(prefix)]
            for kind in (_JOINT_POSITION, _JOINT_VELOCITY)
        ]
        order = [[names[s] for s in sensors[0]].index(prefix + joint.perceptor) for joint in joints]
        rows = [int(model.sensor_adr[some[i]]) for some in sensors for i in order]
        for name, size in ((torso.gyro, 3), (torso.orientation, 4), (torso.position, 3)):
            first = int(model.sensor(prefix + name).adr[0])
            rows += range(first, first + size)
        self._rows: Numbers = np.array(rows)
        angles = 2 * self._joints + 3
        self._to_wire: Floats = np.array([WIRE_ANGLE_PER_RAD] * angles + [1.0] * 7)
        self._digits: Floats = np.array([100.0] * angles + [1000.0] * 7)
        self._to_si: Floats = np.array([RAD_PER_WIRE_ANGLE] * angles + [1.0] * 7)

    def drive(self, targets: JointTargets) -> bool:
        """Set all motors until the next call; False, and nothing set, where a number is not within reason."""
        controls = np.array((targets.position, targets.velocity, targets.effort)).ravel()
        is_new = targets.kp is not self._kp or targets.kd is not self._kd
        gains = np.array((targets.kp, targets.kd)) if is_new else None
        if controls.size != len(self._motors) or (gains is not None and gains.size != 2 * self._joints):
            return False
        if not np.abs(controls).max() < GREATEST or (
            gains is not None and not np.abs(gains).max() < GREATEST
        ):
            return False
        self.data.ctrl[self._motors] = controls * self._factors
        if gains is not None:
            kp, kd = gains / self._gear2
            model = self._model
            model.actuator_gainprm[self._position, 0] = kp
            model.actuator_biasprm[self._position, 1] = -kp
            model.actuator_gainprm[self._velocity, 0] = kd
            model.actuator_biasprm[self._velocity, 2] = -kd
            self._kp, self._kd = targets.kp, targets.kd
        return True

    def forget_gains(self) -> None:
        """Somebody else has set motors."""
        self._kp = self._kd = ()

    def state(self) -> BodyState:
        """Return what the robot senses of itself now."""
        raw = self.data.sensordata[self._rows]
        values: list[float] = (
            np.trunc(raw * self._to_wire * self._digits) / self._digits * self._to_si
        ).tolist()
        n = self._joints
        rx, ry, rz, qw, qx, qy, qz, x, y, z = values[2 * n :]
        roll, pitch, yaw = rpy_from_quaternion((qx, qy, qz, qw))
        tilted = isfinite(roll + pitch + yaw)
        return BodyState(
            time=int(self.data.time * 100) / 100.0,
            position=tuple(values[:n]),
            velocity=tuple(values[n : 2 * n]),
            base_position=(x, y, z),
            roll=roll,
            pitch=pitch,
            yaw=yaw,
            base_rates=(rx, ry, rz),
            has_base=tilted and isfinite(x + y + z),
            has_tilt=tilted,
        )


__all__ = ["CYCLE", "ManagedSimulation"]


class ManagedSimulation:
    """A soccer field with one robot of ours, which stands still until somebody steps it.

    world: in which more robots can be, and in which things are placed.

    Not thread-safe. Nothing has to be closed.

    Args:
        rules: see ``ManagedWorld``.

    Raises:
        ConfigError: there are no such rules, or rcsssmj is not installed.
    """

    def __init__(self, rules: str = "ssim") -> None:
        self.world = ManagedWorld(rules)
        self._player: ManagedPlayer | None = None

    @property
    def simulation(self) -> Any:
        """Rcsssmj's own ``SoccerSimulation``."""
        return self.world.simulation

    @property
    def player(self) -> ManagedPlayer | None:
        """The robot, once it has joined."""
        return self._player

    def join(self, init: Init) -> Percept:
        """Place the robot beside the field; return what it perceives first. Takes about a second.

        Raises:
            CommandError: it has joined before, or the server would not take such an ``init``.
            LinkError: the simulation refuses it.
        """
        if self._player is not None:
            raise CommandError("Init: the robot has joined")
        self._player = self.world.add(init)
        return self._player.percept

    def reset(self) -> Percept:
        """Begin a new game in the same world, see ``ManagedWorld.reset``; return what the robot perceives then.

        Raises:
            CommandError: nobody has joined.
        """
        player = self._joined("reset")
        self.world.reset()
        return player.percept

    def apply(self, command: Action | Frame) -> None:
        """Let a command be carried out in the next step, after those that were given before.

        Raises:
            CommandError: nobody has joined, or the server would not take it, or what it would do is harm.
        """
        self._joined(type(command).__name__).apply(command)

    def step(self) -> Percept:
        """Let a cycle pass; return what the robot perceives then.

        Raises:
            CommandError: nobody has joined.
        """
        player = self._joined("step")
        self.world.step()
        return player.percept

    def _joined(self, wanted: str) -> ManagedPlayer:
        if self._player is None:
            raise CommandError(f"{wanted}: no robot has joined")
        return self._player


class ManagedRobot:
    """One robot alone on its field, from where the server places robots: beside the field, about to drop on its feet.

    body: as given. state: what it senses of itself, as motion wants it.

    Args:
        body: its joints tell which robot it is.
        simulation: a fresh one; None makes one.
        referee: without it, only the physics of the simulator: the game stands still, nobody is heard or sent off the
            field, and it is a third to a half faster.

    Raises:
        ConfigError: no robot has these joints, or rcsssmj is not installed.
    """

    def __init__(
        self,
        body: BodyDescription,
        *,
        team: str = "bridge",
        number: int = 2,
        simulation: ManagedSimulation | None = None,
        referee: bool = True,
    ) -> None:
        self._referee = referee
        self._robot = robot_of(body)
        self.body = body
        self.simulation = simulation or ManagedSimulation()
        self._map = BodyMap(self._robot, body)
        self._arrays: RobotArrays | None = None
        self._percept: Percept | None = None
        self.state: BodyState
        self._take(self.simulation.join(Init(self._robot.name, team, number)))

    @property
    def percept(self) -> Percept:
        """The percept in the units of the wire. It is made when it is asked for, as it costs more than a step."""
        if self._percept is None:
            self.simulation.world.perceive()
            self._percept = self._player.percept
        return self._percept

    def step(self, targets: JointTargets, *actions: Action) -> BodyState:
        """Drive the joints, do ``actions`` (to speak, to be beamed), let a cycle pass; return the new state.

        Raises:
            CommandError: a number is not finite, or an action is wrong.
            LinkError: the simulation has blown up: what it says of the robot is no number any more.
        """
        world, arrays = self.simulation.world, self._own_arrays()
        if actions or self._player.has_commands or not arrays.drive(targets):
            arrays.forget_gains()
            self.simulation.apply(Frame((*self._map.motors(targets), *actions, Syn())))
        if not self._referee:
            world.step_physics()
        elif len(world.players) == 1:
            world.step(perceive=False)
        else:  # the others perceive as well
            self._take(self.simulation.step())
            return self.state
        return self.sense()

    def sense(self) -> BodyState:
        """Sense anew, once something else than ``step`` has changed the world; return the new state."""
        self._percept, self.state = None, self._own_arrays().state()
        return self.state

    def reset(self) -> BodyState:
        """Begin again where the robot joined, in the same world; return the new state. Its time goes on.

        Raises:
            LinkError: the simulation has blown up.
        """
        self._take(self.simulation.reset())
        return self.state

    @property
    def _player(self) -> ManagedPlayer:
        player = self.simulation.player
        if player is None:
            raise LinkError("no robot has joined")
        return player

    def _own_arrays(self) -> RobotArrays:
        """The arrays of the world as it is compiled now."""
        simulation = self.simulation.simulation
        if self._arrays is None or self._arrays.data is not simulation.mj_data:
            self._arrays = RobotArrays(
                simulation.mj_model,
                simulation.mj_data,
                self._player.prefix,
                self._map.joints,
                self._robot.torso,
            )
        return self._arrays

    def _take(self, percept: Percept) -> None:
        state = self._map.state(percept)
        if state is None:
            raise LinkError(
                f"the simulation gives no state of robot {self.body.name!r} at {percept.time_s} s"
            )
        self._percept, self.state = percept, state
