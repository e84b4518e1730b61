# SPDX-License-Identifier: Apache-2.0
"""Finds the cheapest way through a grid, including turns: A* over cells and the headings in which they are entered.

A search can be done in parts, so that a long one does not block the caller. It is fast because a cell and a heading
are one whole number (``_code``), which the garbage collector does not track; a step includes the turns before it; a
cell is entered again only where that may be cheaper; and, since prices are small whole numbers and no estimate falls by
more than the cost of a step, the open poses are kept in one pile per total instead of a heap.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from embodiment_bridge.grid.pose import STEPS, GridPose, Place

STEP_COST: Final = 5  # energy of one step
TURN_COST: Final = 3  # energy of a quarter turn
MOST_POSES: Final = 200_000  # that are visited; a world of 200 x 200 cells has 160,000

Cost: TypeAlias = Callable[[Place], int | None]
"""The cost of entering a cell in addition to the step; None where it is not possible."""

_WIDE: Final = 1 << 20  # cells; more than twice the distance that a search can reach from the start
_MIDDLE: Final = _WIDE // 2
_CLOSED: Final = -1  # price of a cell that cannot be entered
_NEVER: Final = 1 << 60  # a cost above that of any way
_AROUND: Final = 2 * TURN_COST  # the costliest turn
_TURNS: Final = ((), ("left",), ("left", "left"), ("right",))  # by quarter turns to the left


def _code(place: Place, heading: int) -> int:
    return 4 * ((place[0] + _MIDDLE) * _WIDE + place[1] + _MIDDLE) + heading


def _place(code: int) -> Place:
    x, y = divmod(code >> 2, _WIDE)
    return x - _MIDDLE, y - _MIDDLE


def _step(heading: int, turned: int) -> tuple[int, int]:
    """The difference of the code after a turn and a step, and the cost of the turn."""
    after = (heading + turned) % 4
    x, y = STEPS[after]
    return 4 * (x * _WIDE + y) + after - heading, len(_TURNS[turned]) * TURN_COST


_STEPS: Final = tuple(tuple(_step(heading, turned) for turned in (1, 3, 0)) for heading in range(4))
_BACK: Final = tuple(_step(heading, 2) for heading in range(4))


class Search:
    """A search; call ``advance`` until ``done``; ``way`` then has the actions (``forward left right``), or None.

    wanted: whether a cell is a goal. estimate: of the cost from a cell to a goal; never too high, and a step must not
    lower it by more than its cost. in_front: the way ends before the goal and faces it; the last step is free and
    always possible.
    """

    def __init__(
        self,
        start: GridPose,
        wanted: Callable[[Place], bool],
        estimate: Callable[[Place], int],
        cost: Cost,
        *,
        in_front: bool = False,
    ) -> None:
        self.done = False
        self.way: list[str] | None = None
        self._wanted = wanted
        self._estimate = estimate
        self._cost = cost
        self._in_front = in_front
        self._prices: dict[int, int] = {}  # of a step into a cell
        self._estimates: dict[int, int] = {}
        self._goals: set[int] = set()
        self._least: dict[int, int] = {}  # lowest cost up to a cell, so far
        self._spent: dict[int, int] = {}
        self._came: dict[int, int] = {}
        self._piles: dict[int, list[int]] = {}
        self._first = _code(start.place, start.heading)
        self._looked_at = 0
        self._total = estimate(start.place)  # of the pile in use; all lower piles are empty
        self._price_of(self._first)
        self._enter(self._first, 0)

    def advance(self, most: int) -> bool:
        """Visit up to ``most`` further poses; whether the search is done."""
        for _ in range(most):
            if self.done:
                break
            self._visit()
        return self.done

    def _visit(self) -> None:
        code = self._next()
        self._looked_at += 1
        if code is None or self._looked_at > MOST_POSES:
            self.done = True
            return
        if code >> 2 in self._goals:
            self.way, self.done = self._actions(code), True
            return
        spent, steps = self._spent[code], _STEPS[code & 3]
        for more, turn in steps if code != self._first else (*steps, _BACK[code & 3]):
            after = code + more
            price = self._prices.get(after >> 2) or self._price_of(after)
            if price != _CLOSED and self._enter(after, spent + turn + price):
                self._came[after] = code

    def _enter(self, code: int, spent: int) -> bool:
        """Add an open pose, unless the cell was reached at about the same cost; whether it was added."""
        cell = code >> 2
        least = self._least.get(cell, _NEVER)
        # If the cell was reached with another heading at so much lower cost, turning there is cheaper.
        if spent >= least + _AROUND or spent >= self._spent.get(code, _NEVER):
            return False
        self._spent[code] = spent
        if spent < least:
            self._least[cell] = spent
        total = spent + self._estimates[cell]
        if total in self._piles:
            self._piles[total].append(code)
        else:
            self._piles[total] = [code]
        return True

    def _next(self) -> int | None:
        """The pose with the least total that was added last: it tends to be nearest to the goal."""
        while self._piles:
            pile = self._piles.get(self._total)
            while pile:
                code = pile.pop()
                cell, spent = code >> 2, self._spent[code]
                if spent + self._estimates[cell] == self._total and spent < self._least[cell] + _AROUND:
                    return code  # not replaced by a cheaper one since it was added
            self._piles.pop(self._total, None)
            self._total += 1
        return None

    def _price_of(self, code: int) -> int:
        """The price of a step into a cell; computes it for a cell that was not met before."""
        cell, place = code >> 2, _place(code)
        price = 0
        if self._wanted(place):
            self._goals.add(cell)
        if cell not in self._goals or not self._in_front:
            extra = self._cost(place)
            price = _CLOSED if extra is None else STEP_COST + extra
        self._prices[cell] = price
        self._estimates[cell] = self._estimate(place)
        return price

    def _actions(self, code: int) -> list[str]:
        actions: list[str] = []
        while code != self._first:
            before = self._came[code]
            actions += ("forward", *_TURNS[(code - before) % 4])
            code = before
        return actions[:0:-1] if self._in_front else actions[::-1]


def search_to(start: GridPose, goal: Place, cost: Cost, *, in_front: bool = False) -> Search:
    """A search for the way from ``start`` into ``goal``.

    in_front: only to the cell before it, facing it.
    """
    last = STEP_COST if in_front else 0

    def estimate(place: Place) -> int:
        return max((abs(goal[0] - place[0]) + abs(goal[1] - place[1])) * STEP_COST - last, 0)

    return Search(start, goal.__eq__, estimate, cost, in_front=in_front)


def search_nearest(start: GridPose, wanted: Callable[[Place], bool], cost: Cost) -> Search:
    """A search for the way to the wanted cell with the lowest cost."""
    return Search(start, wanted, lambda _: 0, cost)
