# SPDX-License-Identifier: Apache-2.0
"""The thread of a simulation, which keeps time and carries out requests between two steps."""

import time
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from geometry_msgs.msg import Pose, Vector3
from rclpy.node import Node
from std_srvs.srv import Trigger
from typing_extensions import override

from embodiment_bridge.core.closed_on_exit import OwnThread
from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.nodes.base.bridge_node import FAULT
from embodiment_bridge.nodes.base.services import Reply, deferred_service
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.srv import Beam, PlaceThing, Push

Work = Callable[[], object]


class WorldRequests:
    """Serves reset, beam, push and place_thing of a simulated world, between two steps of it.

    Args:
        node: of the body.
        simulation: on which they act.
        ask: hands work to the simulation's thread, or calls the other function with the reason why not.
        placed: called on that thread after the robot was put somewhere.
        keyframe: at which the robot starts.
    """

    def __init__(
        self,
        node: Node,
        simulation: Simulation,
        ask: Callable[[Work, Callable[[str], object]], object],
        placed: Callable[[], object],
        keyframe: str,
    ) -> None:
        self._node = node
        self._simulation = simulation
        self._ask = ask
        self._placed = placed
        self._keyframe = keyframe
        deferred_service(node, Trigger, "reset", self._deferred(self._reset))
        deferred_service(node, Beam, "beam", self._deferred(self._beam))
        deferred_service(node, Push, "push", self._deferred(self._push))
        deferred_service(node, PlaceThing, "place_thing", self._deferred(self._place))

    def _deferred(self, action: Callable[[Any], object]) -> Callable[[Any, Reply], None]:
        def begin(request: Any, reply: Reply) -> None:
            def answer(message: str) -> None:
                reply.response.message = message
                executor = self._node.executor
                if executor is not None:
                    executor.create_task(reply.send)

            def work() -> None:
                message = FAULT
                try:
                    action(request)
                    reply.response.success, message = True, ""
                except BridgeError as error:
                    message = str(error)
                finally:  # also where something else is raised
                    answer(message)

            self._ask(work, answer)

        return begin

    def _reset(self, _: Trigger.Request) -> None:
        self._simulation.reset(self._keyframe)
        self._placed()

    def _beam(self, request: Beam.Request) -> None:
        self._simulation.beam(request.x, request.y, request.theta)
        self._placed()

    def _push(self, request: Push.Request) -> None:
        self._simulation.pushes.add(
            request.link, _three(request.force), _three(request.torque), request.duration
        )

    def _place(self, request: PlaceThing.Request) -> None:
        pose: Pose = request.pose
        turn = pose.orientation
        quaternion = (turn.x, turn.y, turn.z, turn.w)
        self._simulation.place(
            request.name,
            _three(pose.position),
            quaternion if any(quaternion) else None,
            _three(request.velocity),
        )


def _three(vector: Vector3) -> Vector:
    return vector.x, vector.y, vector.z


LATE_S: Final = 0.1  # s of delay that are caught up; more is forgotten


class Pace(OwnThread):
    """Calls ``cycle`` every ``period`` s of real time (0: without a pause) from its construction until ``close``."""

    def __init__(self, cycle: Callable[[], object], period: float) -> None:
        super().__init__()
        self._cycle, self._period = cycle, period
        self._asked: deque[tuple[Callable[[], object], Callable[[], object]]] = deque()  # atomic at both ends
        self.cycles = 0
        self.began = time.monotonic()
        self._start("simulation")

    def ask(self, work: Callable[[], object], too_late: Callable[[], object]) -> None:
        """Call ``work`` on the thread before the next cycle, or ``too_late`` if there is none any more."""
        self._asked.append((work, too_late))
        if self.ended:
            self._give_up()

    @override
    def close(self) -> None:
        super().close()
        self._give_up()

    @override
    def _serve(self) -> None:
        due = time.monotonic()
        while not self._closing.wait(max(due - time.monotonic(), 0.0)):
            while self._asked:
                work, _ = self._asked.popleft()
                work()
            self._cycle()
            self.cycles += 1
            due = max(due + self._period, time.monotonic() - LATE_S)

    def _give_up(self) -> None:
        while self._asked:
            _, too_late = self._asked.popleft()
            too_late()
