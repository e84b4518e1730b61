# SPDX-License-Identifier: Apache-2.0
"""Streamable HTTP: the token, the origin, two hosts at once."""

import anyio
import httpx2
import pytest
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_stage import PATIENCE

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.listening import listen
from embodiment_bridge.core.same_origin import is_loopback
from embodiment_bridge.mcp_server.http import PATH, application, parse_address, token_of
from embodiment_bridge.mcp_server.options import Options
from embodiment_bridge.mcp_server.server import RobotServer

TOKEN = "0123456789abcdef"
BODY = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:80", ("127.0.0.1", 80)),
        ("[::1]:8", ("::1", 8)),
        ("8765", ("127.0.0.1", 8765)),
        (":9", ("127.0.0.1", 9)),
    ],
)
def test_addresses(text, address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "host", "host:", "host:x", "host:70000"])
def test_bad_addresses(text) -> None:
    with pytest.raises(ConfigError, match="is not HOST:PORT or PORT"):
        parse_address(text)


def test_a_token_is_needed_where_others_can_come(tmp_path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    assert all(map(is_loopback, ("127.0.0.1", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "robot.local")))
    assert token_of("", "127.0.0.1", {}) == ""
    assert token_of(str(file), "0.0.0.0", {}) == TOKEN
    assert token_of("", "0.0.0.0", {"EMBODIMENT_BRIDGE_MCP_TOKEN": TOKEN}) == TOKEN
    for path, env in (("", {}), ("", {"EMBODIMENT_BRIDGE_MCP_TOKEN": "short"}), (str(tmp_path / "none"), {})):
        with pytest.raises(ConfigError) as error:
            token_of(path, "0.0.0.0", env)
        assert "short" not in str(error.value).replace("16 to 200", "")


async def serving(robot, token, use) -> None:
    """Serve on a free port while ``use(url)`` runs."""
    with listen("127.0.0.1", 0) as socket:
        app = application(RobotServer(robot, Options(), print), "127.0.0.1", token)
        server = uvicorn.Server(
            uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=1)
        )
        async with anyio.create_task_group() as group:
            group.start_soon(server.serve, [socket])
            with anyio.fail_after(PATIENCE):
                await use(f"http://127.0.0.1:{socket.getsockname()[1]}{PATH}")
            server.should_exit = True


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": f"Bearer {TOKEN}", "origin": "https://evil.example"}, 403),
        ({"authorization": f"Bearer {TOKEN}", "host": "evil.example"}, 421),
    ],
)
def test_what_is_refused(robot, headers, status) -> None:
    async def use(url) -> None:
        async with httpx2.AsyncClient(timeout=PATIENCE) as client:
            answer = await client.post(url, json=BODY, headers={**HEADERS, **headers})
            assert answer.status_code == status, answer.text

    anyio.run(serving, robot, TOKEN, use)


def test_two_hosts_at_once(robot) -> None:
    async def use(url) -> None:
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as one,
            httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as two,
            Client(streamable_http_client(url, http_client=one)) as first,
            Client(streamable_http_client(url, http_client=two)) as second,
        ):
            done = []

            async def long() -> None:
                done.append(await first.call_tool("do_skill", {"name": "head_shake"}))

            async with anyio.create_task_group() as group:
                group.start_soon(long)
                state = await second.call_tool("robot_state", {})
                assert not state.is_error
            assert not done[0].is_error

    anyio.run(serving, robot, TOKEN, use)
