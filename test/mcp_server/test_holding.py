# SPDX-License-Identifier: Apache-2.0
"""A language model lets go what it froze, and not what a person froze."""

from types import SimpleNamespace

import anyio
import mcp.types as types
import pytest
from mcp_stage import async_until, connected
from robot_stage import LONG

from embodiment_bridge.core.errors import CommandError, LinkError
from embodiment_bridge.mcp_server.holding import Holding
from embodiment_bridge.mcp_server.host import Options
from embodiment_bridge.mcp_server.schemas import tools
from embodiment_bridge.nodes.base.services import HELD_ALREADY

NOT_OURS = "does not hold the robot"


@pytest.fixture(autouse=True)
def released(robot):
    yield
    robot.hold(False)
    robot.stop()


async def by_person(robot, on):
    """Somebody else freezes the robot, or lets it go on."""
    return await anyio.to_thread.run_sync(robot.hold, on)


async def is_held(robot):
    """Whether the body is held; it is afterwards."""
    answer = robot.call("hold", True)
    return await anyio.to_thread.run_sync(answer.result) == HELD_ALREADY


def test_what_a_person_froze_stays_so(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            assert NOT_OURS in await host.error("hold", on=False)
            await by_person(robot, True)
            assert NOT_OURS in await host.error("hold", on=False)
            assert HELD_ALREADY in await host.text("hold", on=True)  # as a way to make the hold its own
            assert NOT_OURS in await host.error("hold", on=False)
            assert await is_held(robot)

    anyio.run(do)


def test_a_paused_run_stays_so(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            await host.text("run_behavior", document=LONG, background=True)
            await anyio.to_thread.run_sync(robot.call("behavior_tree/pause").result)
            assert HELD_ALREADY in await host.text("hold", on=True)
            assert NOT_OURS in await host.error("hold", on=False)

    anyio.run(do)


def test_a_pause_of_a_person_outlasts_the_stop_of_the_model(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            await host.text("run_behavior", document=LONG, background=True)
            await async_until(lambda: robot.senses.run_state == "RUNNING")
            await anyio.to_thread.run_sync(robot.call("behavior_tree/pause").result)
            assert "paused" in await host.text("stop")
            await async_until(lambda: (robot.senses.run_id, robot.senses.run_state) == ("", "PAUSED"))
            await host.text("run_behavior", document=LONG, background=True)
            assert "nothing begins" in await host.text("robot_state")
            assert NOT_OURS in await host.error("hold", on=False)
            assert robot.senses.run_id == ""
            await anyio.to_thread.run_sync(robot.call("behavior_tree/resume").result)
            await async_until(lambda: robot.senses.run_state == "RUNNING")

    anyio.run(do)


def test_its_own_hold_is_its_own_after_its_stop(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            await host.text("run_behavior", document=LONG, background=True)
            await async_until(lambda: robot.senses.run_state == "RUNNING")
            await host.text("hold", on=True)
            await async_until(lambda: robot.senses.run_state == "PAUSED")
            await host.text("stop")
            await async_until(lambda: robot.senses.run_id == "")
            await host.text("hold", on=False)
            await async_until(lambda: robot.senses.run_state in ("", "ENDED"))

    anyio.run(do)


def test_a_pause_of_a_person_after_they_let_an_idle_robot_go_on_is_theirs(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            await host.text("hold", on=True)
            await async_until(lambda: robot.senses.run_state == "PAUSED")
            for service, state in (("resume", "ENDED"), ("pause", "PAUSED")):
                await anyio.to_thread.run_sync(robot.call(f"behavior_tree/{service}").result)
                await async_until(lambda state=state: robot.senses.run_state == state)
            assert NOT_OURS in await host.error("hold", on=False)
            await anyio.to_thread.run_sync(robot.call("behavior_tree/resume").result)

    anyio.run(do)


def test_its_own_hold_ends_where_somebody_else_lets_the_robot_go_on(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            await host.text("run_behavior", document=LONG, background=True)
            await async_until(lambda: robot.senses.run_state == "RUNNING")
            await host.text("hold", on=True)
            await async_until(lambda: robot.senses.run_state == "PAUSED")
            await by_person(robot, False)
            await async_until(lambda: robot.senses.run_state == "RUNNING")
            await by_person(robot, True)
            assert NOT_OURS in await host.error("hold", on=False)
            assert await is_held(robot)

    anyio.run(do)


def test_its_own_hold_ends_by_its_own_call(robot) -> None:
    async def do() -> None:
        async with connected(robot) as host:
            await host.text("hold", on=True)
            await host.text("hold", on=True)
            await host.text("hold", on=False)
            assert not await is_held(robot)

    anyio.run(do)


def test_with_ask_a_person_is_asked_before_the_robot_goes_on(robot) -> None:
    asked = []

    async def elicit(_, params):
        asked.append(params.message)
        return types.ElicitResult(action="decline")

    async def do() -> None:
        async with connected(robot, Options(ask=True), elicitation_callback=elicit) as host:
            await host.text("hold", on=True)
            assert asked == []
            assert "did not agree" in await host.error("hold", on=False)
            assert await is_held(robot)

    anyio.run(do)
    assert asked == ["Let the robot do this? hold off: all that is frozen goes on"]


def test_hosts_are_told_that_letting_go_moves_the_robot() -> None:
    hints = {tool.name: tool.annotations for tool in tools({})}
    assert hints["hold"].destructive_hint
    assert not hints["stop"].destructive_hint


class HalfRobot:
    """A robot whose second answer to a hold does not come."""

    def __init__(self) -> None:
        self.senses = SimpleNamespace(run_state="", listen=lambda hear: lambda: None)
        self.tree = ["paused: nothing begins", HELD_ALREADY]
        self.body_is_there = False

    def hold(self, on: bool = True) -> str:
        said = self.tree.pop(0) if on else "going on"
        if not self.body_is_there:
            raise LinkError("the robot did not answer")
        return said


def test_a_hold_that_succeeded_in_half_is_let_go_by_who_asked_for_it() -> None:
    robot = HalfRobot()
    holding = Holding(robot)
    with pytest.raises(LinkError):
        holding.hold()
    robot.body_is_there = True
    assert holding.hold() == HELD_ALREADY
    assert holding.let_go() == "going on"


def test_a_hold_that_failed_on_a_robot_that_somebody_held_is_not_its_own() -> None:
    robot = HalfRobot()
    heard = []
    robot.senses.listen = lambda hear: heard.append(hear) or (lambda: None)
    holding = Holding(robot)
    robot.senses.run_state = "PAUSED"
    heard[0]("tree")
    with pytest.raises(LinkError):
        holding.hold()
    with pytest.raises(CommandError):
        holding.let_go()
