# SPDX-License-Identifier: Apache-2.0
"""The skills of a grid agent as commands.

Steps, turns and handling of things, and the ways to a cell, up to an obstacle, or to what was never seen.

Lengths in m and angles in rad become whole cells and quarter turns, at least one, so that a plan made for a body that
walks also works here.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from math import ceil
from typing import Final

from embodiment_bridge.body.description import Skill
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.grid.planner import search_nearest, search_to
from embodiment_bridge.grid.pose import QUARTER_TURN, Heading, Place
from embodiment_bridge.grid.world import FOOD, FURTHEST
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.protocols.maeden import convert
from embodiment_bridge.protocols.maeden.command_writer import THINGS, sentence_of
from embodiment_bridge.protocols.maeden.events import Act, Action
from embodiment_bridge.protocols.maeden.routine import (
    Operator,
    Routine,
    RoutineSkill,
    found_by,
    must,
)
from embodiment_bridge.protocols.maeden.world import AgentWorld, symbol_of

# Courses through the grid: to a cell, up to an obstacle, to what was never seen.

MOST_STEPS: Final = 20_000  # of one skill: more than an agent has energy for
LOOK_AHEAD: Final = 64  # actions of a way that are looked at before each step: more than an agent can see


def straight(world: AgentWorld, action: str, count: int) -> Routine:
    """The same action some times; ends at the first that fails."""
    for number in range(count):
        must((yield Act(action)), f"{action} {number + 1} of {count}, {ahead_of(world, action)}")
        yield (number + 1) / count


def ahead_of(world: AgentWorld, action: str) -> str:
    """The things in the cell that a step would enter, for people."""
    if action not in ("forward", "backward"):
        return "in place"
    place = world.pose.cell(1 if action == "forward" else -1, 0)
    agents = [f"agent {id_}" for id_, where in world.map.agents.items() if where == place]
    things = [*world.map.cells.get(place, ()), *agents]
    return f"towards {' '.join(things)}" if things else "towards a free cell"


def walk_to(world: AgentWorld, goal: Callable[[], Place]) -> Routine:
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
        yield 1.0 - len(way) / max(length, 1)
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
    """The cell to go to, and whether only up to the one before."""
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


def explore(world: AgentWorld, until: str) -> Routine:
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
        yield 1.0 - len(world.map.edge) / max(len(world.map.cells), 1)


Values = Mapping[str, float | str]
STEP_S: Final = 0.5  # s that one cell of a walk without goal takes of its slot
WALK_S: Final = 2.0  # s of a walk of which nothing else is said
STEPS: Final = {"step_forward": "forward", "step_backward": "backward"}
TURNS: Final = {"turn_left": "left", "turn_right": "right"}
HANDLING: Final = {"grab": "grab", "drop": "drop", "use": "use", "hand_grip": "grab", "hand_relax": "drop"}


class GridSkills:
    """Starts the skills of an agent; ``starts`` is for the motion runner. cell_m: side of a cell, m."""

    def __init__(self, world: AgentWorld, operator: Operator, cell_m: float) -> None:
        self._world = world
        self._operator = operator
        self._cell = cell_m
        makers = {
            **dict.fromkeys(STEPS, self._step),
            **dict.fromkeys(TURNS, self._turn),
            **dict.fromkeys(HANDLING, self._handle),
            **dict.fromkeys(("talk", "shout", "say"), self._say),
            "wait": self._wait,
            "attack": self._attack,
            "walk": self._walk,
            "go_to": self._go_to,
            "explore": self._explore,
        }
        self.starts = {name: self._start(make) for name, make in makers.items()}

    def cell_of(self, x: float, y: float) -> Place:
        """The cell in which a point of ``map`` lies, m.

        Raises:
            CommandError: it is too far away to be in any world.
        """
        place = convert.cells(x, self._cell), convert.cells(y, self._cell)
        if max(map(abs, place)) > FURTHEST:
            raise CommandError(f"{x:g} m, {y:g} m is more than {FURTHEST} cells away from the start")
        return place

    def _start(self, make: Callable[[Skill, Values, float], Routine]) -> Start:
        return lambda skill, values, slot: RoutineSkill(self._operator, make(skill, values, slot))

    def _step(self, skill: Skill, values: Values, slot: float) -> Routine:
        cells = self._cells(float(values.get("distance", self._cell)))
        return straight(self._world, STEPS[skill.name], cells)

    def _turn(self, skill: Skill, values: Values, slot: float) -> Routine:
        turns = max(1, convert.quarter_turns(float(values.get("angle", QUARTER_TURN))))
        return straight(self._world, TURNS[skill.name], turns)

    def _handle(self, skill: Skill, values: Values, slot: float) -> Routine:
        name = str(values.get("thing", "") or values.get("entity", ""))
        thing = symbol_of(name) if name else ""
        if thing and thing not in THINGS:
            raise CommandError(
                f"skill {skill.name!r}: {name!r} cannot be carried; what can: {' '.join(THINGS)}"
            )
        action = HANDLING[skill.name]
        if action == "use" and thing == FOOD:
            return _eat(self._world)
        return _once(Act(action, thing), f"{action} {name}".strip())

    def _wait(self, skill: Skill, values: Values, slot: float) -> Routine:
        return _times(Act("wait"), int(values.get("cycles", 1)))

    def _attack(self, skill: Skill, values: Values, slot: float) -> Routine:
        if self._world.pose.cell(1, 0) not in self._world.map.agents.values():
            raise CommandError(
                f"skill {skill.name!r}: no agent is ahead (the simulator would say ok, and take 15 units)"
            )
        return _once(Act("attack"), "attack")

    def _say(self, skill: Skill, values: Values, slot: float) -> Routine:
        text = str(values.get("text", ""))
        volume = "" if skill.name == "say" else f"{skill.name} "
        if not text.strip():
            raise CommandError(f"skill {skill.name!r}: there is no text to say")
        return _once(sentence_of(volume + text), skill.name)

    def _explore(self, skill: Skill, values: Values, slot: float) -> Routine:
        return explore(self._world, str(values.get("until", "")))

    def _walk(self, skill: Skill, values: Values, slot: float) -> Routine:
        name = str(values.get("entity", ""))
        axes = [axis for axis in ("x", "y") if axis in values]
        if name and axes:
            raise CommandError(f"skill {skill.name!r}: give either an entity, or x and y")
        if len(axes) == 1:
            raise CommandError(f"skill {skill.name!r}: x and y belong together")
        if name or axes:
            return self._way(name, values)
        return self._free_walk(values, slot)

    def _go_to(self, skill: Skill, values: Values, slot: float) -> Routine:
        name, axes = str(values.get("thing", "")), [axis for axis in ("x", "y") if axis in values]
        if bool(name) == bool(axes or "yaw" in values) or len(axes) == 1:
            raise CommandError(
                f"skill {skill.name!r}: give either a thing, or x and y and perhaps yaw, or yaw alone"
            )
        way = self._way(name, values)
        if "yaw" in values:
            heading = Heading(convert.quarter_turns(float(values["yaw"])) % len(Heading))
            way = faced(self._world, way, heading)
        return way

    def _way(self, name: str, values: Values) -> Routine:
        """The way to a thing, which may move meanwhile, or to x and y; without both the way to where it stands.

        Raises:
            CommandError: no such thing is known, or the place is too far away.
        """
        world = self._world
        if name:
            world.find(name)
            return walk_to(world, lambda: world.find(name).place)
        target = self.cell_of(float(values["x"]), float(values["y"])) if "x" in values else world.pose.place
        return walk_to(world, lambda: target)

    def _free_walk(self, values: Values, slot: float) -> Routine:
        """Straight on (or round), until the first of distance, steps and duration is used up."""
        speed, turn = float(values.get("speed", 0.0)), float(values.get("turn", 0.0))
        distance = float(values.get("distance", 0.0))
        duration = float(values.get("duration", slot or WALK_S))
        if turn and not (speed or distance):
            turns = max(1, convert.quarter_turns(abs(turn) * duration))
            return straight(self._world, "left" if turn > 0.0 else "right", turns)
        limits = [max(1, int(duration / STEP_S))] if "duration" in values or not values else []
        limits += [self._cells(abs(distance))] if distance else []
        limits += [ceil(float(values["steps"]))] if "steps" in values else []
        limits = limits or [max(1, int(duration / STEP_S))]
        back = distance < 0.0 or (not distance and speed < 0.0)
        return straight(self._world, "backward" if back else "forward", min(limits))

    def _cells(self, length: float) -> int:
        return max(1, convert.cells(length, self._cell))


def _once(command: Action, what: str) -> Routine:
    must((yield command), what)


def _eat(world: AgentWorld) -> Routine:
    """Only food that is carried can be eaten: what lies here is taken first."""
    if not world.carries(FOOD):
        must((yield Act("grab", FOOD)), "use food: none is carried, and taking it")
    must((yield Act("use", FOOD)), "use food")


def _times(command: Action, count: int) -> Routine:
    for _ in range(count):
        yield command
