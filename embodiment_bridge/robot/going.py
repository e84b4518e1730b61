# SPDX-License-Identifier: Apache-2.0
"""The way to a place or a thing, as a document with the walking skill of a body."""

import math
from dataclasses import dataclass

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.robot.senses import Senses

Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class Goal:
    """A place in ``map`` (m, and heading in rad, or None), or a thing by id or kind."""

    x: float = 0.0
    y: float = 0.0
    yaw: float | None = None
    thing: str = ""

    def __str__(self) -> str:
        heading = "" if self.yaw is None else f", heading {self.yaw:g}"
        return self.thing or f"{self.x:g} {self.y:g}{heading}"


def way(senses: Senses, goal: Goal) -> Document:
    """The document that brings the robot to a goal: the skill ``go_to``, else a ``walk`` that goes to a place.

    Raises:
        CommandError: the body has neither, or the thing is not known.
    """
    skills = {name: skill for name, skill in senses.skills.items() if skill.available}
    walks = {"x", "y"} <= set(skills["walk"].parameters if "walk" in skills else ())
    if not (walks or "go_to" in skills):
        raise CommandError(f"body {senses.body!r} cannot walk to a place: it has no skill for that")
    if goal.thing and senses.find(goal.thing) is None:
        known = {name for one in senses.things() for name in (one.id, one.kind) if name}
        raise CommandError(unknown("thing", goal.thing, known))
    if "go_to" in skills:
        return _action("go_to", _at(goal, "thing"))
    return _action("walk", {key: value for key, value in _at(goal, "entity").items() if key != "yaw"})


def _at(goal: Goal, thing: str) -> dict[str, object]:
    if goal.thing:
        return {thing: goal.thing}
    place: dict[str, object] = {"x": goal.x, "y": goal.y}
    return place if goal.yaw is None else {**place, "yaw": goal.yaw}


def _action(name: str, parameters: dict[str, object]) -> Document:
    rounded = {
        key: round(value, 4) if isinstance(value, float) and math.isfinite(value) else value
        for key, value in parameters.items()
    }
    return {"type": "body", "action": name.upper(), "parameters": rounded}
