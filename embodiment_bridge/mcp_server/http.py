# SPDX-License-Identifier: Apache-2.0
"""Serves hosts over streamable HTTP.

With a bearer token, never for pages of other origins, and with a time limit for each request.
"""

import asyncio
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp
from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_bytes
from embodiment_bridge.core.listening import listen, place
from embodiment_bridge.core.same_origin import is_loopback
from embodiment_bridge.mcp_server.guard import MOST_BODY, MOST_SESSIONS, PATH, Guard
from embodiment_bridge.mcp_server.server import RobotServer

# One connection to the HTTP server: who sends no whole request in time loses it, and makes room for others.

REQUEST_S: Final = 10.0  # for a whole request: its head and its body
# Connections, and those that are taken at once before one of them is looked at: some systems allow a process 256 files.
MOST: Final = 64


class Connection(H11Protocol):
    """Counts as waiting while its request is not here whole. The one that waits longest gives way to a new one.

    A connection is known to be of somebody with the token only when its head is here, so the time and the number of
    those that wait are limited before it.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # when the request began that is not here whole, or the last answer ended
        self.since = self.loop.time()
        self._begun = True  # a new connection owes its request at once
        self._look: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether the peer has to send the rest of a request, or the next one."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._end_if_late()
        here = [one for one in self.connections if not one.transport.is_closing()]
        waiting = [one for one in here if isinstance(one, Connection) and one.waits and one is not self]
        if waiting and len(here) > MOST:
            min(waiting, key=lambda one: one.since).transport.abort()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        if not self._begun:
            self._begun, self.since = True, self.loop.time()
        super().data_received(data)

    @override
    def on_response_complete(self) -> None:
        self._begun, self.since = False, self.loop.time()
        super().on_response_complete()

    def _end_if_late(self) -> None:
        late = self.since + REQUEST_S
        if self.waits and self.loop.time() >= late:
            self.transport.abort()
        else:
            self._look = self.loop.call_later(REQUEST_S, self._end_if_late)


VARIABLE: Final = "EMBODIMENT_BRIDGE_MCP_TOKEN"
FORM: Final = re.compile(r"[A-Za-z0-9_-]{16,200}")
LONGEST_FILE: Final = 300  # bytes of a file with a token
IDLE_S: Final = 600.0  # s without a request after which a session is forgotten


def parse_address(text: str) -> tuple[str, int]:
    """HOST:PORT, [ADDRESS]:PORT or PORT.

    Raises:
        ConfigError: it has another form.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65535:
        raise ConfigError(f"--http: {text[:60]!r} is not HOST:PORT or PORT")
    return host, int(port)


def token_of(path: str, host: str, env: Mapping[str, str] = os.environ) -> str:
    """The token of a file, else of the environment; empty where there is none, which loopback alone may do without.

    Raises:
        ConfigError: it is missing or has a wrong form; the text does not contain it.
    """
    text = env.get(VARIABLE, "")
    if path:
        text = (
            read_bytes(Path(path).expanduser(), LONGEST_FILE, "--token-file:")
            .decode(errors="replace")
            .strip()
        )
    if not text and is_loopback(host) and not path:
        return ""
    if FORM.fullmatch(text) is None:
        where = f"--token-file {path!r}" if path else VARIABLE
        raise ConfigError(
            f"{host} is not this machine alone, or a token was given: {where} has {len(text)} characters; a token has "
            "16 to 200 of A-Z a-z 0-9 - _ (`openssl rand -hex 16` makes one)"
        )
    return text


def application(server: RobotServer, host: str, token: str) -> ASGIApp:
    """The server behind its guard. A name of this machine has to be addressed as such (DNS rebinding)."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=False
        ),  # the guard looks
        max_request_body_size=MOST_BODY,
        session_idle_timeout=IDLE_S,
        max_sessions=MOST_SESSIONS,
    )
    return Guard(app, server, token, loopback=is_loopback(host))


def config(app: ASGIApp) -> uvicorn.Config:
    """The settings of uvicorn for the server."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="warning",
        lifespan="on",
        timeout_graceful_shutdown=2,
        backlog=MOST,
    )


async def serve(server: RobotServer, host: str, port: int, token: str) -> None:
    """Serve until SIGINT or SIGTERM.

    Raises:
        ConfigError: the address cannot be used.
    """
    from embodiment_bridge.mcp_server.stdio import say

    try:
        socket = listen(host, port)
    except OSError as error:
        raise ConfigError(f"--http: {place(host, port)} cannot be used: {error.strerror}") from error
    with socket:
        app = application(server, host, token)
        address = place(host, socket.getsockname()[1])
        say(f"serving http://{address}{PATH}" + ("" if token else " for this machine, without a token"))
        await uvicorn.Server(config(app)).serve([socket])
