# SPDX-License-Identifier: Apache-2.0
"""The door of the HTTP server: the token and the origin, `stop` before all else, and room for new hosts."""

import hmac
from collections import OrderedDict
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from embodiment_bridge.core.same_origin import SameOrigin
from embodiment_bridge.mcp_server.freezing import BOM, answer_of, emptied, freezing, messages, refusal_of
from embodiment_bridge.mcp_server.server import RobotServer

PATH: Final = "/mcp"
MOST_BODY: Final = 4 * 1024 * 1024  # bytes of a request
MOST_SESSIONS: Final = 32
SESSION: Final = "mcp-session-id"
JSON: Final = "application/json"


class Guard:
    """Lets requests through that have the token, and whose page, if it is one, is of this server itself.

    A call that freezes the robot is served here, in whatever form and without a session: a host may have lost its own.

    Args:
        app: the server of the protocol.
        server: freezes the robot.
        token: a secret; empty: none is needed.
        loopback: only this machine can connect, and only by a name or address of its own (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, server: RobotServer, token: str, *, loopback: bool) -> None:
        self._app, self._server, self._token, self._loopback = app, server, token, loopback
        self._origin = SameOrigin("server", (), loopback=loopback)
        # requests that are served, by session; latest last
        self._sessions: OrderedDict[str, int] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        answer = self._refusal(request.headers)
        body = b""
        if answer is None and request.method == "POST":
            answer, body = await self._read(request)
        if answer is not None:
            if answer.status_code >= 400:
                answer.headers["connection"] = "close"
            await answer(scope, receive, send)
            return
        if request.method == "POST":
            receive = _again(body, receive)
            if any(isinstance(one, dict) and one.get("method") == "initialize" for one in messages(body)):
                await self._make_room(scope)
        await self._pass_on(scope, receive, send)

    def _refusal(self, headers: Headers) -> Response | None:
        hosts = headers.getlist("host")
        if foreign := self._origin.foreign_page(hosts, headers.getlist("origin")):
            return PlainTextResponse(foreign, 403)
        given = headers.get("authorization", "").removeprefix("Bearer ").encode()
        if self._token and not hmac.compare_digest(given, self._token.encode()):
            return PlainTextResponse("a bearer token is needed", 401, {"WWW-Authenticate": "Bearer"})
        foreign = self._origin.foreign_host(hosts) if self._loopback else ""
        return PlainTextResponse(foreign, 421) if foreign else None

    async def _read(self, request: Request) -> tuple[Response | None, bytes]:
        """The body, with its answer where it is not for the server of the protocol."""
        body = bytearray()
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > MOST_BODY:
                    return PlainTextResponse(f"a request has at most {MOST_BODY} bytes", 413), b""
        except ClientDisconnect:
            return Response(status_code=400), b""  # nobody reads it
        if request.url.path.rstrip("/") != PATH:
            return None, bytes(body)
        whole = bytes(body).removeprefix(BOM.encode())
        found = messages(whole)
        only = found[0] if len(found) == 1 else None
        return await self._answer(whole, found, only), emptied(whole, only).encode() or whole

    async def _answer(self, body: bytes, found: list[object], only: object) -> Response | None:
        """The answer to what the server of the protocol is not asked: to freeze the robot, and what is no message."""
        for tool in sorted({freezing(message) for message in found} - {""}):  # of a batch, each once
            result = await self._server.freeze(tool)
            if only is not None:
                answer = answer_of(only, result)
                return Response(answer or None, 200 if answer else 202, media_type=JSON)
        refusal = refusal_of(body, only)
        return Response(refusal, 400, media_type=JSON) if refusal else None

    async def _make_room(self, scope: Scope) -> None:
        """End the session that has been idle longest where there are as many as may be."""
        idle = [name for name, busy in self._sessions.items() if not busy]
        if len(self._sessions) < MOST_SESSIONS or not idle:
            return
        headers = [(b"host", Headers(scope=scope)["host"].encode()), (SESSION.encode(), idle[0].encode())]

        async def no_more(_: Message) -> None:
            """The host of that session is not there to hear of its end."""

        await self._pass_on({**scope, "method": "DELETE", "headers": headers}, _again(b"", _nobody), no_more)
        self._sessions.pop(idle[0], None)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = Headers(scope=scope).get(SESSION, "")

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun = Headers(raw=message["headers"]).get(SESSION, session)
                if message["status"] == 404:
                    self._sessions.pop(session, None)
                elif not session and begun and message["status"] < 400:
                    self._sessions[begun] = 0
            await send(message)

        if session in self._sessions:
            self._sessions[session] += 1
            self._sessions.move_to_end(session)
        try:
            await self._app(scope, receive, watch)
        finally:
            if session in self._sessions:
                self._sessions[session] -= 1


def _again(body: bytes, receive: Receive) -> Receive:
    """A request whose body was read: it is received once more, and then whatever follows it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again


async def _nobody() -> Message:
    return {"type": "http.disconnect"}
