# SPDX-License-Identifier: Apache-2.0
"""The topics and services of a room: they hand over to its converter, and say so when something is refused."""

from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.node import Node

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.protocols.converter import Converter
from embodiment_bridge.protocols.spec import Room


class ProtocolInputs:
    """``refusal()`` says why nothing can be sent now, or nothing."""

    def __init__(self, node: Node, room: Room, converter: Converter, refusal: Callable[[], str]) -> None:
        self._node = node
        self._converter = converter
        self._refusal = refusal
        self._subscriptions = [
            node.create_subscription(
                resolve(item.type), item.name, partial(self._message, item.name), profile("command")
            )
            for item in room.inputs
        ]
        self._services = [
            node.create_service(resolve(item.type), item.name, partial(self._request, item.name))
            for item in room.services
        ]

    def destroy(self) -> None:
        """Take the topics and services off the graph."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        for service in self._services:
            self._node.destroy_service(service)

    def _take(self, name: str, message: Any) -> str:
        refusal = self._refusal()
        if refusal:
            raise CommandError(refusal)
        return self._converter.take(name, message)

    def _message(self, name: str, message: Any) -> None:
        try:
            self._take(name, message)
        except CommandError as error:
            self._node.get_logger().warning(f"{name}: {error}", throttle_duration_sec=1.0)

    def _request(self, name: str, request: Any, response: Any) -> Any:
        try:
            response.message = self._take(name, request)
            response.success = True
        except CommandError as error:
            response.success, response.message = False, str(error)
        return response
