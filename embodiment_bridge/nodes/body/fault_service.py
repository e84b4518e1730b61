# SPDX-License-Identifier: Apache-2.0
"""The node `virtual_servos` with the service `inject_fault`, which injects faults into virtual servos."""

from contextlib import suppress
from typing import Unpack

from rclpy.node import Node

from embodiment_bridge.core.errors import BridgeError, ConfigError
from embodiment_bridge.dynamixel.virtual.faults import Option
from embodiment_bridge.dynamixel.virtual.requests import ActiveFault, Requests, option_value
from embodiment_bridge.nodes.base.parameters import NodeOptions
from embodiment_bridge.srv import InjectFault


class FaultService(Node):
    """Passes service requests to ``requests``, like the control socket."""

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
            for fault in self._requests.faults():
                if request.action != InjectFault.Request.INJECT or fault.fault in numbers:
                    response.faults.append(fault.fault)
                    response.descriptions.append(_described(fault))
            response.success = True
        except BridgeError as error:
            response.message = str(error)
        return response

    def _inject(self, request: InjectFault.Request, numbers: list[int]) -> None:
        """Inject one fault per servo, into all or none."""
        options = _options(request)
        targets = [{"id": id} for id in sorted(set(request.ids))] or [{}]
        try:
            for target in targets:
                number = self._requests.inject(request.kind, {**options, **target})
                numbers.append(number)  # those before an error are healed
        except BridgeError:
            for number in numbers:
                with suppress(BridgeError):  # it may have ended already
                    self._requests.heal(number)
            raise

    def _heal(self, request: InjectFault.Request) -> None:
        for number in request.faults:
            self._requests.heal(number)
        if not request.faults:
            self._requests.heal(bus=request.bus)


def _options(request: InjectFault.Request) -> dict[str, Option]:
    """Return the options of a fault but the servo.

    Raises:
        ConfigError: one has the name of a field, or its value is invalid.
    """
    found: dict[str, Option] = {"bus": request.bus} if request.bus else {}
    found |= {"skip": request.skip, "probability": request.probability, "after": request.after}
    found |= {name: getattr(request, name) for name in ("count", "duration") if getattr(request, name)}
    for option in request.options:
        if option.key in {*found, "id", "count", "duration", "bus", "kind", "do"}:
            raise ConfigError(f"option {option.key!r} has a field of its own")
        found[option.key] = option_value(option.key, option.value)
    return found


def _described(fault: ActiveFault) -> str:
    servo = "any servo" if fault.id is None else f"servo {fault.id}"
    return f"{fault.kind}, {servo}, struck {fault.hits} times"
