# SPDX-License-Identifier: Apache-2.0
"""Packets that the stand-in sends and commands that it reads, in each dialect."""

import json
from typing import Any, Final

from embodiment_bridge.core.unicode_text import is_unicode
from embodiment_bridge.standins.maeden.world import Agent, Place, Said, World

AHEAD: Final = range(-1, 6)
SIDES: Final = range(-2, 3)
COUNT: Final = "8"


def view_of(world: World, agent: Agent) -> list[list[list[str]]]:
    """Rows from behind to ahead, cells from left to right, things in each, agents last."""
    return [[_cell(world, agent.cell(ahead, side)) for side in SIDES] for ahead in AHEAD]


def _cell(world: World, place: Place) -> list[str]:
    return [*world.at(place), *(_shown(world, other) for other in world.standing_at(place))]


def _shown(world: World, agent: Agent) -> str:
    return "A" if world.rules.hides_ids and agent.id > 9 else str(agent.id)


def _ground(world: World, agent: Agent) -> list[str]:
    others = (str(other.id) for other in world.standing_at(agent.place) if other is not agent)
    return [*world.at(agent.place), *others]


def text_lines(world: World, agent: Agent) -> list[str]:
    """The nine lines of dialect T; only the first in a world without food."""
    if not world.has_food:
        return [COUNT]
    rows = "".join("(" + " ".join(_list(cell) for cell in row) + ")" for row in view_of(world, agent))
    return [
        COUNT,
        world.smell(agent),
        _list(agent.carried),
        f"({rows})",
        _list(_ground(world, agent)),
        "(" + "".join(_heard(agent, said) for said in agent.said) + ")",
        str(agent.energy),
        "ok" if agent.ok else "fail",
        str(world.time),
    ]


def _heard(agent: Agent, said: Said) -> str:
    """A message with its direction from the hearer's present pose, after its action of this cycle."""
    ahead, right = agent.offset(said.place)
    if abs(right) > abs(ahead):
        direction = "right" if right > 0 else "left"
    else:
        direction = "forward" if ahead > 0 else "back" if ahead < 0 else "here"
    return f"({said.speaker} {direction} {said.volume} {said.sentence})"


def _list(items: list[str]) -> str:
    return "(" + " ".join(f'"{item}"' for item in items) + ")"


def json_line(world: World, agent: Agent, status: str = "CONTINUE") -> str:
    """The array of J3 and J4."""
    view = view_of(world, agent)
    values = [
        status,
        world.smell(agent),
        agent.carried,
        view[::-1] if world.rules.dialect == "J3" else view,
        _ground(world, agent),
        None,
        agent.energy,
        "ok" if agent.ok else "fail",
        world.time,
    ]
    return json.dumps(values, separators=(",", ":"), ensure_ascii=False)


class UnreadableError(ValueError):
    """A line that the simulator cannot read as a command."""


def words_of(line: str) -> str:
    """The command of a JSON line, as words.

    Raises:
        UnreadableError: the line is not a command.
    """
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise UnreadableError(line) from None
    if not isinstance(value, dict) or not isinstance(value.get("command"), str):
        raise UnreadableError(line)
    arguments = value.get("arguments") or []
    if not isinstance(arguments, list):
        raise UnreadableError(line)
    words = " ".join([value["command"], *map(str, arguments)])
    if not is_unicode(words):
        raise UnreadableError(line)
    return words
