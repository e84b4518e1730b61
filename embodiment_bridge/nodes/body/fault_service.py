# SPDX-License-Identifier: Apache-2.0
"""The node `virtual_servos` with the service `inject_fault`, which injects faults into virtual servos."""

from typing import Any, Unpack

from rclpy.node import Node

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.virtual.requests import Requests, option_value
from embodiment_bridge.nodes.base.node_options import NodeOptions
from embodiment_bridge.srv import InjectFault


class FaultService(Node):
    """Passes service requests to ``requests``, as the control socket does."""

    def __init__(self, requests: Requests, **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("virtual_servos", **node_kwargs)
        self._requests = requests
        self._service = self.create_service(InjectFault, "inject_fault", self._serve)

    def _serve(self, request: InjectFault.Request, response: InjectFault.Response) -> InjectFault.Response:
        numbers: list[int] = []
        try:
            if request.action == InjectFault.Request.INJECT:
                self._inject(request, numbers)
            elif request.action == InjectFault.Request.HEAL:
                self._heal(request)
            elif request.action != InjectFault.Request.LIST:
                raise ConfigError(f"action is {request.action}; it must be 0 (inject), 1 (heal) or 2 (list)")
            for row in self._ask({"do": "faults"})["faults"]:
                if request.action != InjectFault.Request.INJECT or row["fault"] in numbers:
                    response.faults.append(row["fault"])
                    response.descriptions.append(_described(row))
            response.success = True
        except ConfigError as error:
            response.message = str(error)
        return response

    def _inject(self, request: InjectFault.Request, numbers: list[int]) -> None:
        """Inject one fault per servo, into all or none."""
        fault = _fault(request)
        targets = [{"id": id} for id in sorted(set(request.ids))] or [{}]
        try:
            for target in targets:
                answer = self._ask({**fault, **target})
                numbers.append(answer["fault"])
        except ConfigError:
            for number in numbers:
                self._ask({"do": "heal", "fault": number})
            raise

    def _heal(self, request: InjectFault.Request) -> None:
        for number in request.faults:
            self._ask({"do": "heal", "fault": number})
        if not request.faults:
            self._ask({"do": "heal", **_named_bus(request)})

    def _ask(self, wanted: dict[str, Any]) -> dict[str, Any]:
        answer = self._requests.answer(wanted)
        if not answer["ok"]:
            raise ConfigError(answer["error"])
        return answer


def _fault(request: InjectFault.Request) -> dict[str, Any]:
    """The request in the form of the control socket, without the servo.

    Raises:
        ConfigError: an option has the name of a field, or its value is invalid.
    """
    fault: dict[str, Any] = {"do": "fault", "kind": request.kind, **_named_bus(request)}
    fault |= {"skip": request.skip, "probability": request.probability, "after": request.after}
    fault |= {name: getattr(request, name) for name in ("count", "duration") if getattr(request, name)}
    for option in request.options:
        if option.key in {*fault, "id", "count", "duration", "bus"}:
            raise ConfigError(f"option {option.key!r} has a field of its own")
        fault[option.key] = option_value(option.key, option.value)
    return fault


def _named_bus(request: InjectFault.Request) -> dict[str, str]:
    return {"bus": request.bus} if request.bus else {}


def _described(row: dict[str, Any]) -> str:
    servo = "any servo" if row["id"] is None else f"servo {row['id']}"
    return f"{row['kind']}, {servo}, struck {row['hits']} times"
