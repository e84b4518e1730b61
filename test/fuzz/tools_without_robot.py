# SPDX-License-Identifier: Apache-2.0
"""The tools of the MCP server over a robot that is only told what it has: calls are checked as always, nothing runs."""

import asyncio
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import mcp.types as types

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.mcp_server.handlers import Handlers
from embodiment_bridge.mcp_server.holding import Holding
from embodiment_bridge.mcp_server.host import Options
from embodiment_bridge.robot.robot import Robot
from embodiment_bridge.robot.runs import Goal, JsonObject, Written, text_of, way
from embodiment_bridge.robot.senses import Senses
from embodiment_bridge.robot.values import Check, Heard, Outcome, Pose, Thing

MOCK = Path(__file__).parents[2] / "config/bodies/mock.yaml"
WAITS_S = 0.001  # s after which a call that waits for news is canceled, as a host does


class Topics:
    """In place of a node: nothing comes on any topic."""

    def create_subscription(self, *_: object, **__: object) -> None:
        pass


class StillRobot(Robot):
    """Without a graph: knows its skills, a ball and a word that it heard."""

    def __init__(self) -> None:
        self.senses = Senses(Topics())
        self.senses.body = "mock"
        self.senses.skills = {info.name: info for info in read_body(MOCK).skill_infos()}
        self.senses.pose = Pose(0.0, 0.0, 0.0)
        self.senses._things = (b"", (Thing("ball", "ball", 1.0, 0.5, 0.0, visible=True, age=0.0),))
        self.senses.heard = (Heard(1, "somebody", "hello"),)
        self._allowed = None
        self.stops = 0

    def way(self, goal: Goal) -> JsonObject:
        """It never gets anywhere."""
        return way(self.senses, goal)

    def stop(self) -> str:
        return "stopped"

    def hold(self, on: bool = True) -> str:
        return f"held: {on}"


class Checker:
    """In place of ``McpRuns``: reads what would run."""

    background = None
    last = ""

    def __init__(self, robot: StillRobot) -> None:
        self._robot = robot

    async def perform(self, _: object, what: str, documents: Iterable[Written], **__: object) -> Outcome:
        for document in documents:
            text_of(document)
            if not isinstance(self._robot.check(document), Check):
                raise CommandError(f"{what} cannot run")
        return Outcome("SUCCEEDED", what)

    async def permit(self, *_: object) -> None:
        pass

    def void(self) -> None:
        pass


@cache
def handlers() -> Handlers:
    robot = StillRobot()
    return Handlers(robot, Options(), Checker(robot), Holding(robot))


def call_tool(name: str, arguments: dict[str, Any]) -> types.CallToolResult | None:
    """The result of a call; None for one that waits for news."""

    async def call() -> types.CallToolResult | None:
        with anyio.move_on_after(WAITS_S if name == "wait" else None):
            return await handlers().call(None, types.CallToolRequestParams(name=name, arguments=arguments))
        return None

    return asyncio.run(call())
