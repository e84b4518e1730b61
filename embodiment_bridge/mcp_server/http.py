# SPDX-License-Identifier: Apache-2.0
"""Serves hosts over streamable HTTP: with a bearer token, and for pages of other origins not at all."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_bytes
from embodiment_bridge.core.listening import listen, place
from embodiment_bridge.core.same_origin import is_loopback
from embodiment_bridge.mcp_server.connection import MOST, Connection
from embodiment_bridge.mcp_server.guard import MOST_BODY, MOST_SESSIONS, PATH, Guard
from embodiment_bridge.mcp_server.server import RobotServer

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
    names = ["127.0.0.1:*", "localhost:*", "[::1]:*"]
    settings = TransportSecuritySettings(
        enable_dns_rebinding_protection=is_loopback(host),
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=host,
        transport_security=settings,
        max_request_body_size=MOST_BODY,
        session_idle_timeout=IDLE_S,
        max_sessions=MOST_SESSIONS,
    )
    return Guard(app, server, token, settings)


def config(app: ASGIApp) -> uvicorn.Config:
    """How it is served."""
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
