# SPDX-License-Identifier: Apache-2.0
"""The world of the stand-in by the rules of a build.

A file of characters, agents in it, and what one cycle does. No socket, no clock.

Places count cells from the first one of the file: x to the east, y to the north, so that rows go down from 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.grid.pose import GridPose, Heading, Place, bearing


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one build.

    dialect: T, J3 or J4. capacity: things that an agent can carry. idle: energy of a cycle without a command.
    swing: extra energy of using a hammer on anything but a rock. regrow: cycles between two harvests of the supply.
    meal: energy of food where eating does not end the run. hides_ids: ids of two digits look like A in the view.
    words: endings are also sent as words. hears: messages are delivered. dies_alone: others go on after a death.
    """

    dialect: str
    capacity: int = 100
    idle: int = 1
    swing: int = 0
    regrow: int = 50
    meal: int = 1000
    hides_ids: bool = False
    words: bool = False
    hears: bool = False
    dies_alone: bool = True


BUILDS: Final = {
    "text2013": Rules(
        "T", capacity=1, idle=0, swing=15, regrow=500, meal=500, hides_ids=True, words=True, hears=True
    ),
    "text201701": Rules("T", idle=0, swing=15, regrow=500, meal=500, hides_ids=True, words=True, hears=True),
    "text2017": Rules("T", regrow=250, words=True, hears=True),
    "json_j3": Rules("J3", words=True, dies_alone=False),
    "json2018": Rules("J4"),
}
USUAL: Final = {"T": "text2017", "J3": "json_j3", "J4": "json2018"}


def rules_of(name: str) -> Rules:
    """The rules of a build, or of the usual build of a dialect.

    Raises:
        ConfigError: no such build or dialect.
    """
    build = USUAL.get(name, name)
    if build not in BUILDS:
        raise ConfigError(unknown("build or dialect", name, {**BUILDS, **USUAL}))
    return BUILDS[build]


SYMBOLS: Final = frozenset("*#@=QKTG+$R")
BLOCKING: Final = frozenset("*#@R")
START, FREE = "B", " "
FIRST_ENERGY: Final = 2000
LARGEST: Final = 500  # columns or rows
NEVER: Final = -(10**9)


@dataclass(slots=True)
class Said:
    """A message of an agent; ``place``: of the speaker at that time."""

    speaker: int
    place: Place
    volume: str
    sentence: str


@dataclass(slots=True)
class Agent:
    """One agent. ``said``: what it hears in this cycle."""

    id: int
    pose: GridPose
    role: str = "base"
    energy: int = FIRST_ENERGY
    carried: list[str] = field(default_factory=list)  # newest first
    ok: bool = True
    dead: int = 0  # number of causes of death
    ate: bool = False
    said: list[Said] = field(default_factory=list)

    def bearing(self, place: Place) -> str:
        """The direction of a place, as a letter."""
        return bearing(*self.pose.offset(place))


class World:
    """The things and agents in their cells. ``text`` is a world file: title, ``columns rows``, then the rows.

    Raises:
        ConfigError: the text is not a world; the error names the line.
    """

    def __init__(self, text: str, rules: Rules, *, eating_ends: bool = True) -> None:
        self.rules = rules
        self.eating_ends = eating_ends
        self.time = 0
        self.agents: dict[int, Agent] = {}  # alive, in the order of joining
        self.things: dict[Place, list[str]] = {}
        self.starts: list[Place] = []
        self.supplies: dict[Place, int] = {}  # with the time of the last harvest
        self.over = False
        self._next_id = 0
        self._read(text)

    def _read(self, text: str) -> None:
        lines = text.replace("\r", "").split("\n")
        try:
            self.width, self.height = (int(word) for word in lines[1].split())
        except (IndexError, ValueError):
            raise ConfigError("world, line 2: must be 'columns rows'") from None
        if not (0 < self.width <= LARGEST and 0 < self.height <= LARGEST):
            raise ConfigError(f"world, line 2: columns and rows must be 1 to {LARGEST}")
        for y in range(self.height):
            row = lines[2 + y] if len(lines) > 2 + y else ""
            for x, symbol in enumerate(row[: self.width]):
                self._place(symbol, (x, -y))
        if not self.starts:
            raise ConfigError(f"world: no start ({START})")

    def _place(self, symbol: str, place: Place) -> None:
        if symbol == START:
            self.starts.append(place)
        elif symbol in SYMBOLS:
            self.things[place] = [symbol]
            if symbol == "+":
                self.supplies[place] = NEVER
        elif symbol != FREE:
            raise ConfigError(f"world, line {3 - place[1]}: unrecognised symbol {symbol!r}")

    @property
    def has_food(self) -> bool:
        """Whether there is a supply; without one the simulator cannot make a packet."""
        return bool(self.supplies)

    def join(self, role: str = "base") -> Agent:
        """A new agent at the next start; the first takes the last one of the file."""
        start = self.starts[-1 - self._next_id % len(self.starts)]
        agent = Agent(self._next_id, GridPose(*start, Heading.W), role)
        self._next_id += 1
        self.agents[agent.id] = agent
        return agent

    def inside(self, place: Place) -> bool:
        """Whether a place is in the world."""
        return 0 <= place[0] < self.width and 0 <= -place[1] < self.height

    def at(self, place: Place) -> list[str]:
        """The things in a cell, last dropped first."""
        return self.things.get(place, [])

    def standing_at(self, place: Place) -> Iterator[Agent]:
        """The agents in a cell, in the order in which they came to it."""
        return (agent for agent in self.agents.values() if agent.pose.place == place)

    def move(self, agent: Agent, pose: GridPose) -> None:
        """Put an agent into a cell: it is the last in it."""
        agent.pose = pose
        self.agents[agent.id] = self.agents.pop(agent.id)

    def put(self, place: Place, thing: str) -> None:
        """Put a thing on top of the others in a cell."""
        self.things.setdefault(place, []).insert(0, thing)

    def remove(self, place: Place, thing: str) -> None:
        """Remove the topmost thing of this kind from a cell."""
        self.things[place].remove(thing)

    def can_enter(self, agent: Agent, place: Place) -> bool:
        """Whether an agent can enter a cell."""
        things = self.at(place)
        if not BLOCKING.isdisjoint(things) or ("=" in things and agent.carried):
            return False
        if agent.role == "helper":
            return True
        return all(other.role == "helper" for other in self.standing_at(place))

    def smell(self, agent: Agent) -> str:
        """The direction of the last supply of the file, as a letter."""
        return agent.bearing(max(self.supplies, key=lambda place: (-place[1], place[0])))


def read_world(path: str) -> str:
    """The text of a world file.

    Raises:
        ConfigError: it cannot be read.
    """
    return read_text(Path(path), "world")
