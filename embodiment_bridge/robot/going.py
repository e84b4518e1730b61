# SPDX-License-Identifier: Apache-2.0
"""The way to a place or a thing, as documents with the walking skills that a body has."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.robot.senses import Senses

Document = dict[str, object]
CLOSE: Final = 0.2  # m from the place
BESIDE: Final = 0.35  # m from the middle of a thing
AHEAD: Final = 0.2  # rad off the heading that need no turn
LEGS: Final = 8  # turns with a walk after each
STEPS: Final = ("turn_left", "turn_right", "step_forward")  # skills that together get a body anywhere


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


def legs(senses: Senses, goal: Goal) -> Iterator[Document]:
    """Documents to run one after the other; each is made from where the robot is then.

    A body with the skill ``go_to``, or with one that walks to a place, does it in one.

    Raises:
        CommandError: the body cannot go anywhere, nothing of the goal is known, or the robot does not get there.
    """
    skills = {name: skill for name, skill in senses.skills.items() if skill.available}
    walks = {"x", "y"} <= set(skills["walk"].parameters if "walk" in skills else ())
    if not (walks or "go_to" in skills or all(name in skills and skills[name].parameters for name in STEPS)):
        raise CommandError(f"body {senses.body!r} cannot walk to a place: it has no skill for that")
    if goal.thing:
        _place(senses, goal)  # known at all?
    if "go_to" in skills:
        yield _action("go_to", _at(goal, "thing"))
    elif walks:
        yield _action("walk", {key: value for key, value in _at(goal, "entity").items() if key != "yaw"})
    else:
        yield from _steps(senses, skills, goal)


def _at(goal: Goal, thing: str) -> dict[str, object]:
    if goal.thing:
        return {thing: goal.thing}
    place: dict[str, object] = {"x": goal.x, "y": goal.y}
    return place if goal.yaw is None else {**place, "yaw": goal.yaw}


def _steps(senses: Senses, skills: dict[str, SkillInfo], goal: Goal) -> Iterator[Document]:
    near = BESIDE if goal.thing else CLOSE
    for _ in range(LEGS):
        pose = senses.pose
        if pose is None:
            raise CommandError("the robot does not know where it is: nothing came on the topic pose")
        x, y = _place(senses, goal)
        away = pose.distance(x, y) - (BESIDE if goal.thing else 0.0)
        if pose.distance(x, y) <= near + CLOSE / 2:
            yield from _turn(skills, 0.0 if goal.yaw is None else wrap_angle(goal.yaw - pose.yaw))
            return
        yield from _turn(skills, pose.bearing(x, y))
        yield _action("step_forward", {"distance": _within(skills["step_forward"], "distance", away)})
    raise CommandError(f"the robot did not get to {goal} in {LEGS} tries")


def _turn(skills: dict[str, SkillInfo], angle: float) -> Iterator[Document]:
    if abs(angle) > AHEAD:
        name = "turn_left" if angle > 0.0 else "turn_right"
        yield _action(name, {"angle": _within(skills[name], "angle", abs(angle))})


def _within(skill: SkillInfo, name: str, value: float) -> float:
    for info in skill.details:
        if info.name == name:
            return min(max(value, info.minimum), info.maximum)
    return value


def _place(senses: Senses, goal: Goal) -> tuple[float, float]:
    if not goal.thing:
        return goal.x, goal.y
    thing = senses.find(goal.thing)
    if thing is None:
        known = {name for one in senses.things() for name in (one.id, one.kind) if name}
        raise CommandError(unknown("thing", goal.thing, known))
    return thing.x, thing.y


def _action(name: str, parameters: dict[str, object]) -> Document:
    rounded = {
        key: round(value, 4) if isinstance(value, float) and math.isfinite(value) else value
        for key, value in parameters.items()
    }
    return {"type": "body", "action": name.upper(), "parameters": rounded}
