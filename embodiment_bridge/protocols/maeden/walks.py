# SPDX-License-Identifier: Apache-2.0
"""Courses through the grid: to a cell, up to an obstacle, to what was never seen."""

from collections.abc import Callable
from typing import Final

from embodiment_bridge.errors import CommandError
from embodiment_bridge.grid.planner import way_to, way_to_nearest
from embodiment_bridge.grid.pose import GridPose, Place
from embodiment_bridge.protocols.maeden.deeds import Course, Progress, must
from embodiment_bridge.protocols.maeden.events import Act
from embodiment_bridge.protocols.maeden.world import AgentWorld

MOST_STEPS: Final = 20_000  # of one skill: more than an agent has energy for


def straight(world: AgentWorld, action: str, count: int, share: Progress) -> Course:
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


def walk_to(world: AgentWorld, goal: Callable[[], Place], share: Progress) -> Course:
    """To a cell by the cheapest way that is known; one that cannot be entered is walked up to, and faced.

    The way is planned again when something was learned that closes it. Ends at the first step that fails.
    """
    way: list[str] = []
    length = 0
    for _ in range(MOST_STEPS):
        target = goal()
        if not way or not _open(world, way, target):
            in_front = world.map.blocked(target, carrying=world.carrying)
            in_front = in_front and world.pose.place != target
            planned = way_to(world.pose, target, world.cost_up_to(target), in_front=in_front)
            if planned is None:
                raise CommandError(f"no way to {target} is known")
            way = planned
            length = max(length, len(way))
        if not way:
            return
        action = way.pop(0)
        what = f"{action} at {world.pose.place}, {ahead_of(world, action)}"
        must((yield Act(action)), what)
        if not world.track.settled:
            way = []
        share.value = 1.0 - len(way) / max(length, 1)
        if not way and _arrived(world, goal()):
            return


def _arrived(world: AgentWorld, target: Place) -> bool:
    return world.pose.place == target or world.pose.cell(1, 0) == target


def _open(world: AgentWorld, way: list[str], target: Place) -> bool:
    """Whether a way still leads through cells that can be entered, and to its goal."""
    pose: GridPose = world.pose
    for action in way:
        after = pose.moved(action)
        if after.place != pose.place and world.cost(after.place) is None:
            return False
        pose = after
    if world.map.blocked(target, carrying=world.carrying):
        return pose.cell(1, 0) == target
    return pose.place == target


def explore(world: AgentWorld, until: str, share: Progress) -> Course:
    """To the nearest cell beside unseen ones, again and again, until a thing is known or all was seen.

    Cells that cannot be entered are learned and avoided.
    """
    for _ in range(MOST_STEPS):
        if until and world.knows(until):
            return
        way = way_to_nearest(world.pose, world.map.frontier, world.seen_cost())
        if way is None:
            if until:
                raise CommandError(f"no {until!r} in all that can be reached")
            return
        ticket = yield Act(way[0] if way else "right")
        if not ticket.ok and ticket.command.action != "forward":
            must(ticket, "explore")
        unseen = sum(1 for place in world.map.cells if world.map.frontier(place))
        share.value = 1.0 - unseen / max(len(world.map.cells), 1)
