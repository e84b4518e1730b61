# SPDX-License-Identifier: Apache-2.0
"""The topics and services that a protocol takes: they go to its converter, which may refuse them."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from rclpy.node import Node

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.protocols.converter import Converter
from embodiment_bridge.protocols.registry import ProtocolSpec


class Response(Protocol):
    """Of a service."""

    success: bool
    message: str


class ProtocolInputs:
    """Subscribes to the inputs and offers the services of a protocol.

    ``refusal()`` says why nothing can be sent now; empty when something can.
    """

    def __init__(
        self, node: Node, spec: ProtocolSpec, converter: Converter[object, object], refusal: Callable[[], str]
    ) -> None:
        self._node = node
        self._converter = converter
        self._refusal = refusal
        self._subscriptions = [
            node.create_subscription(
                resolve(item.type), item.name, partial(self._message, item.name), profile("command")
            )
            for item in spec.inputs
        ]
        self._services = [
            node.create_service(resolve(item.type), item.name, partial(self._request, item.name))
            for item in spec.services
        ]

    def destroy(self) -> None:
        """Take the topics and services off the graph."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        for service in self._services:
            self._node.destroy_service(service)

    def _send(self, name: str, message: object) -> str:
        refusal = self._refusal()
        if refusal:
            raise CommandError(refusal)
        return self._converter.handle_request(name, message)

    def _message(self, name: str, message: object) -> None:
        try:
            self._send(name, message)
        except CommandError as error:
            self._node.get_logger().warning(f"{name}: {error}", throttle_duration_sec=1.0)

    def _request(self, name: str, request: object, response: Response) -> Response:
        try:
            response.message = self._send(name, request)
            response.success = True
        except CommandError as error:
            response.success, response.message = False, str(error)
        return response
