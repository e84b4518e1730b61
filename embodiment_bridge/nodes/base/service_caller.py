# SPDX-License-Identifier: Apache-2.0
"""Finds the services of the graph and calls one of them with values from JSON."""

import time
from typing import Any, Final

from rclpy.node import Node

from embodiment_bridge.core.errors import CommandError, LinkError, unknown
from embodiment_bridge.nodes.base.json_messages import Json, fill
from embodiment_bridge.nodes.base.message_types import message_class
from embodiment_bridge.nodes.base.runtime import Runtime

OF_EVERY_NODE: Final = (
    "describe_parameters", "get_parameter_types", "get_parameters", "list_parameters", "set_parameters",
    "set_parameters_atomically", "get_type_description", "change_state", "get_available_states",
    "get_available_transitions", "get_state", "get_transition_graph",
)  # fmt: skip


class ServiceCaller:
    """Calls services on a node of its own."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._node = runtime.add(Node("caller", context=runtime.context, enable_rosout=False))

    def _known(self) -> dict[str, str]:
        """Types by the names of the services that are known by now."""
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
        """The response; waits for service and response until ``ends``, on the clock of ``time.monotonic``.

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
        fill(request, values)
        client = self._node.create_client(kind, name)
        self._runtime.spin(lambda: client.service_is_ready() or time.monotonic() > ends)
        future = client.call_async(request)
        self._runtime.spin(lambda: future.done() or time.monotonic() > ends)
        if not future.done():
            raise LinkError(f"{name} has not answered")
        return future.result()
