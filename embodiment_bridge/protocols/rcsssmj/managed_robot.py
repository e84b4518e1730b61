# SPDX-License-Identifier: Apache-2.0
"""Drives one robot alone in a simulator in this process.

As commands and percepts, and in SI units for a ``MotionRunner``. No ROS, no thread.

robot = ManagedRobot(read_body("config/bodies/t1.yaml"))
runner = MotionRunner(robot.body)
runner.start(SkillRequest("1", "walk", {"distance": 1.0}))
while not any(report.status.ended for report in runner.take_reports()):
    robot.step(runner.step(robot.state, CYCLE))
"""

from typing import Any

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import CommandError, LinkError
from embodiment_bridge.protocols.rcsssmj.commands import Action, Frame, Init, Syn
from embodiment_bridge.protocols.rcsssmj.convert import BodyMap, robot_of
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed_arrays import RobotArrays
from embodiment_bridge.protocols.rcsssmj.managed_world import CYCLE, ManagedPlayer, ManagedWorld

# One robot alone in a simulator in this process: our commands in, percepts out, as Python objects.

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
        """What it perceives, in the units of the wire. Made when it is asked for, as it costs more than a step."""
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
