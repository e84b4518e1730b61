# SPDX-License-Identifier: Apache-2.0
"""The handlers of the ten tools."""

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import anyio
import mcp.types as types

from embodiment_bridge.core.errors import BridgeError, CommandError, unknown
from embodiment_bridge.mcp_server.answers import (
    MARK,
    MOST_PROBLEMS,
    answer,
    cut,
    ended,
    heard_lines,
    heard_values,
    plain,
    problem_values,
    quoted,
    refused,
    state,
)
from embodiment_bridge.mcp_server.approval import seconds, summary
from embodiment_bridge.mcp_server.freezing import FREEZES, lets_go
from embodiment_bridge.mcp_server.graph_thread import call_soon, of_graph
from embodiment_bridge.mcp_server.holding import Holding
from embodiment_bridge.mcp_server.host import Context, Options
from embodiment_bridge.mcp_server.mcp_runs import McpRuns
from embodiment_bridge.mcp_server.schemas import (
    LONGEST_NAME,
    LONGEST_SPEECH,
    LONGEST_WAIT,
    NAMES,
    Arguments,
    describe,
)
from embodiment_bridge.robot.robot import Robot, skill_document
from embodiment_bridge.robot.runs import Goal

FARTHEST: Final = 100_000.0  # m
MOST_CALLS: Final = 64  # at once, of all hosts
AT_ONCE: Final = 2  # threads for checks, as many for hold, and as many for stop
SEEN: Final = "seen "
Handler = Callable[[Context, Mapping[str, object] | None], Awaitable[types.CallToolResult]]


class Handlers:
    """The tools by name, for one robot."""

    def __init__(self, robot: Robot, options: Options, mcp_runs: McpRuns, holding: Holding) -> None:
        self._robot, self._options, self._mcp_runs = robot, options, mcp_runs
        self._holding = holding
        self._calls = 0
        self._checks = anyio.CapacityLimiter(AT_ONCE)
        # Each its own, so that stop never waits for checks, nor for a hold that is not answered.
        self._holds = anyio.CapacityLimiter(AT_ONCE)
        self._stops = anyio.CapacityLimiter(AT_ONCE)
        table: tuple[Handler, ...] = (
            self._robot_state,
            self._list_skills,
            self._do_skill,
            self._go_to,
            self._say,
            self._check_behavior,
            self._run_behavior,
            self._wait,
            self._stop,
            self._hold,
        )
        self._table = dict(zip(NAMES, table, strict=True))

    async def call(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Run one tool. Everything that goes wrong is a result with ``isError``."""
        handler = self._table.get(params.name)
        if handler is None:
            return refused(unknown("tool", params.name[:60], NAMES))
        if self._calls >= MOST_CALLS and params.name not in FREEZES:
            return refused(f"{MOST_CALLS} calls are being served already.", "Wait for their ends.")
        self._calls += 1
        try:
            return await handler(context, params.arguments)
        except BridgeError as error:
            return refused(str(error), "See list_skills and robot_state.")
        finally:
            self._calls -= 1

    async def _robot_state(self, _: Context, __: Mapping[str, object] | None) -> types.CallToolResult:
        text, values = state(self._robot.senses, self._mcp_runs.last)
        return answer(text, values)

    async def _list_skills(self, _: Context, __: Mapping[str, object] | None) -> types.CallToolResult:
        skills = [skill for skill in self._robot.skills.values() if skill.available]
        lacking = [plain(skill.name) for skill in self._robot.skills.values() if not skill.available]
        values: list[dict[str, object]] = [
            {
                "name": plain(skill.name),
                "description": plain(skill.description, 200),
                "channels": [plain(one) for one in skill.channels],
                "seconds": round(skill.nominal_s, 3),
                "parameters": [
                    {
                        "name": plain(one.name),
                        "type": plain(one.type),
                        "unit": plain(one.unit),
                        "minimum": one.minimum,
                        "maximum": one.maximum,
                        "required": one.required,
                        "default": plain(one.default),
                    }
                    for one in skill.details
                ],
            }
            for skill in skills
        ]
        lines = [describe(skill) for skill in skills]
        if lacking:
            lines.append(f"This body lacks what these need: {', '.join(lacking)}")
        text = types.TextContent(type="text", text="\n".join(lines))
        structured = answer("", {"skills": values, "lacking": lacking}).structured_content
        return types.CallToolResult(content=[text], structured_content=structured)

    async def _do_skill(self, context: Context, given: Mapping[str, object] | None) -> types.CallToolResult:
        arguments = Arguments("do_skill", given, ("name", "parameters"))
        name = arguments.text("name", 64).lower()
        if name not in self._robot.skills:
            raise CommandError(unknown("skill", name, self._robot.skills))
        if not self._robot.skills[name].available:
            raise CommandError(f"this body lacks what the skill {name!r} needs")
        texts = [one.name for one in self._robot.skills[name].details if one.type != "number"]
        parameters = arguments.parameters("parameters", texts)
        what = f"{name} {json.dumps(parameters) if parameters else ''}".strip()
        return ended(what, await self._mcp_runs.perform(context, what, skill_document(name, parameters)))

    async def _go_to(self, context: Context, given: Mapping[str, object] | None) -> types.CallToolResult:
        arguments = Arguments("go_to", given, ("x", "y", "yaw", "thing"))
        if arguments.has("thing"):
            if any(map(arguments.has, ("x", "y", "yaw"))):
                raise CommandError("give either a thing, or x and y")
            goal = Goal(thing=arguments.text("thing", LONGEST_NAME))
        else:
            yaw = arguments.number("yaw", -2 * math.pi, 2 * math.pi) if arguments.has("yaw") else None
            x, y = (arguments.number(name, -FARTHEST, FARTHEST) for name in "xy")
            goal = Goal(x, y, yaw)
        what = f"go to {plain(str(goal), LONGEST_NAME)}"
        return ended(what, await self._mcp_runs.perform(context, what, self._robot.way(goal)))

    async def _say(self, context: Context, given: Mapping[str, object] | None) -> types.CallToolResult:
        text = Arguments("say", given, ("text",)).text("text", LONGEST_SPEECH)
        document = self._robot.say_document(text)
        outcome = await self._mcp_runs.perform(context, f"say {quoted(text, LONGEST_SPEECH)}", document)
        return ended(f"say {quoted(text, 80)}", outcome)

    async def _check_behavior(self, _: Context, given: Mapping[str, object] | None) -> types.CallToolResult:
        document = Arguments("check_behavior", given, ("document",)).mapping("document")
        check = await anyio.to_thread.run_sync(self._robot.check, document, limiter=self._checks)
        problems = problem_values(check.problems)
        lines = [cut(str(one)) for one in check.problems[: len(problems)]]
        more = len(check.problems) - len(problems)
        if more > 0:
            lines.append(f"and {more} more")
        head = "can run" if check.can_run else "cannot run: mend the problems at their pointers"
        if check.can_run:
            bounds = f"at least {check.least:g} s, at most {seconds(check.longest)}"
            head += f"; takes {seconds(check.expected)} ({bounds})"
        values = {
            "can_run": check.can_run,
            "problems": problems,
            "seconds": {"least": check.least, "expected": check.expected, "longest": check.longest},
        }
        return answer("\n".join([head, *lines]), values)

    async def _run_behavior(
        self, context: Context, given: Mapping[str, object] | None
    ) -> types.CallToolResult:
        arguments = Arguments("run_behavior", given, ("document", "background"))
        document = arguments.mapping("document")
        background, stops = arguments.flag("background", default=False), self._robot.stops
        check = await anyio.to_thread.run_sync(self._robot.check, document, limiter=self._checks)
        if not check.can_run:
            lines = [cut(str(one)) for one in check.problems if one.fatal][:MOST_PROBLEMS]
            values = {"problems": problem_values(check.problems), "error": "the document cannot run"}
            text = "\n".join(["The document cannot run; nothing of it began. Mend these:", *lines])
            return answer(text, values, is_error=True)
        what = await anyio.to_thread.run_sync(summary, document, check, limiter=self._checks)
        what = f"run {'in the background ' if background else ''}{what}"
        outcome = await self._mcp_runs.perform(
            context, what, document, background=background, channels=check.channels, stops=stops
        )
        return ended("document", outcome)

    async def _wait(self, _: Context, given: Mapping[str, object] | None) -> types.CallToolResult:
        arguments = Arguments("wait", given, ("for", "timeout"))
        what = arguments.text("for", 120)
        timeout = arguments.number("timeout", 0.0, LONGEST_WAIT)
        if what == "run":
            return await self._wait_for_run(timeout)
        if what == "heard":
            before = self._robot.senses.heard[-1].number if self._robot.senses.heard else 0
            return await self._wait_for_news("heard", timeout, lambda: self._heard(before))
        if what.startswith(SEEN) and what.removeprefix(SEEN).strip():
            name = what.removeprefix(SEEN).strip()
            return await self._wait_for_news("entities", timeout, lambda: self._seen(name))
        raise CommandError(f"argument 'for' is {what[:60]!r}, not run, heard, or seen NAME")

    async def _wait_for_run(self, longest: float) -> types.CallToolResult:
        background = self._mcp_runs.background
        if background is not None:
            with anyio.move_on_after(longest):
                return ended("the run in the background", await of_graph(background.ended))
            return answer(f"it still runs after {longest:g} s", {"happened": False})
        last = cut(self._mcp_runs.last)

        def over() -> tuple[str, dict[str, object]] | None:
            if self._robot.senses.run_id:
                return None
            text = f"nothing runs; the last run was {last}" if last else "nothing runs"
            return text, {"happened": True, "last": last or None}

        return await self._wait_for_news("tree", longest, over)

    async def _wait_for_news(
        self, topic: str, longest: float, look: Callable[[], tuple[str, dict[str, object]] | None]
    ) -> types.CallToolResult:
        loop, news = asyncio.get_running_loop(), asyncio.Event()

        def tell(changed: str) -> None:
            if changed == topic:
                call_soon(loop, news.set)

        end = self._robot.senses.listen(tell)
        try:
            with anyio.move_on_after(longest):
                while True:
                    found = look()
                    if found is not None:
                        return answer(*found)
                    await news.wait()
                    news.clear()
        finally:
            end()
        return answer(f"nothing of that within {longest:g} s", {"happened": False})

    def _heard(self, before: int) -> tuple[str, dict[str, object]] | None:
        new = self._robot.heard(after=before)
        if not new:
            return None
        text = "\n".join([f"heard ({MARK}):", *heard_lines(new)])
        return text, {"happened": True, "from_outside": {"note": MARK, "heard": heard_values(new)}}

    def _seen(self, name: str) -> tuple[str, dict[str, object]] | None:
        thing = self._robot.senses.find(name)
        if thing is None or not thing.visible:
            return None
        text = f"sees {quoted(thing.id)} ({MARK}) at x {thing.x:.2f} y {thing.y:.2f} m"
        return text, {"happened": True, "id": plain(thing.id), "x": round(thing.x, 3), "y": round(thing.y, 3)}

    async def freeze(self, tool: str) -> types.CallToolResult:
        """Do ``stop``, or ``hold`` with on true: they have no other form, and are served however much is going on."""
        if tool == "hold" and self._options.read_only:
            return refused("this server only looks (--read-only)")
        self._mcp_runs.void()
        if tool == "stop":
            act, limiter = self._robot.stop, self._stops
        else:
            act, limiter = self._holding.hold, self._holds
        try:
            said = await anyio.to_thread.run_sync(act, limiter=limiter)
        except BridgeError as error:
            return refused(str(error), "See robot_state, and try again.")
        return answer(cut(said), {"done": True, "message": cut(said)})

    async def _stop(self, _: Context, __: Mapping[str, object] | None) -> types.CallToolResult:
        return await self.freeze("stop")

    async def _hold(self, context: Context, given: Mapping[str, object] | None) -> types.CallToolResult:
        if not lets_go(given):
            return await self.freeze("hold")
        if self._options.read_only:
            raise CommandError("this server only looks (--read-only)")
        await anyio.to_thread.run_sync(self._holding.check, limiter=self._holds)
        await self._mcp_runs.permit(context, "hold off: all that is frozen goes on")
        said = await anyio.to_thread.run_sync(self._holding.let_go, limiter=self._holds)
        return answer(cut(said), {"done": True, "message": cut(said)})
