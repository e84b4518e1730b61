# SPDX-License-Identifier: Apache-2.0
"""A service whose answer is ready later, on another thread: the callback returns at once and waits for nothing.

rclpy takes what a callback returns and gives it to ``Service.send_response`` together with the request's header; both
executors look that method up on the service. Here it keeps the header until the answer is there.
"""

from collections.abc import Callable
from typing import Any

from rclpy.node import Node


class Reply:
    """The answer to one request; ``send`` it once, in the executor's thread."""

    def __init__(self, response: Any) -> None:
        self.response = response
        self._send: Callable[[Any], None] | None = None
        self._sent = False

    def send(self) -> None:
        """The response is complete."""
        self._sent = True
        if self._send is not None:
            self._send(self.response)

    def route(self, send: Callable[[Any], None]) -> None:
        """Now it is known whom to answer."""
        self._send = send
        if self._sent:
            send(self.response)


def deferred_service(node: Node, service_type: Any, name: str, callback: Callable[[Any, Reply], None]) -> Any:
    """A service; ``callback(request, reply)`` begins the work, and somebody calls ``reply.send()`` when it is done."""

    def begin(request: Any, response: Any) -> Reply:
        reply = Reply(response)
        callback(request, reply)
        return reply

    service = node.create_service(service_type, name, begin)
    send_response = service.send_response

    def send_later(reply: Reply, header: Any) -> None:
        reply.route(lambda response: send_response(response, header))

    service.send_response = send_later
    return service
