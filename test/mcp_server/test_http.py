# SPDX-License-Identifier: Apache-2.0
"""Streamable HTTP: the token, the origin, two hosts at once."""

import json
import socket
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_stage import async_until
from robot_stage import LONG
from waiting import GRAPH

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.listening import listen
from embodiment_bridge.core.same_origin import is_loopback
from embodiment_bridge.mcp_server import guard, http
from embodiment_bridge.mcp_server.guard import PATH
from embodiment_bridge.mcp_server.host import Options
from embodiment_bridge.mcp_server.http import application, config, parse_address, token_of
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
    with listen("127.0.0.1", 0) as listener:
        app = application(RobotServer(robot, Options(), print), "127.0.0.1", token)
        server = uvicorn.Server(config(app))
        async with anyio.create_task_group() as group:
            group.start_soon(server.serve, [listener])
            with anyio.fail_after(GRAPH):
                await use(f"http://127.0.0.1:{listener.getsockname()[1]}{PATH}")
            server.should_exit = True


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": f"Bearer {TOKEN}", "origin": "https://evil.example"}, 403),
        ({"origin": "http://["}, 403),
        ({"authorization": f"Bearer {TOKEN}", "host": "evil.example"}, 421),
        ({"authorization": f"Bearer {TOKEN}", "host": "127.0.0.1:80.evil.example"}, 421),
    ],
)
def test_what_is_refused(robot, headers, status) -> None:
    async def use(url) -> None:
        async with httpx2.AsyncClient(timeout=GRAPH) as client:
            answer = await client.post(url, json=BODY, headers={**HEADERS, **headers})
            assert answer.status_code == status, answer.text

    anyio.run(serving, robot, TOKEN, use)


def test_two_hosts_at_once(robot) -> None:
    async def use(url) -> None:
        headers = {"authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=GRAPH) as one,
            httpx2.AsyncClient(headers=headers, timeout=GRAPH) as two,
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


BEGIN = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
STOP = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "stop", "arguments": {}}}
WITH_TOKEN = {**HEADERS, "authorization": f"Bearer {TOKEN}"}


async def session_of(client, url) -> str:
    """Begin a session."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": BEGIN}
    answer = await client.post(url, json=body, headers=WITH_TOKEN)
    assert answer.status_code == 200, answer.text
    return answer.headers["mcp-session-id"]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (STOP, {}, 200),
        (STOP, {"mcp-session-id": "0" * 32, "mcp-protocol-version": "2026-07-28"}, 200),
        ({**STOP, "params": {"name": "stop", "arguments": ["{}"]}}, {"content-type": "text/plain"}, 200),
        ({"method": "tools/call", "params": {"name": "stop"}}, {"accept": "*/*"}, 202),
        ([STOP], {}, 200),
        ({**STOP, "params": {"name": "hold"}}, {}, 200),
    ],
)
def test_stop_needs_no_session_and_no_form(robot, body, headers, status) -> None:
    async def use(url) -> None:
        run = robot.start(LONG)
        await anyio.to_thread.run_sync(run.began.result, GRAPH)
        async with httpx2.AsyncClient(timeout=GRAPH) as client:
            answer = await client.post(url, json=body, headers={**WITH_TOKEN, **headers})
        assert answer.status_code == status, answer.text
        if "hold" in json.dumps(body):
            await async_until(lambda: robot.senses.run_state == "PAUSED")
            await anyio.to_thread.run_sync(robot.hold, False)
            await anyio.to_thread.run_sync(robot.stop)
        outcome = await anyio.to_thread.run_sync(run.ended.result, GRAPH)
        assert outcome.reason == "stopped by the stop service"

    anyio.run(serving, robot, TOKEN, use)


def test_stop_needs_the_token_and_an_own_name(robot) -> None:
    async def use(url) -> None:
        async with httpx2.AsyncClient(timeout=GRAPH) as client:
            for change, status in (
                ({"authorization": "Bearer wrong"}, 401),
                ({"origin": "https://evil.example"}, 403),
                ({"host": "evil.example", "origin": "http://evil.example"}, 421),
            ):
                answer = await client.post(url, json=STOP, headers={**WITH_TOKEN, **change})
                assert answer.status_code == status, answer.text

    before = robot.stops
    anyio.run(serving, robot, TOKEN, use)
    assert robot.stops == before


def test_each_request_has_an_answer_by_http(robot) -> None:
    async def use(url) -> None:
        async with httpx2.AsyncClient(timeout=GRAPH) as client:
            headers = {**WITH_TOKEN, "mcp-session-id": await session_of(client, url)}
            ping = json.dumps(BODY)
            answer = await client.post(url, content=f"\ufeff{ping}".encode(), headers=headers)
            assert answer.status_code == 200, answer.text
            for body in (f"[{ping}]", ping[:-1], '"\\ud83d"', "\ufeff"):
                answer = await client.post(url, content=body.encode(), headers=headers)
                assert answer.json()["error"]["message"].startswith("no message of JSON-RPC 2.0"), body

    anyio.run(serving, robot, TOKEN, use)


HALF = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def test_a_batch_of_stops_stops_once(robot, monkeypatch) -> None:
    frozen = []

    async def freeze(_, tool):
        frozen.append(tool)

    monkeypatch.setattr(RobotServer, "freeze", freeze)

    async def use(url) -> None:
        async with httpx2.AsyncClient(timeout=GRAPH) as client:
            answer = await client.post(url, json=[STOP] * 1000, headers=WITH_TOKEN)
            assert (answer.status_code, frozen) == (400, ["stop"])

    anyio.run(serving, robot, TOKEN, use)


def test_half_requests_of_strangers_keep_nobody_out(robot, monkeypatch) -> None:
    monkeypatch.setattr(http, "MOST", 8)

    async def use(url) -> None:
        place = urlsplit(url)
        strangers = [socket.create_connection((place.hostname, place.port)) for _ in range(40)]
        try:
            for one in strangers:
                one.sendall(HALF)
            async with httpx2.AsyncClient(timeout=GRAPH) as client:
                assert (await client.post(url, json=STOP, headers=WITH_TOKEN)).status_code == 200
            for one in strangers[:32]:
                assert await anyio.to_thread.run_sync(is_closed, one)
        finally:
            for one in strangers:
                one.close()

    anyio.run(serving, robot, TOKEN, use)


def is_closed(one: socket.socket) -> bool:
    """Whether the server ends this connection within the patience, with or without an answer."""
    one.settimeout(GRAPH)
    try:
        while one.recv(4096):
            pass
    except ConnectionResetError:
        pass
    return True


@pytest.mark.parametrize(
    "half",
    [
        b"",
        HALF,
        HALF + f"Authorization: Bearer {TOKEN}\r\nContent-Length: 99\r\n\r\n{{".encode(),
        HALF + b"Content-Length: 99\r\n\r\n{",
    ],
)
def test_a_request_has_to_be_whole_in_time(robot, monkeypatch, half) -> None:
    monkeypatch.setattr(http, "REQUEST_S", 0.3)

    async def use(url) -> None:
        place = urlsplit(url)
        with socket.create_connection((place.hostname, place.port)) as one:
            one.sendall(half)
            assert await anyio.to_thread.run_sync(is_closed, one)

    anyio.run(serving, robot, TOKEN, use)


def test_the_oldest_idle_session_gives_way(robot, monkeypatch) -> None:
    for module in (guard, http):
        monkeypatch.setattr(module, "MOST_SESSIONS", 3)

    async def use(url) -> None:
        async with httpx2.AsyncClient(timeout=GRAPH) as client:
            sessions = [await session_of(client, url) for _ in range(5)]
            answers = [
                await client.post(url, json=BODY, headers={**WITH_TOKEN, "mcp-session-id": one})
                for one in sessions
            ]
            assert [one.status_code for one in answers] == [404, 404, 200, 200, 200]

    anyio.run(serving, robot, TOKEN, use)
