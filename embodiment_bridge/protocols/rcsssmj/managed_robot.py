# SPDX-License-Identifier: Apache-2.0
"""A robot of the simulator in this process, in SI units: what a ``MotionRunner`` moves. No ROS, no thread.

robot = ManagedRobot(read_body("config/bodies/t1.yaml"))
runner = MotionRunner(robot.body)
runner.start(SkillRequest("1", "walk", {"distance": 1.0}))
while not any(report.status.ended for report in runner.take_reports()):
    robot.step(runner.step(robot.state, CYCLE))
"""

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.protocols.rcsssmj.commands import Action, Frame, Init, Syn
from embodiment_bridge.protocols.rcsssmj.convert import BodyMap, robot_of
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed import ManagedSimulation


class ManagedRobot:
    """One robot alone on its field, from where the server places robots: beside the field, about to drop on its feet.

    body: as given. percept: what it perceived last, in the units of the wire. state: the same, as motion wants it.

    Args:
        body: its joints tell which robot it is.
        simulation: a fresh one; None makes one.

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
    ) -> None:
        robot = robot_of(body)
        self.body = body
        self.simulation = simulation or ManagedSimulation()
        self._map = BodyMap(robot, body)
        self._take(self.simulation.join(Init(robot.name, team, number)))

    def step(self, targets: JointTargets, *actions: Action) -> BodyState:
        """Drive the joints, do ``actions`` (to speak, to be beamed), let a cycle pass; return the new state.

        Raises:
            CommandError: a number is not finite, or an action is wrong.
            LinkError: the simulation has blown up: what it says of the robot is no number any more.
        """
        self.simulation.apply(Frame((*self._map.motors(targets), *actions, Syn())))
        self._take(self.simulation.step())
        return self.state

    def _take(self, percept: Percept) -> None:
        state = self._map.state(percept)
        if state is None:
            raise LinkError(
                f"the simulation gives no state of robot {self.body.name!r} at {percept.time_s} s"
            )
        self.percept, self.state = percept, state
