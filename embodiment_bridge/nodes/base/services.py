# SPDX-License-Identifier: Apache-2.0
"""Serves services whose response is sent later, and finds and calls services of the graph with values from JSON.

rclpy passes what a callback returns to ``Service.send_response`` together with the request's header; both executors
look that method up on the service. The method here keeps the header until the response is ready.
"""

import time
from collections.abc import Callable
from typing import Any, Final

from rclpy.node import Node

from embodiment_bridge.core.errors import CommandError, LinkError, unknown
from embodiment_bridge.nodes.base.messages import Json, fill, message_class
from embodiment_bridge.nodes.base.runtime import Runtime

HELD_ALREADY: Final = "held already"
"""The answer of `hold` and of `pause` when the robot was already frozen."""


def is_clear_no(value: object) -> bool:
    """Return whether this is false, or the text false: nothing else lets a frozen robot go on."""
    return value is False or (isinstance(value, str) and value.strip().lower() == "false")


class Reply:
    """Answers one request; call ``send`` once, in the executor's thread."""

    def __init__(self, response: Any) -> None:
        self.response = response
        self._send: Callable[[Any], None] | None = None
        self._sent = False

    def send(self) -> None:
        """Send the complete response."""
        self._sent = True
        if self._send is not None:
            self._send(self.response)

    def route(self, send: Callable[[Any], None]) -> None:
        """Set the function that sends the response to the client."""
        self._send = send
        if self._sent:
            send(self.response)


def deferred_service(node: Node, service_type: Any, name: str, callback: Callable[[Any, Reply], None]) -> Any:
    """Return a service.

    ``callback(request, reply)`` begins the work, and ``reply.send()`` is called when it is done.
    """

    def begin(request: Any, response: Any) -> Reply:
        reply = Reply(response)
        callback(request, reply)
        return reply

    service = node.create_service(service_type, name, begin)
    send_response = service.send_response

    def send_later(reply: Any, header: Any) -> None:
        if isinstance(reply, Reply):
            reply.route(lambda response: send_response(response, header))
        else:  # the callback raised, and the guard of the node gave a response in its place
            send_response(reply, header)

    service.send_response = send_later
    return service


OF_EVERY_NODE: Final = (
    "describe_parameters", "get_parameter_types", "get_parameters", "list_parameters", "set_parameters",
    "set_parameters_atomically", "get_type_description", "change_state", "get_available_states",
    "get_available_transitions", "get_state", "get_transition_graph",
)  # fmt: skip
# The services that freeze a robot, with the field which is false when they let it go.
_FREEZES: Final = {
    ("stop", "std_srvs/srv/Trigger"): "",
    ("pause", "std_srvs/srv/Trigger"): "",
    ("hold", "std_srvs/srv/SetBool"): "data",
    ("emergency_stop", "std_srvs/srv/SetBool"): "data",
    ("hold_source", "embodiment_bridge/srv/Hold"): "on",
}


def freezes(name: str) -> bool:
    """Return whether a service of this name freezes a robot: it is obeyed whatever its values are."""
    return any(name.rpartition("/")[2] == one for one, _ in _FREEZES)


def _meant(name: str, kind: str, values: Json) -> Json:
    """Return the values of a request.

    Those that freeze a robot keep what is in order, and let it go on a clear no alone.
    """
    field = _FREEZES.get((name.rpartition("/")[2], kind))
    if field is None:
        return values
    given = values if isinstance(values, dict) else {}
    source = given.get("source")
    whose: dict[str, Json] = {"source": source} if field == "on" and isinstance(source, str) else {}
    return {**whose, field: not is_clear_no(given.get(field))} if field else {}


class ServiceCaller:
    """Calls services on a node of its own."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._node = runtime.add(Node("caller", context=runtime.context, enable_rosout=False))

    def _known(self) -> dict[str, str]:
        """Return the types of the services that are known by now, by name."""
        return {name: types[0] for name, types in self._node.get_service_names_and_types()}

    def listed(self, namespace: str = "", ends: float = 0.0) -> dict[str, str]:
        """Types by names at the time ``ends`` of ``time.monotonic``, without those of actions and of every node."""
        self._runtime.spin(lambda: time.monotonic() > ends)
        return {
            name: kind
            for name, kind in self._known().items()
            if name.startswith(f"{namespace.rstrip('/')}/")
            and "/_action/" not in name
            and name.rpartition("/")[2] not in OF_EVERY_NODE
        }

    def call(self, name: str, values: Json, ends: float) -> Any:
        """Return the response; waits for service and response until ``ends``, on the clock of ``time.monotonic``.

        Raises:
            CommandError: there is no such service, or a value does not fit its field of the request.
            LinkError: it did not answer.
        """
        self._runtime.spin(lambda: name in self._known() or time.monotonic() > ends)
        known = self._known()
        if name not in known:
            raise CommandError(unknown("service", name, self.listed()))
        kind = message_class(known[name])
        request = kind.Request()
        fill(request, _meant(name, known[name], values))
        client = self._node.create_client(kind, name)
        self._runtime.spin(lambda: client.service_is_ready() or time.monotonic() > ends)
        future = client.call_async(request)
        self._runtime.spin(lambda: future.done() or time.monotonic() > ends)
        if not future.done():
            raise LinkError(f"{name} has not answered")
        return future.result()
