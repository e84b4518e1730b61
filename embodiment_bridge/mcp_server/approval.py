# SPDX-License-Identifier: Apache-2.0
"""Runs that wait for the agreement of a person, who is told all that the document does."""

import asyncio
import json
import math
import secrets
from collections.abc import Callable, Mapping
from dataclasses import fields
from itertools import count
from typing import Final

import anyio
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.service import Service
from std_msgs.msg import String

from embodiment_bridge.bml.nodes.loop import Loop
from embodiment_bridge.bml.nodes.node import Node as BmlNode
from embodiment_bridge.bml.reading.reader import read
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.mcp_server.answers import plain
from embodiment_bridge.mcp_server.graph_thread import call_soon, settle
from embodiment_bridge.mcp_server.host import Context
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.robot.robot import Robot
from embodiment_bridge.robot.runs import text_of
from embodiment_bridge.robot.values import Check
from embodiment_bridge.srv import Approve

# Tells the person who has to agree to a document all that it does, so that nothing is cut off unseen.

WHOLE: Final = 2000  # characters of a document that is shown as it is
LOG: Final = 60  # characters of the text of a log node, which moves and says nothing
ABOUT: Final = ("pointer", "name", "extra", "kind", "action_key")  # of a node, no part of what it does


def summary(written: Mapping[str, object], check: Check) -> str:
    """Tell the size of a document, then a short one itself, or of a longer one each node and how often it is done."""
    text = text_of(written)
    document = read(text).document
    if document is None:
        return text
    nodes, metres, done = 0, 0.0, dict[str, float]()
    todo: list[tuple[BmlNode, float]] = [(document.root, 1.0)]
    while todo:
        node, times = todo.pop()
        nodes += 1
        told, far = _told(node)
        metres += far * times if far else 0.0
        done[told] = done.get(told, 0.0) + times
        if isinstance(node, Loop):
            times *= node.count if node.count >= 0 else math.inf
        todo.extend((one, times) for one in reversed(node.below))
    time = f"takes {seconds(check.expected)}, at most {seconds(check.longest)}"
    head = f"{nodes} nodes, {time}, distances of {number(metres)} m"
    if len(text) > WHOLE:
        text = "; ".join(
            f"{number(times)} x {told}" if times != 1.0 else told for told, times in done.items()
        )
    return f"a document of {head}: {text}"


def seconds(value: float | None) -> str:
    """A time for a text."""
    return "an unknown time" if value is None else f"{value:.3g} s" if math.isfinite(value) else "no end"


def number(value: float) -> str:
    """A count or a length for a text."""
    return f"{value:g}" if math.isfinite(value) else "endless"


def _told(node: BmlNode) -> tuple[str, float]:
    """The type of a node with all its arguments, and the distance in m among these."""
    given = {one.name: getattr(node, one.name) for one in fields(node) if one.name not in ABOUT}
    plain = {one.name: one.default for one in fields(node)}
    own = {
        key: value for key, value in given.items() if value not in (plain[key], {}) and not _is_below(value)
    }
    if node.type_name == "log" and len(str(own.get("text", ""))) > LOG:
        own["text"] = f"{own['text'][:LOG]}... ({len(own['text'])} characters)"
    parameters = own.get("parameters", {})
    far = parameters.get("distance", 0.0) if isinstance(parameters, Mapping) else 0.0
    words = json.dumps(own, ensure_ascii=False, default=str) if own else ""
    return f"{node.type_name} {words}".rstrip(), abs(far) if isinstance(far, int | float) else 0.0


def _is_below(value: object) -> bool:
    first = value[0] if isinstance(value, tuple | list) and value else value
    return isinstance(first, BmlNode)


WAITS: Final = 120.0  # s for an answer; then it is a refusal
LONGEST: Final = 3000  # characters of what is asked
SERVICE: Final = "approve"


class Approvals:
    """The requests that wait, by id. The newest is on the topic `approvals` (JSON: id, text), and logged by ``say``.

    An answer names its request: else a late one would begin what is asked then. No other server has the same id, and
    none is used again after a restart.
    """

    def __init__(self, robot: Robot, loop: asyncio.AbstractEventLoop, say: Callable[[str], None]) -> None:
        self._loop, self._say = loop, say
        self._robot = robot
        self._address = f"{robot.namespace.rstrip('/')}/{SERVICE}"
        self._waiting: dict[str, asyncio.Future[bool]] = {}
        self._numbers = count(1)
        self._service, self._topic = robot.on_graph(self._serve).result()

    def close(self) -> None:
        """Take everything off the graph."""
        self._robot.on_graph(lambda node: node.destroy_service(self._service))
        self._robot.on_graph(lambda node: node.destroy_publisher(self._topic))

    def void(self) -> None:
        """Refuse all that wait; a later answer to them begins nothing."""
        for answer in self._waiting.values():
            settle(answer, False)

    async def ask(self, context: Context, what: str) -> bool:
        """Whether somebody agrees to ``what`` in time: the first answer counts.

        Raises:
            CommandError: it is too long to be shown to its end.
        """
        if len(what) > LONGEST:
            raise CommandError(
                f"what the operator would have to agree to has {len(what)} characters; {LONGEST} is the limit: send "
                "shorter documents, one after the other"
            )
        name = f"mcp{next(self._numbers)}-{secrets.token_hex(3)}"
        answer: asyncio.Future[bool] = self._loop.create_future()
        self._waiting[name] = answer
        text = plain(what, LONGEST)
        self._say(f"approval {name} wanted: {text}")
        values = json.dumps({"id": name, "agreed": True})
        self._say(f"to agree: embodiment_bridge call {self._address} '{values}'")
        self._robot.on_graph(
            lambda _: self._topic.publish(String(data=json.dumps({"id": name, "text": text})))
        )
        try:
            async with anyio.create_task_group() as group:
                if _can_elicit(context):
                    group.start_soon(_elicit, context, text, answer)
                with anyio.move_on_after(WAITS):
                    agreed = await asyncio.shield(answer)
                    group.cancel_scope.cancel()
                    return agreed
                group.cancel_scope.cancel()
            return False
        finally:
            del self._waiting[name]

    def _serve(self, node: Node) -> tuple[Service, Publisher]:
        service = node.create_service(Approve, SERVICE, self._approve)
        return service, node.create_publisher(String, "approvals", profile("latched"))

    def _approve(self, request: Approve.Request, response: Approve.Response) -> Approve.Response:
        waiting = dict(self._waiting)
        answer = waiting.get(request.id)
        response.success = answer is not None
        if answer is None:
            response.message = f"no request {request.id[:60]!r}; waiting: {', '.join(waiting) or 'nothing'}"
            return response
        call_soon(self._loop, settle, answer, request.agreed)
        response.message = f"{request.id} {'begins' if request.agreed else 'is refused'}"
        return response


def _can_elicit(context: Context) -> bool:
    capabilities = context.session.client_capabilities
    return capabilities is not None and capabilities.elicitation is not None


async def _elicit(context: Context, text: str, answer: "asyncio.Future[bool]") -> None:
    schema = {"type": "object", "properties": {}}
    try:
        result = await context.session.elicit_form(
            f"Let the robot do this? {text}", schema, context.request_id
        )
    except MCPError:  # the host cannot ask after all; the service remains
        return
    except ValidationError:  # no clear yes is a no
        settle(answer, False)
        return
    if result.action != "cancel":
        settle(answer, result.action == "accept")
