# SPDX-License-Identifier: Apache-2.0
"""The services of a simulated world: reset, beam, push, place_thing. They are done between two steps of it."""

from collections.abc import Callable
from typing import Any, Final

from geometry_msgs.msg import Pose, Vector3
from rclpy.node import Node
from std_srvs.srv import Trigger

from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.nodes.base.deferred_service import Reply, deferred_service
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.srv import Beam, PlaceThing, Push

Work = Callable[[], object]
FAULT: Final = "an exception in the node, see its log"


class WorldRequests:
    """Offers the services.

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
        self._services = [
            deferred_service(node, kind, name, self._deferred(action))
            for kind, name, action in (
                (Trigger, "reset", self._reset),
                (Beam, "beam", self._beam),
                (Push, "push", self._push),
                (PlaceThing, "place_thing", self._place),
            )
        ]

    def destroy(self) -> None:
        """Take the services off the graph."""
        for service in self._services:
            self._node.destroy_service(service)

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
