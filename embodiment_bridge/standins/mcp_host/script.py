# SPDX-License-Identifier: Apache-2.0
"""The script for any body: look, go to a thing, speak, mend a document, be interrupted, stop."""

import copy
import json
import re
from collections.abc import Callable
from typing import Any, Final

import anyio
import mcp.types as types
from mcp.client.client import Client

THING: Final = "ball"
GREETING: Final = "hello"  # a soccer server carries ten characters, without blanks
SEEN: Final = re.compile(r'^- "([^"]+)"', re.MULTILINE)
INTERRUPT_S: Final = 3.0  # enough for a step of any body
LONGEST_LINE: Final = 300  # characters that are shown of each side
ENDLESS: Final = {"type": "loop", "loop": -1, "behavior": {"type": "body", "action": "STEP_FORWARD"}}
WRONG: Final = {
    "type": "sequence",
    "behaviors": [
        {"type": "body", "action": "HEAD_SHAKEE"},
        {"type": "body", "action": "TURN_LEFT", "parameters": {"angle": 99}},
        {"type": "body", "action": "RESET"},
    ],
}


class ScriptedHost:
    """Speaks to the server with ``client``; ``say`` gets a line for each call and each answer.

    ``done`` and ``not_done`` (step: why) say how it went.
    """

    def __init__(self, client: Client, say: Callable[[str], None]) -> None:
        self._client, self._say = client, say
        self.done: list[str] = []
        self.not_done: dict[str, str] = {}

    async def perform(self) -> None:
        """All steps, whatever becomes of each."""
        state = await self._call("robot_state")
        skills = await self._call("list_skills")
        self._note("look", not (state.is_error or skills.is_error), _text(state))
        seen = SEEN.findall(_text(state))
        going = await self._call("go_to", thing=THING if THING in seen or not seen else seen[0])
        self._note("go_to", not going.is_error, _first_line(going))
        saying = await self._call("say", text=GREETING)
        self._note("say", not saying.is_error, _first_line(saying))
        await self._mend()
        await self._interrupt()
        stopped = await self._call("stop")
        idle = await self._call("wait", **{"for": "run", "timeout": 20})
        over = not (stopped.is_error or idle.is_error)
        self._note("stop", over and bool(idle.structured_content["happened"]), _first_line(idle))

    async def _mend(self) -> None:
        """Run a document that is wrong, mend what is reported, and run it again."""
        refused = await self._call("run_behavior", document=WRONG)
        problems = refused.structured_content.get("problems", [])
        document = mended(WRONG, problems)
        check = await self._call("check_behavior", document=document)
        ran = await self._call("run_behavior", document=document)
        good = refused.is_error and check.structured_content["can_run"] and not ran.is_error
        self._note("mend", good, _first_line(ran))

    async def _interrupt(self) -> None:
        """Cancel a call, as a user does who presses stop in the host; then nothing runs."""
        with anyio.move_on_after(INTERRUPT_S):
            await self._call("run_behavior", document=ENDLESS)
        self._say("> (cancels the call)")
        idle = await self._call("wait", **{"for": "run", "timeout": 20})
        self._note("interrupt", bool(idle.structured_content["happened"]), _first_line(idle))

    async def _call(self, tool: str, **arguments: Any) -> types.CallToolResult:
        self._say(f"> {tool} {json.dumps(arguments)[:LONGEST_LINE]}")
        result = await self._client.call_tool(tool, arguments)
        if not isinstance(result, types.CallToolResult):
            raise TypeError(f"{tool} wants more input")
        lines = _text(result).splitlines() or [""]
        self._say(f"< {lines[0][:LONGEST_LINE]}")
        for line in lines[1:6]:
            self._say(f"  {line[:LONGEST_LINE]}")
        if len(lines) > 6:
            self._say(f"  ... ({len(lines) - 6} more lines)")
        return result

    def _note(self, step: str, good: bool, why_not: str) -> None:
        if good:
            self.done.append(step)
        else:
            self.not_done[step] = why_not


def mended(document: dict[str, Any], problems: list[dict[str, Any]]) -> dict[str, Any]:
    """A document in which what the fatal problems name is changed as they say, or left out."""
    good = copy.deepcopy(document)
    for problem in problems:
        if not problem["fatal"]:
            continue
        *path, key = str(problem["pointer"]).split("/")[1:]
        place: Any = good
        for part in path:
            place = place[int(part)] if isinstance(place, list) else place[part]
        near = re.search(r"did you mean '([^']+)'", problem["message"])
        most = re.search(r"a number within \S+ to (\S+)", problem["message"])
        if problem["code"] == "UNKNOWN_ACTION" and near:
            place[key] = near.group(1)
        elif problem["code"] == "BAD_PARAMETER" and most:
            place[key] = min(float(most.group(1)), 0.5)
        elif isinstance(place, dict):
            del place[key]
    return good


def _text(result: types.CallToolResult) -> str:
    first = result.content[0] if result.content else None
    return first.text if isinstance(first, types.TextContent) else ""


def _first_line(result: types.CallToolResult) -> str:
    return re.sub(r"after [0-9.]+ s", "after a time", _text(result).partition("\n")[0])
