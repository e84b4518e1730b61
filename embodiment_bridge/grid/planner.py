# SPDX-License-Identifier: Apache-2.0
"""The cheapest way through a grid, turns included: A* over cells and headings."""

import heapq
from collections.abc import Callable
from typing import Final, TypeAlias

from embodiment_bridge.grid.pose import STEPS, GridPose, Heading, Place

STEP_COST: Final = 5  # energy of one step
TURN_COST: Final = 3  # energy of a quarter turn
MOST_POSES: Final = 200_000  # that are looked at, in about a second; a world of 200 x 200 cells has 160,000

Cost: TypeAlias = Callable[[Place], int | None]
"""What it costs to enter a cell beside the step; None where that is not possible."""

_State = tuple[int, int, int]


def way_to(start: GridPose, goal: Place, cost: Cost, *, in_front: bool = False) -> list[str] | None:
    """The actions (``forward left right``) from ``start`` into ``goal``; None when there is no way.

    in_front: only up to the cell before it, and face it.
    """
    least = STEP_COST if in_front else 0

    def estimate(state: _State) -> int:
        dx, dy = goal[0] - state[0], goal[1] - state[1]
        east, north = STEPS[state[2]]
        ahead, side = dx * east + dy * north, dx * north - dy * east
        turns = (2 if ahead < 0 else 1 if side else 0) * TURN_COST
        return max((abs(dx) + abs(dy)) * STEP_COST - least + turns, 0)

    def reached(state: _State) -> bool:
        x, y, heading = state
        if in_front:
            x, y = x + STEPS[heading][0], y + STEPS[heading][1]
        return (x, y) == goal

    return _search(start, reached, estimate, cost)


def way_to_nearest(start: GridPose, wanted: Callable[[Place], bool], cost: Cost) -> list[str] | None:
    """The actions to the cell that is wanted and costs least to reach; None when there is none."""
    return _search(start, lambda state: wanted((state[0], state[1])), lambda _: 0, cost)


def _search(
    start: GridPose, reached: Callable[[_State], bool], estimate: Callable[[_State], int], cost: Cost
) -> list[str] | None:
    first = (start.x, start.y, int(start.heading))
    spent = {first: 0}
    came: dict[_State, tuple[_State, str]] = {}
    todo = [(estimate(first), 0, first)]
    done: set[_State] = set()
    order = 0
    while todo and len(done) < MOST_POSES:
        _, _, state = heapq.heappop(todo)
        if state in done:
            continue
        if reached(state):
            return _actions(came, state)
        done.add(state)
        x, y, heading = state
        now = spent[state]
        ahead = (x + STEPS[heading][0], y + STEPS[heading][1])
        extra = cost(ahead)
        steps = [
            ((x, y, (heading + 1) % 4), "left", TURN_COST),
            ((x, y, (heading - 1) % 4), "right", TURN_COST),
        ]
        if extra is not None:
            steps.append(((*ahead, heading), "forward", STEP_COST + extra))
        for after, action, price in steps:
            total = now + price
            if total < spent.get(after, total + 1):
                spent[after] = total
                came[after] = (state, action)
                order += 1
                heapq.heappush(todo, (total + estimate(after), -order, after))
    return None


def _actions(came: dict[_State, tuple[_State, str]], state: _State) -> list[str]:
    actions = []
    while state in came:
        state, action = came[state]
        actions.append(action)
    return actions[::-1]


def pose_after(start: GridPose, actions: list[str]) -> GridPose:
    """Where a way ends, when every action succeeds."""
    pose = GridPose(start.x, start.y, Heading(start.heading))
    for action in actions:
        pose = pose.moved(action)
    return pose
