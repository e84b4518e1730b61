# SPDX-License-Identifier: Apache-2.0
"""A host of a language model without a model: the real client of the protocol, in this process."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.client.client import Client
from waiting import GRAPH

from embodiment_bridge.mcp_server.host import Options
from embodiment_bridge.mcp_server.server import RobotServer
from embodiment_bridge.robot.robot import Robot


class Host:
    """A connected host; ``told`` is what the server said for people."""

    def __init__(self, client: Client, told: list[str]) -> None:
        self.client, self.told = client, told

    async def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool."""
        return await self.client.call_tool(tool, arguments)

    async def text(self, tool: str, **arguments: Any) -> str:
        """The text of a result that is no error."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, result.content[0].text
        return result.content[0].text

    async def error(self, tool: str, **arguments: Any) -> str:
        """The text of a result that is an error."""
        result = await self.call(tool, **arguments)
        assert result.is_error, result.content[0].text
        assert result.structured_content
        return result.content[0].text


@asynccontextmanager
async def connected(
    robot: Robot,
    options: Options = Options(),  # noqa: B008
    patience: float = GRAPH,
    **client: Any,
) -> AsyncIterator[Host]:
    told: list[str] = []
    with anyio.fail_after(patience):
        async with Client(RobotServer(robot, options, told.append), mode="legacy", **client) as made:
            yield Host(made, told)


async def async_until(condition: Callable[[], object]) -> None:
    """Wait for what has no event; the time limit is that of the connection."""
    with anyio.fail_after(GRAPH):
        while not condition():  # noqa: ASYNC110
            await anyio.sleep(0.02)
