# SPDX-License-Identifier: Apache-2.0
"""The knowledge of one agent: where it is, what it saw, what it carries. Answers update it, skills read it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.grid.planner import Cost
from embodiment_bridge.grid.pose import GridPose, Heading, Place
from embodiment_bridge.grid.world import FOOD, DeadReckoning, FoodSense, WorldMap
from embodiment_bridge.protocols.maeden.command_writer import words_of
from embodiment_bridge.protocols.maeden.conversation import Answer, NoReply
from embodiment_bridge.protocols.maeden.events import Act, Action, Percept

UNSEEN_COST: Final = 2  # energy; what is not known to be free is avoided a little
MARGIN: Final = 6  # cells round what was seen in which a way may lead through the unseen
ANY_FOOD: Final = ("food", "supply")
KINDS: Final = {
    "#": "door",
    "@": "rock",
    "=": "narrows",
    "Q": "quicksand",
    "K": "key",
    "T": "hammer",
    "G": "ray_gun",
    "R": "robot",
    "$": "gold",
    "O": "collection_point",
    "H": "helper",
    FOOD: "food",
}


class Item(NamedTuple):
    """Something that was seen. ``id`` is the same as long as it stays where it is; place: cells from the start."""

    id: str
    kind: str
    symbol: str
    place: Place
    visible: bool
    carried: bool = False


@dataclass(slots=True)
class AgentWorld:
    """The world of one agent, in cells. ``start`` is the heading that it begins with."""

    start: Heading = Heading.W
    agent: str = ""
    percept: Percept | None = None
    command: str = ""
    spent: int = 0
    map: WorldMap = field(default_factory=WorldMap)
    track: DeadReckoning = field(default_factory=DeadReckoning)
    _food: FoodSense = field(default_factory=FoodSense)

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """A new agent in a new world: nothing is known."""
        self.agent, self.percept, self.command, self.spent = "", None, "", 0
        self.map, self._food = WorldMap(), FoodSense()
        self.track = DeadReckoning(GridPose(0, 0, self.start))

    @property
    def pose(self) -> GridPose:
        """The likeliest pose."""
        return self.track.pose

    @property
    def carrying(self) -> bool:
        """Whether the agent carries something."""
        return self.percept is not None and bool(self.percept.inventory)

    def carries(self, symbol: str) -> bool:
        """Whether the agent carries such a thing."""
        return self.percept is not None and symbol in self.percept.inventory

    def answered(self, event: Answer) -> None:
        """Take in a packet and what it answers."""
        percept, before = event.percept, self.percept
        action = event.command.action if isinstance(event.command, Act) else ""
        self.command = text_of(event.command)
        self.spent = 0 if before is None else before.energy - percept.energy
        self.percept = percept
        self.track.answered(action, percept.ok)
        self.track.check(percept.view, self.map)
        if self.track.settled:
            self.map.look(self.pose, percept.view, self.agent)
            self._food.sniff(self.pose, percept.smell, self.map)
            if action in ("forward", "backward") and not percept.ok:
                self.map.bump(self.pose.cell(1 if action == "forward" else -1, 0))

    def lost(self, event: NoReply) -> None:
        """An answer will not come."""
        if event.sent and isinstance(event.command, Act):
            self.track.lost(event.command.action)

    def cost(self, place: Place) -> int | None:
        """The cost of a cell beside that of the step: little for an unseen one, None for one that is blocked."""
        if place not in self.map.cells:
            return UNSEEN_COST
        return None if self.map.blocked(place, carrying=self.carrying) else 0

    def cost_up_to(self, goal: Place) -> Cost:
        """Like ``cost``, but no further away than ``MARGIN`` cells from what was seen and from the goal."""
        (left, bottom), (right, top) = self.map.bounds
        left, right = min(left, goal[0]) - MARGIN, max(right, goal[0]) + MARGIN
        bottom, top = min(bottom, goal[1]) - MARGIN, max(top, goal[1]) + MARGIN

        def cost(place: Place) -> int | None:
            inside = left <= place[0] <= right and bottom <= place[1] <= top
            return self.cost(place) if inside else None

        return cost

    def seen_cost(self) -> Cost:
        """Like ``cost``, but of cells only that were seen."""
        return lambda place: self.cost(place) if place in self.map.cells else None

    def items(self) -> Iterator[Item]:
        """All that is known to be somewhere: what lies or stands there, other agents, what is carried."""
        food_seen: dict[Place, int] = {}
        for place, number, symbol in self.map.things():
            kind = KINDS.get(symbol, symbol)
            if symbol == FOOD:
                rank = food_seen.get(place, 0)
                food_seen[place] = rank + 1
                kind = "supply" if self._food.is_supply(place, rank) else "food"
            x, y = place
            suffix = f"_{number}" if number else ""
            yield Item(f"{kind}_{x}_{y}{suffix}", kind, symbol, place, place in self.map.visible)
        for agent, place in self.map.agents.items():
            yield Item(f"agent_{agent}", "agent", agent, place, place in self.map.visible)
        if self.percept is not None:
            for number, symbol in enumerate(self.percept.inventory):
                kind = KINDS.get(symbol, symbol)
                yield Item(f"{kind}_carried_{number}", kind, symbol, self.pose.place, True, carried=True)

    def find(self, name: str) -> Item:
        """The item with an id, or the nearest one of a kind or with a symbol (``food`` is also that of a supply).

        Raises:
            CommandError: there is none; the text names what is known.
        """
        known = list(self.items())
        wanted = [item for item in known if item.id == name]
        wanted = wanted or [item for item in known if not item.carried and self._is(item, name)]
        if not wanted:
            raise CommandError(unknown("thing", name, {item.kind for item in known}))
        x, y = self.pose.place
        return min(wanted, key=lambda item: abs(item.place[0] - x) + abs(item.place[1] - y))

    def knows(self, name: str) -> bool:
        """Whether ``find`` would find something."""
        return any(item.id == name or (not item.carried and self._is(item, name)) for item in self.items())

    @staticmethod
    def _is(item: Item, name: str) -> bool:
        return name in (item.kind, item.symbol) or (name in ANY_FOOD[:1] and item.kind in ANY_FOOD)


def symbol_of(name: str) -> str:
    """The symbol of a symbol, of a kind, or of an item's id: ``K``, ``key`` and ``key_1_-2`` are K."""
    kinds = {**{kind: symbol for symbol, kind in KINDS.items()}, "supply": FOOD}
    by_id = next((kind for kind in kinds if name.startswith(kind + "_")), name)
    return kinds.get(by_id, name.upper() if len(name) == 1 else name)


def text_of(command: Action | None) -> str:
    """A command that was sent, in words: ``g K``; empty for none."""
    return "" if command is None else " ".join(words_of(command))
