# SPDX-License-Identifier: Apache-2.0
"""Keeps what an agent knows of its grid.

Its pose from its own actions, the map of what it has seen, and where the food supply is.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from embodiment_bridge.grid.pose import GridPose, Heading, Place, bearing

# The map of an agent: what it has seen, cell by cell.

WALL: Final = "*"
BLOCKING: Final = frozenset("*#@R")  # wall, door, rock, robot: these cells cannot be entered
NARROWS: Final = "="  # can be entered only with empty hands
QUICKSAND: Final = "Q"  # deadly for an agent that does anything but walk on
MANY: Final = "A"  # some servers show this for every agent whose id has two digits
FURTHEST: Final = 512  # cells from the start that are remembered; worlds are smaller
MOST_AGENTS: Final = 256  # that are remembered; worlds have fewer
MOST_LYING: Final = 512  # cells whose things are remembered as entities
UNKNOWN, FREE, OCCUPIED = -1, 0, 100  # as in nav_msgs/OccupancyGrid

Things = tuple[str, ...]
Look = Sequence[Sequence[Things]]


def beside(place: Place) -> tuple[Place, Place, Place, Place]:
    """The four cells that share a side with one."""
    x, y = place
    return (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)


def is_agent(thing: str) -> bool:
    """Whether a thing is an agent."""
    return thing.isdigit() or thing == MANY


@dataclass(slots=True)
class WorldMap:
    """All cells that were seen. Agents are not part of a cell; they are kept where they were seen last.

    bumped: cells that could not be entered although nothing was seen there; kept until they look different.
    changes: counts the changes of the map, so that a planner knows when to plan again.
    bounds: the lowest and highest x and y that were seen. edge: the known cells with an unknown neighbour.
    """

    cells: dict[Place, Things] = field(default_factory=dict)
    agents: dict[str, Place] = field(default_factory=dict)
    visible: frozenset[Place] = frozenset()
    bumped: set[Place] = field(default_factory=set)
    changes: int = 0
    bounds: tuple[Place, Place] = ((0, 0), (0, 0))
    edge: set[Place] = field(default_factory=set)
    _lying: dict[Place, Things] = field(default_factory=dict)

    def look(self, pose: GridPose, view: Look, own: str) -> None:
        """Add a view: row 0 is one cell behind ``pose``, the middle column straight ahead; ``own``: the agent's id."""
        visible = []
        for row, cells in enumerate(view):
            for column, things in enumerate(cells):
                place = pose.cell(row - 1, column - len(cells) // 2)
                visible.append(place)
                mine = {own, MANY} if place == pose.place and len(own) > 1 else {own}
                self._see(place, things, mine)
        self.visible = frozenset(visible)

    def _see(self, place: Place, things: Things, own: set[str]) -> None:
        if max(abs(place[0]), abs(place[1])) > FURTHEST:
            return
        for id_ in [id_ for id_, where in self.agents.items() if where == place]:
            del self.agents[id_]
        for thing in things:
            if is_agent(thing) and thing not in own:
                self.agents[thing if thing != MANY else f"{MANY}_{place[0]}_{place[1]}"] = place
        while len(self.agents) > MOST_AGENTS:
            del self.agents[next(iter(self.agents))]
        lying = tuple(thing for thing in things if not is_agent(thing))
        if self.cells.get(place) != lying:
            known = place in self.cells
            self.cells[place] = lying
            if not known:
                self._grow(place)
            self._lying.pop(place, None)
            if set(lying) - {WALL} and len(self._lying) < MOST_LYING:
                self._lying[place] = lying
            self.bumped.discard(place)
            self.changes += 1

    def _grow(self, place: Place) -> None:
        (x, y), ((left, bottom), (right, top)) = place, self.bounds if self.edge else (place, place)
        self.bounds = (min(left, x), min(bottom, y)), (max(right, x), max(top, y))
        for near in (place, *beside(place)):
            if near in self.cells and any(other not in self.cells for other in beside(near)):
                self.edge.add(near)
            else:
                self.edge.discard(near)

    def bump(self, place: Place) -> None:
        """Note that ``place`` could not be entered."""
        if self.cells.get(place) is not None and not self.blocked(place, carrying=False):
            self.bumped.add(place)
            self.changes += 1

    def blocked(self, place: Place, *, carrying: bool) -> bool:
        """Whether a known cell cannot be entered, or should not be."""
        things = self.cells.get(place, ())
        return (
            not BLOCKING.isdisjoint(things)
            or QUICKSAND in things
            or (carrying and NARROWS in things)
            or place in self.bumped
            or place in self.agents.values()
        )

    def wrong_walls(self, pose: GridPose, view: Look) -> int:
        """The number of cells whose wall differs from the map; walls do not change."""
        return sum(
            (WALL in known) != (WALL in things)
            for row, cells in enumerate(view)
            for column, things in enumerate(cells)
            if (known := self.cells.get(pose.cell(row - 1, column - len(cells) // 2))) is not None
        )

    def frontier(self, place: Place) -> bool:
        """Whether a known cell has an unknown neighbour."""
        return place in self.edge

    def things(self) -> Iterator[tuple[Place, int, str]]:
        """(place, number in its cell, thing) of all things except walls and agents."""
        for place, things in self._lying.items():
            for number, thing in enumerate(things):
                if thing != WALL:
                    yield place, number, thing


@dataclass(frozen=True, slots=True)
class Raster:
    """Cells as an occupancy grid: row by row from ``origin`` (the lowest x and y), -1, 0 or 100 each."""

    origin: Place
    width: int
    height: int
    data: "array[int]"


def occupancy(things: Things) -> int:
    """100 for a cell that cannot be entered unless something in it changes, else 0."""
    return FREE if BLOCKING.isdisjoint(things) else OCCUPIED


def raster_of(cells: Mapping[Place, Things], bounds: tuple[Place, Place]) -> Raster:
    """The cells within ``bounds`` (both included); those that were not seen are -1."""
    (left, bottom), (right, top) = bounds
    width, height = right - left + 1, top - bottom + 1
    data = array("b", [UNKNOWN]) * (width * height)
    for (x, y), things in cells.items():
        data[(y - bottom) * width + x - left] = occupancy(things)
    return Raster((left, bottom), width, height, data)


# Dead reckoning: the pose of an agent from its own actions.
#
# A move counts when it is answered as done. When an answer is lost, both poses are possible until the walls
# that are seen fit only one of them.

MOVES: Final = ("forward", "backward")
TURNS: Final = ("left", "right")
MOST: Final = 32  # poses that are considered at the same time
PATIENCE: Final = 3  # views without a decision; then the likeliest pose is taken, as unsure
START: Final = GridPose(0, 0, Heading.W)


@dataclass(slots=True)
class DeadReckoning:
    """The likeliest ``pose``; ``sure``: it is known to be right; ``settled``: it can be used for maps."""

    pose: GridPose = START
    sure: bool = True
    _possible: list[GridPose] = field(default_factory=list)
    _undecided: int = 0

    @property
    def settled(self) -> bool:
        """Whether only one pose is left."""
        return not self._possible

    def answered(self, action: str, ok: bool) -> None:
        """Apply an answered action; a turn always succeeds."""
        if action in TURNS or (action in MOVES and ok):
            self.pose = self.pose.moved(action)
            self._possible = [pose.moved(action) for pose in self._possible]

    def lost(self, action: str) -> None:
        """Note that an action was not answered: it may have been done or not."""
        if action not in MOVES and action not in TURNS:
            return
        before = self._possible or [self.pose]
        self._suppose([*before, *(pose.moved(action) for pose in before)])

    def check(self, view: Look, known: WorldMap) -> None:
        """Compare a view with the map, and drop the poses that do not fit; if none fits, consider poses nearby."""
        if self.settled:
            if known.wrong_walls(self.pose, view):
                around = [self.pose.moved(action) for action in (*MOVES, *TURNS)]
                self._suppose([self.pose, *around])
            else:
                return
        wrong = {pose: known.wrong_walls(pose, view) for pose in self._possible}
        least = min(wrong.values())
        left = [pose for pose in self._possible if wrong[pose] == least]
        self.pose = left[0]
        self._undecided += 1
        if len(left) == 1 or self._undecided > PATIENCE:
            self.sure = least == 0 and len(left) == 1
            self._possible, self._undecided = [], 0
        else:
            self._possible = left

    def _suppose(self, poses: Iterable[GridPose]) -> None:
        self._possible = list(dict.fromkeys(poses))[:MOST]
        self.sure = False
        self._undecided = 0


FOOD: Final = "+"


@dataclass(slots=True)
class FoodSense:
    """Remembers which food cannot be the supply, because its direction did not match a smell."""

    _pieces: set[Place] = field(default_factory=set)

    def sniff(self, pose: GridPose, direction: str, known: WorldMap) -> None:
        """Use one smell, at a pose that is sure."""
        for place, _, thing in known.things():
            if thing == FOOD and bearing(*pose.offset(place)) != direction:
                self._pieces.add(place)

    def is_supply(self, place: Place, number: int) -> bool:
        """Whether food may be the supply, as far as known; ``number`` counts the food in its cell from the top."""
        return place not in self._pieces and number == 0
