# SPDX-License-Identifier: Apache-2.0
"""The services by which people pause, resume, step and stop what runs."""

from collections.abc import Callable

from rclpy.node import Node
from std_srvs.srv import Trigger

from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.runs.director import Director
from embodiment_bridge.nodes.base.held_already import HELD_ALREADY
from embodiment_bridge.nodes.tree.runs.client_watch import ClientWatch


class RunControls:
    """`~/pause ~/resume ~/step ~/stop` of a node. A pause lasts until it is resumed, whatever ends meanwhile.

    refuse: ends all goals that wait for their turn with an error, and says how many.
    tick: called before each, as runs do not hear the time while they are paused, and after it.
    clients: their watch; told when one of them has said whether runs go on. Its pause ends with the run.
    """

    def __init__(
        self,
        node: Node,
        director: Director,
        tick: Callable[[], None],
        clients: ClientWatch,
        refuse: Callable[[Exception], int],
    ) -> None:
        self._node = node
        self._director = director
        self._tick = tick
        self._clients = clients
        self._refuse = refuse
        controls = {"stop": self._stop, "pause": self._pause, "resume": self._resume, "step": self._step}
        self._services = [
            node.create_service(Trigger, f"~/{name}", control) for name, control in controls.items()
        ]

    def destroy(self) -> None:
        """Take the services off the graph."""
        for service in self._services:
            self._node.destroy_service(service)

    def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._tick()
        waited = self._refuse(Rejected.because("", "STOPPED", "stopped by the stop service before it began"))
        stopped = self._director.stop_all("stopped by the stop service")
        text = f"stopping {', '.join(stopped)}" if stopped else "nothing runs"
        text += f"; {waited} that waited do not begin" if waited else ""
        self._tick()
        response.success = True
        stays = self._director.paused and not self._clients.pauses
        response.message = f"{text}; paused" if stays else text
        return response

    def _pause(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._tick()
        before = self._director.is_paused
        text = "pausing" if self._director.pause() else "paused: nothing begins"
        return self._answer(response, True, HELD_ALREADY if before else text, "")

    def _resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._tick()
        return self._answer(response, self._director.resume(), "going on", "nothing is paused")

    def _step(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._tick()
        return self._answer(response, self._director.step(), "to the next transition", "nothing is paused")

    def _answer(self, response: Trigger.Response, done: bool, text: str, otherwise: str) -> Trigger.Response:
        if done:
            self._clients.hand_over()
        self._tick()
        response.success = done
        response.message = text if done else otherwise
        return response
