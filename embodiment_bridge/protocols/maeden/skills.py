# SPDX-License-Identifier: Apache-2.0
"""The skills of a grid agent: what each name and its parameters become in commands.

Lengths in m and angles in rad become whole cells and quarter turns, at least one, so that a plan made for a body that
walks also works here.
"""

from collections.abc import Mapping
from math import ceil
from typing import Final

from embodiment_bridge.body.description import Skill
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.grid.food import FOOD
from embodiment_bridge.grid.pose import QUARTER_TURN, Heading, Place
from embodiment_bridge.grid.world_map import FURTHEST
from embodiment_bridge.motion.skills.native import Native, Start
from embodiment_bridge.protocols.maeden import convert
from embodiment_bridge.protocols.maeden.command_writer import THINGS
from embodiment_bridge.protocols.maeden.events import Act, Action
from embodiment_bridge.protocols.maeden.operator import Operator
from embodiment_bridge.protocols.maeden.routine import Progress, Routine, RoutineSkill, must
from embodiment_bridge.protocols.maeden.sentences import sentence_of
from embodiment_bridge.protocols.maeden.walks import explore, faced, straight, walk_to
from embodiment_bridge.protocols.maeden.world import AgentWorld, symbol_of

Values = Mapping[str, float | str]
STEP_S: Final = 0.5  # s that one cell of a walk without goal takes of its slot
WALK_S: Final = 2.0  # s of a walk of which nothing else is said
STEPS: Final = {"step_forward": "forward", "step_backward": "backward"}
TURNS: Final = {"turn_left": "left", "turn_right": "right"}
HANDLING: Final = ("grab", "drop", "use")


class GridSkills:
    """What begins each skill; ``starts`` is for the motion runner. cell_m: side of a cell, m."""

    def __init__(self, world: AgentWorld, operator: Operator, cell_m: float) -> None:
        self._world = world
        self._operator = operator
        self._cell = cell_m
        self.starts: dict[str, Start] = {
            **dict.fromkeys(STEPS, self._step),
            **dict.fromkeys(TURNS, self._turn),
            **dict.fromkeys(HANDLING, self._handle),
            "wait": self._wait,
            "attack": self._attack,
            "talk": self._say,
            "shout": self._say,
            "say": self._say,
            "walk": self._walk,
            "go_to": self._go_to,
            "explore": self._explore,
        }

    def cell_of(self, x: float, y: float) -> Place:
        """The cell in which a point of ``map`` lies, m.

        Raises:
            CommandError: it is too far away to be in any world.
        """
        place = convert.cells(x, self._cell), convert.cells(y, self._cell)
        if max(map(abs, place)) > FURTHEST:
            raise CommandError(f"{x:g} m, {y:g} m is more than {FURTHEST} cells away from the start")
        return place

    def _begin(self, routine: Routine, share: Progress | None = None) -> Native:
        return RoutineSkill(self._operator, routine, share)

    def _step(self, skill: Skill, values: Values, slot: float) -> Native:
        cells = self._cells(float(values.get("distance", self._cell)))
        share = Progress()
        return self._begin(straight(self._world, STEPS[skill.name], cells, share), share)

    def _turn(self, skill: Skill, values: Values, slot: float) -> Native:
        turns = max(1, convert.quarter_turns(float(values.get("angle", QUARTER_TURN))))
        share = Progress()
        return self._begin(straight(self._world, TURNS[skill.name], turns, share), share)

    def _handle(self, skill: Skill, values: Values, slot: float) -> Native:
        name = str(values.get("thing", "") or values.get("entity", ""))
        thing = symbol_of(name) if name else ""
        if thing and thing not in THINGS:
            raise CommandError(
                f"skill {skill.name!r}: {name!r} cannot be carried; what can: {' '.join(THINGS)}"
            )
        if skill.name == "use" and thing == FOOD:
            return self._begin(_eat(self._world))
        return self._begin(_once(Act(skill.name, thing), f"{skill.name} {name}".strip()))

    def _wait(self, skill: Skill, values: Values, slot: float) -> Native:
        return self._begin(_times(Act("wait"), int(values.get("cycles", 1))))

    def _attack(self, skill: Skill, values: Values, slot: float) -> Native:
        if self._world.pose.cell(1, 0) not in self._world.map.agents.values():
            raise CommandError(
                f"skill {skill.name!r}: no agent is ahead (the simulator would say ok, and take 15 units)"
            )
        return self._begin(_once(Act("attack"), "attack"))

    def _say(self, skill: Skill, values: Values, slot: float) -> Native:
        text = str(values.get("text", ""))
        volume = "" if skill.name == "say" else f"{skill.name} "
        if not text.strip():
            raise CommandError(f"skill {skill.name!r}: there is no text to say")
        return self._begin(_once(sentence_of(volume + text), skill.name))

    def _explore(self, skill: Skill, values: Values, slot: float) -> Native:
        share = Progress()
        return self._begin(explore(self._world, str(values.get("until", "")), share), share)

    def _walk(self, skill: Skill, values: Values, slot: float) -> Native:
        share, world = Progress(), self._world
        name = str(values.get("entity", ""))
        place = [float(values[axis]) for axis in ("x", "y") if axis in values]
        if name and place:
            raise CommandError(f"skill {skill.name!r}: give either an entity, or x and y")
        if name:
            world.find(name)
            return self._begin(walk_to(world, lambda: world.find(name).place, share), share)
        if len(place) == 1:
            raise CommandError(f"skill {skill.name!r}: x and y belong together")
        if place:
            target = self.cell_of(*place)
            return self._begin(walk_to(world, lambda: target, share), share)
        return self._begin(self._free_walk(values, slot, share), share)

    def _go_to(self, skill: Skill, values: Values, slot: float) -> Native:
        share, world = Progress(), self._world
        name, place = str(values.get("thing", "")), [axis for axis in ("x", "y") if axis in values]
        if bool(name) == bool(place) or len(place) == 1 or (name and "yaw" in values):
            raise CommandError(f"skill {skill.name!r}: give either a thing, or x and y and perhaps yaw")
        if name:
            world.find(name)
            return self._begin(walk_to(world, lambda: world.find(name).place, share), share)
        target = self.cell_of(float(values["x"]), float(values["y"]))
        way = walk_to(world, lambda: target, share)
        if "yaw" in values:
            way = faced(world, way, Heading(convert.quarter_turns(float(values["yaw"])) % len(Heading)))
        return self._begin(way, share)

    def _free_walk(self, values: Values, slot: float, share: Progress) -> Routine:
        """Straight on (or round), until the first of distance, steps and duration is used up."""
        speed, turn = float(values.get("speed", 0.0)), float(values.get("turn", 0.0))
        distance = float(values.get("distance", 0.0))
        duration = float(values.get("duration", slot or WALK_S))
        if turn and not (speed or distance):
            turns = max(1, convert.quarter_turns(abs(turn) * duration))
            return straight(self._world, "left" if turn > 0.0 else "right", turns, share)
        limits = [max(1, int(duration / STEP_S))] if "duration" in values or not values else []
        limits += [self._cells(abs(distance))] if distance else []
        limits += [ceil(float(values["steps"]))] if "steps" in values else []
        limits = limits or [max(1, int(duration / STEP_S))]
        back = distance < 0.0 or (not distance and speed < 0.0)
        return straight(self._world, "backward" if back else "forward", min(limits), share)

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
