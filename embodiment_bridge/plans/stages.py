# SPDX-License-Identifier: Apache-2.0
"""Stages of actions as a plan file names them: ``{approach: target, within: 0.4}``, ``{skill: grab}`` and so on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import cos, sin
from typing import Final

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.rotation import RAD_PER_DEG, Vector
from embodiment_bridge.plans.action import Parameter
from embodiment_bridge.plans.movement import (
    LOST,
    Approach,
    Follow,
    Gait,
    Target,
    TurnBy,
    TurnTo,
    entity_place,
    heading_to,
)
from embodiment_bridge.plans.outcome import Moving, Taking
from embodiment_bridge.plans.routine import SkillCall, Stage
from embodiment_bridge.plans.world import Place, World

KINDS: Final = ("skill", "approach", "follow", "face", "turn", "turn_by", "gaze")
AXES: Final = {"x": 0, "y": 1, "z": 2, "roll": 0, "pitch": 1, "yaw": 2}
GAZE_DISTANCE: Final = 2.0  # m
GAZE_HEIGHT: Final = 0.5  # m
LONGEST_SLOT_S: Final = 600.0

Bound = Mapping[str, Parameter]


@dataclass(frozen=True, slots=True)
class StageEntry:
    """One stage of an action in a plan file.

    kind: one of ``KINDS``. subject: the skill, or the parameter of the action that gives the target. amount: m for
    ``approach`` and ``follow``, rad for ``turn_by`` and ``gaze``. taken: parameters of the skill and their sources: a
    parameter of the action, or a component such as ``target.x``. offered: the same, for a skill that has them. given:
    constant parameters of the skill. slot: the parameter of the action with the length of the skill or of
    ``follow``, s. speed: the parameter with the speed of ``approach``, m/s. height: where ``gaze`` looks, m.
    moves, takes: the parameter with the thing that the skill has to move, or to take into the hand. when: the stage is
    left out where this parameter was not given.
    """

    kind: str
    subject: str = ""
    amount: float = 0.0
    taken: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, float | str] = field(default_factory=dict)
    slot: str = ""
    offered: Mapping[str, str] = field(default_factory=dict)
    speed: str = ""
    height: float = GAZE_HEIGHT
    moves: str = ""
    takes: str = ""
    when: str = ""

    def needs(self) -> tuple[str, ...]:
        """The parameters of the action that the stage uses."""
        own = (self.subject,) if self.kind in ("approach", "follow", "face", "turn") else ()
        sources = (name.partition(".")[0] for name in (*self.taken.values(), *self.offered.values()))
        return (*own, *sources, *filter(None, (self.slot, self.speed, self.moves, self.takes, self.when)))


class _Once(Stage):
    """One skill."""

    def __init__(self, call: SkillCall) -> None:
        self._call: SkillCall | None = call

    @override
    def next(self, world: World) -> SkillCall | None:
        call, self._call = self._call, None
        return call


class _Gaze(Stage):
    """Look to the side, at an angle from the heading, at a height in m."""

    def __init__(self, angle: float, height: float) -> None:
        self._angle = angle
        self._height = height
        self._done = False

    @override
    def next(self, world: World) -> SkillCall | None:
        if self._done:
            return None
        if world.pose is None:
            raise CommandError(LOST)
        self._done = True
        heading = world.pose.yaw + self._angle
        x, y = world.pose.x + GAZE_DISTANCE * cos(heading), world.pose.y + GAZE_DISTANCE * sin(heading)
        return SkillCall("look_at", {"x": x, "y": y, "z": self._height})


def stage(entry: StageEntry, bound: Bound, gait: Gait, relative_turn: bool) -> Stage:
    """The stage for an action with the parameters ``bound``.

    Raises:
        CommandError: a parameter that it needs was not given.
    """
    if entry.kind == "approach":
        return Approach(gait, _target(bound, entry.subject), entry.amount, _speed(entry, bound))
    if entry.kind == "follow":
        target = _target(bound, entry.subject)
        if entry.slot in bound:
            return Follow(gait, target, entry.amount, _slot(entry, bound))
        return Approach(gait, target, entry.amount)
    if entry.kind == "face":
        return TurnTo(gait, heading_to(_target(bound, entry.subject)))
    if entry.kind == "turn":
        return _turn(_parameter(bound, entry.subject), gait, relative_turn)
    if entry.kind == "turn_by":
        return TurnBy(gait, entry.amount)
    if entry.kind == "gaze":
        return _Gaze(entry.amount, entry.height)
    offered = _values(entry.offered, bound)
    call = SkillCall(
        entry.subject, {**entry.given, **_values(entry.taken, bound)}, _slot(entry, bound), offered
    )
    if entry.moves:
        return Moving(call, _parameter(bound, entry.moves).value)
    if entry.takes:
        return Taking(call, _parameter(bound, entry.takes).value)
    return _Once(call)


def wanted(entry: StageEntry, bound: Bound) -> bool:
    """Whether the stage is not left out."""
    return not entry.when or entry.when in bound


def _turn(parameter: Parameter, gait: Gait, relative: bool) -> Stage:
    """Turn by a rotation (a heading or an angle, positive to the left) or by a number (degrees to the right)."""
    if parameter.rotation is None:
        return TurnBy(gait, -(parameter.number or 0.0) * RAD_PER_DEG)
    yaw = parameter.rotation[2]
    return TurnBy(gait, yaw) if relative else TurnTo(gait, _always(yaw))


def _always(yaw: float) -> Callable[[World, Place], float]:
    return lambda world, pose: yaw


def _target(bound: Bound, name: str) -> Target:
    parameter = _parameter(bound, name)
    place = parameter.vector
    return entity_place(parameter.value) if place is None else _fixed(place)


def _fixed(place: Vector) -> Target:
    return lambda world: place


def _parameter(bound: Bound, name: str) -> Parameter:
    if name not in bound:
        raise CommandError(f"parameter {name!r} was not given")
    return bound[name]


def _values(sources: Mapping[str, str], bound: Bound) -> dict[str, float | str]:
    values: dict[str, float | str] = {}
    for name, source in sources.items():
        parameter, _, axis = source.partition(".")
        if parameter in bound:
            values[name] = _value(bound[parameter], axis)
    return values


def _value(parameter: Parameter, axis: str) -> float | str:
    triple = parameter.vector or parameter.rotation
    if triple is not None and axis in AXES:
        return triple[AXES[axis]]
    if parameter.type in ("int", "float") and parameter.number is not None:
        return parameter.number
    return parameter.value


def _speed(entry: StageEntry, bound: Bound) -> float:
    number = bound[entry.speed].number if entry.speed in bound else None
    if number is not None and number <= 0.0:
        raise CommandError(f"parameter {entry.speed!r} is {number:g} m/s, not more than 0")
    return number or 0.0


def _slot(entry: StageEntry, bound: Bound) -> float:
    number = bound[entry.slot].number if entry.slot in bound else None
    return min(max(number or 0.0, 0.0), LONGEST_SLOT_S)
