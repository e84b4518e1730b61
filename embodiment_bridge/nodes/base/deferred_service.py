# SPDX-License-Identifier: Apache-2.0
"""A service with a deferred response: its callback returns at once, and another thread may finish the work.

rclpy passes what a callback returns to ``Service.send_response`` together with the request's header; both executors
look that method up on the service. The method here keeps the header until the response is ready.
"""

from collections.abc import Callable
from typing import Any

from rclpy.node import Node


class Reply:
    """The response to one request; call ``send`` once, in the executor's thread."""

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
    """A service; ``callback(request, reply)`` begins the work, and ``reply.send()`` is called when it is done."""

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
