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
    "set_parameters_atomically", "get_type_description",
)  # fmt: skip


class ServiceCaller:
    """Calls services on a node of its own."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._node = runtime.add(Node("caller", context=runtime.context, enable_rosout=False))

    def found(self, namespace: str = "") -> dict[str, str]:
        """Types by the names of the services that are known by now, without those of actions and of every node."""
        return {
            name: types[0]
            for name, types in self._node.get_service_names_and_types()
            if name.startswith(f"{namespace}/")
            and "/_action/" not in name
            and name.rpartition("/")[2] not in OF_EVERY_NODE
        }

    def listed(self, namespace: str, ends: float) -> dict[str, str]:
        """As ``found``, at the time ``ends`` of ``time.monotonic``."""
        self._runtime.spin(lambda: time.monotonic() > ends)
        return self.found(namespace)

    def call(self, name: str, values: Json, ends: float) -> Any:
        """The response; waits for service and response until ``ends``, on the clock of ``time.monotonic``.

        Raises:
            CommandError: there is no such service, or the values do not fit its request.
            LinkError: it did not answer.
        """
        self._runtime.spin(lambda: name in self.found() or time.monotonic() > ends)
        known = self.found()
        if name not in known:
            raise CommandError(unknown("service", name, known))
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
