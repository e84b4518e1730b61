# SPDX-License-Identifier: Apache-2.0
"""Courses through the grid: to a cell, up to an obstacle, to what was never seen."""

from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.grid.planner import search_nearest, search_to
from embodiment_bridge.grid.pose import Heading, Place
from embodiment_bridge.protocols.maeden.events import Act
from embodiment_bridge.protocols.maeden.routine import Progress, Routine, found_by, must
from embodiment_bridge.protocols.maeden.world import AgentWorld

MOST_STEPS: Final = 20_000  # of one skill: more than an agent has energy for
LOOK_AHEAD: Final = 64  # actions of a way that are looked at before each step: more than an agent can see


def straight(world: AgentWorld, action: str, count: int, share: Progress) -> Routine:
    """The same action some times; ends at the first that fails."""
    for number in range(count):
        must((yield Act(action)), f"{action} {number + 1} of {count}, {ahead_of(world, action)}")
        share.value = (number + 1) / count


def ahead_of(world: AgentWorld, action: str) -> str:
    """What is where a step would lead, for people."""
    if action not in ("forward", "backward"):
        return "in place"
    place = world.pose.cell(1 if action == "forward" else -1, 0)
    agents = [f"agent {id_}" for id_, where in world.map.agents.items() if where == place]
    things = [*world.map.cells.get(place, ()), *agents]
    return f"towards {' '.join(things)}" if things else "towards a free cell"


def walk_to(world: AgentWorld, goal: Callable[[], Place], share: Progress) -> Routine:
    """To a cell by the cheapest way that is known; one that cannot be entered is walked up to, and faced.

    The way is planned again when something was learned that closes it. Ends at the first step that fails.
    """
    way: deque[str] = deque()
    aim: tuple[Place, bool] | None = None
    length = 0
    for _ in range(MOST_STEPS):
        if not way or aim != _aim(world, goal()) or not _open(world, way):
            start, aim = world.pose, _aim(world, goal())
            search = search_to(start, aim[0], world.cost_up_to(aim[0]), in_front=aim[1])
            way = deque((yield from found_by(search)) or ())
            if world.pose != start or aim != _aim(world, goal()):
                way.clear()  # things changed meanwhile
                continue
            if search.way is None:
                raise CommandError(f"no way to {aim[0]} is known")
            length = max(length, len(way))
        if not way:
            return
        action = way.popleft()
        what = f"{action} at {world.pose.place}, {ahead_of(world, action)}"
        must((yield Act(action)), what)
        if not world.track.settled:
            way.clear()
        share.value = 1.0 - len(way) / max(length, 1)
        if not way and _arrived(world, goal()):
            return


def faced(world: AgentWorld, way: Routine, heading: Heading) -> Routine:
    """A way, and at its end quarter turns until the agent looks into ``heading``."""
    yield from way
    for _ in Heading:
        left = (heading - world.pose.heading) % len(Heading)
        if not left:
            return
        action = "right" if left == len(Heading) - 1 else "left"
        must((yield Act(action)), f"{action} at {world.pose.place}")


def _aim(world: AgentWorld, target: Place) -> tuple[Place, bool]:
    """Where to go, and whether only up to the cell before."""
    in_front = world.pose.place != target and world.map.blocked(target, carrying=world.carrying)
    return target, in_front


def _arrived(world: AgentWorld, target: Place) -> bool:
    return world.pose.place == target or world.pose.cell(1, 0) == target


def _open(world: AgentWorld, way: Iterable[str]) -> bool:
    """Whether the next part of a way still leads through cells that can be entered."""
    pose = world.pose
    for action in islice(way, LOOK_AHEAD):
        after = pose.moved(action)
        if after.place != pose.place and world.cost(after.place) is None:
            return False
        pose = after
    return True


def explore(world: AgentWorld, until: str, share: Progress) -> Routine:
    """To the nearest cell beside unseen ones, again and again, until a thing is known or all was seen.

    Cells that cannot be entered are learned and avoided.
    """
    way: deque[str] = deque()
    known = -1
    for _ in range(MOST_STEPS):
        if until and world.knows(until):
            return
        if not way or known != world.map.changes or not _open(world, way):
            start, known = world.pose, world.map.changes
            found = yield from found_by(search_nearest(start, world.map.frontier, world.seen_cost()))
            if world.pose != start or (found is None and known != world.map.changes):
                continue  # things changed meanwhile
            if found is None:
                if until:
                    raise CommandError(f"no {until!r} in all that can be reached")
                return
            way = deque(found or ("right",))
        step = Act(way.popleft())
        ticket = yield step
        if not ticket.ok:
            way.clear()
            if step.action != "forward":
                must(ticket, "explore")
        share.value = 1.0 - len(world.map.edge) / max(len(world.map.cells), 1)
