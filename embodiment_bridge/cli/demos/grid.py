# SPDX-License-Identifier: Apache-2.0
"""An agent of the Maeden grid world looks for a key, opens a door and eats; its map grows in the terminal."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from embodiment_bridge.cli.demos.stage import JOIN_TIMEOUT, Show, Stage, say_lines
from embodiment_bridge.cli.ending import OTHER
from embodiment_bridge.cli.terminal import say

if TYPE_CHECKING:
    from nav_msgs.msg import OccupancyGrid

    from embodiment_bridge.msg import EntityArray, EpisodeEvent, GridPercept

SKILLS: Final = (
    ("explore", {"until": "key"}),
    ("walk", {"entity": "key"}),
    ("grab", {"thing": "key"}),
    ("explore", {"until": "door"}),
    ("walk", {"entity": "door"}),
    ("use", {"thing": "key"}),
    ("explore", {"until": "food"}),
    ("walk", {"entity": "food"}),
    ("grab", {"thing": "food"}),
    ("use", {"thing": "food"}),
)
ARROWS: Final = {"N": "^", "E": ">", "S": "v", "W": "<"}
SHOW_EVERY: Final = 0.1  # s
END_TIMEOUT: Final = 30.0  # s from the last skill to the ending


class Picture:
    """Shows the agent's map as characters: redrawn in place on a terminal; otherwise drawn once at the end."""

    def __init__(self) -> None:
        self.percept: GridPercept | None = None
        self.map: OccupancyGrid | None = None
        self.things: dict[tuple[int, int], str] = {}
        self.doing = ""
        self._next = 0.0
        self._drawn = 0

    def set_entities(self, message: "EntityArray") -> None:
        """Set the things and their cells of 1 m."""
        self.things = {}
        for entity in message.entities:
            symbols = [item.value for item in entity.properties if item.key == "symbol"]
            carried = any(item.key == "owner" for item in entity.properties)
            place = round(entity.pose.position.x), round(entity.pose.position.y)
            if symbols and not carried:
                self.things[place] = symbols[0][:1]

    def lines(self) -> list[str]:
        """Return the map, north up, and a line with the state of the agent."""
        if self.map is None or self.percept is None:
            return []
        info, percept = self.map.info, self.percept
        left, bottom = round(info.origin.position.x + 0.5), round(info.origin.position.y + 0.5)
        rows = []
        for y in reversed(range(info.height)):
            cells = self.map.data[y * info.width : (y + 1) * info.width]
            places = ((left + x, bottom + y) for x in range(info.width))
            rows.append(
                "".join(
                    self._symbol(percept, place, value) for place, value in zip(places, cells, strict=True)
                )
            )
        carried = " ".join(percept.inventory) or "nothing"
        return [*rows, f"energy {percept.energy}, smell {percept.smell}, carries {carried} | {self.doing}"]

    def _symbol(self, percept: "GridPercept", place: tuple[int, int], value: int) -> str:
        if place == (percept.column, percept.row):
            return ARROWS.get(percept.heading, "?")
        if place in self.things:
            return self.things[place]
        return " " if value < 0 else "." if value == 0 else "*"

    def show(self) -> bool:
        """Draw if it is time and there is a terminal. Always returns False, for use in the condition of a loop."""
        now = time.monotonic()
        if sys.stdout.isatty() and now >= self._next:
            self._next = now + SHOW_EVERY
            self.draw()
        return False

    def draw(self) -> None:
        """Draw over the last drawing."""
        lines = self.lines()
        back = f"\x1b[{self._drawn}A" if self._drawn and sys.stdout.isatty() else ""
        clear = "\x1b[K" if sys.stdout.isatty() else ""
        sys.stdout.write(back + "".join(f"{line}{clear}\n" for line in lines))
        sys.stdout.flush()
        self._drawn = len(lines)


class _Explorer:
    """Calls the skills, and subscribes to the topics that the picture shows."""

    def __init__(self, stage: Stage) -> None:
        from embodiment_bridge.action import ExecuteSkill
        from embodiment_bridge.nodes.base.goal_client import SkillClient

        self.stage = stage
        self.picture = Picture()
        self.event: EpisodeEvent | None = None
        self._kind = ExecuteSkill
        self._watch()
        self._client = SkillClient(stage.watcher)

    def _watch(self) -> None:
        from nav_msgs.msg import OccupancyGrid

        from embodiment_bridge.msg import EntityArray, EpisodeEvent, GridPercept
        from embodiment_bridge.nodes.base.qos import profile

        watch = self.stage.watcher.create_subscription
        watch(GridPercept, "percept", lambda it: setattr(self.picture, "percept", it), profile("events"))
        watch(OccupancyGrid, "map", lambda it: setattr(self.picture, "map", it), profile("latched"))
        watch(EntityArray, "entities", self.picture.set_entities, profile("state"))
        watch(EpisodeEvent, "event", lambda it: setattr(self, "event", it), profile("latched"))

    def wait(self, condition: Callable[[], bool], seconds: float = float("inf")) -> bool:
        """Serve and draw until the condition holds."""
        return self.stage.wait(lambda: self.picture.show() or condition(), seconds)

    def there(self) -> bool:
        """Return whether the agent is in the world and accepts skills."""
        watcher = self.stage.watcher
        return watcher.link == "ready" and self.picture.map is not None and self._client.server_is_there

    def do(self, name: str, parameters: dict[str, str]) -> str:
        """Run one skill to its end; returns why it failed, empty if it succeeded."""
        from diagnostic_msgs.msg import KeyValue

        self.picture.doing = " ".join([name, *parameters.values()])
        goal = self._kind.Goal(name=name, source="demo")
        goal.parameters = [KeyValue(key=key, value=value) for key, value in parameters.items()]
        sent = self._client.send(goal)
        if not self.wait(lambda: sent.result is not None or self.over):
            sent.cancel()
            return "stopped"
        result = sent.result
        if result is None:
            return ""
        done = self._kind.Result.SUCCEEDED
        return "" if result.status == done or self.over else result.reason or f"status {result.status}"

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.event is not None and self.event.event != self.event.CONTINUE

    def close(self) -> None:
        """Take the client off the graph."""
        self._client.destroy()


def _perform(stage: Stage) -> int:
    """Run the agent. Exit code 0 if it ate the food."""
    agent = _Explorer(stage)
    try:
        return _explore(agent)
    finally:
        agent.close()


def _explore(agent: _Explorer) -> int:
    watcher = agent.stage.watcher
    if not agent.wait(agent.there, JOIN_TIMEOUT):
        say(f"the agent did not come within {JOIN_TIMEOUT:g} s: link {watcher.link} {watcher.reason}")
        return OTHER
    told = ""
    for name, parameters in SKILLS:
        told = agent.do(name, parameters)
        if told or agent.over:
            break
    if not told:
        agent.wait(lambda: agent.over, END_TIMEOUT)
    agent.picture.draw()
    if told:
        say(f"{agent.picture.doing}: {told}")
    ended = agent.event.name if agent.event is not None else "nothing was heard of it"
    reason = f": {agent.event.reason}" if agent.event is not None else ""
    say_lines([f"outcome            {ended}{reason}"])
    return 0 if ended == "SUCCESS" else OTHER


GRID = Show("an agent in an unknown world finds a key, opens a door and eats the food", ("maeden",), _perform)
