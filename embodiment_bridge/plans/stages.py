# SPDX-License-Identifier: Apache-2.0
"""Stages of actions as a plan file names them: ``{approach: target, within: 0.4}``, ``{skill: grab}`` and so on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import atan2, cos, hypot, sin
from typing import Final

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.rotation import RAD_PER_DEG, Vector, wrap_angle
from embodiment_bridge.plans.action import Parameter
from embodiment_bridge.plans.outcome import Moving, Taking
from embodiment_bridge.plans.routine import Move, SkillCall, Stage, Wait
from embodiment_bridge.plans.world import World

KINDS: Final = ("skill", "approach", "follow", "face", "turn", "turn_by", "gaze")
AXES: Final = {"x": 0, "y": 1, "z": 2, "roll": 0, "pitch": 1, "yaw": 2}
GAZE_DISTANCE: Final = 2.0  # m
GAZE_HEIGHT: Final = 0.5  # m
LONGEST_SLOT_S: Final = 600.0
GO_TO: Final = "go_to"  # the skill that walks to a place or a thing
SURELY: Final = (
    0.8  # share of ``within`` at which the body is to stand, as it comes to stand a little beside it
)
FOLLOW_EVERY_S: Final = 0.5  # s that a body that follows waits at the thing
THERE: Final = 0.1  # m from a place; who is so near does not walk

Bound = Mapping[str, Parameter]
Make = Callable[[World], SkillCall | None]


@dataclass(frozen=True, slots=True)
class Gait:
    """How the body turns by an angle, and to which height it walks.

    left, right, angle: the skills that turn, and their parameter in rad. least_angle: smaller turns are left out, rad.
    height: a target so far above or below the base cannot be walked to, m.
    """

    left: str = "turn_left"
    right: str = "turn_right"
    angle: str = "angle"
    least_angle: float = 0.1
    height: float = 2.0

    def turn(self, angle: float) -> SkillCall | None:
        """The skill that turns by an angle in rad, positive to the left; None if it is below ``least_angle``."""
        if abs(angle) < self.least_angle:
            return None
        return SkillCall(self.left if angle > 0.0 else self.right, {self.angle: abs(angle)})


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

    @property
    def skill(self) -> str:
        """The skill that the stage always uses, or an empty text."""
        if self.kind == "skill":
            return self.subject
        return GO_TO if self.kind in ("approach", "follow") else ""

    def needs(self) -> tuple[str, ...]:
        """The parameters of the action that the stage uses."""
        own = (self.subject,) if self.kind in ("approach", "follow", "face", "turn") else ()
        sources = (name.partition(".")[0] for name in (*self.taken.values(), *self.offered.values()))
        return (*own, *sources, *filter(None, (self.slot, self.speed, self.moves, self.takes, self.when)))


class _Once(Stage):
    """One skill or none, as the world is when the turn of the stage has come."""

    def __init__(self, make: Make) -> None:
        self._make: Make | None = make

    @override
    def next(self, world: World) -> SkillCall | None:
        make, self._make = self._make, None
        return None if make is None else make(world)


class _Follow(Stage):
    """Go to a thing for ``lasts_s`` s, again whenever it has gone on."""

    def __init__(self, make: Make, lasts_s: float) -> None:
        self._make = make
        self._lasts_s = lasts_s
        self._until_s: float | None = None
        self._went = False

    @override
    def next(self, world: World) -> Move | None:
        if self._until_s is None:
            self._until_s = world.time_s + self._lasts_s
        left = self._until_s - world.time_s
        if left <= 0.0:
            return None
        self._went = not self._went
        call = self._make(world) if self._went else None
        return Wait(min(left, FOLLOW_EVERY_S)) if call is None else replace(call, most_s=left)


def stage(entry: StageEntry, bound: Bound, gait: Gait, relative_turn: bool) -> Stage:
    """The stage for an action with the parameters ``bound``.

    Raises:
        CommandError: a parameter that it needs was not given.
    """
    if entry.kind == "follow":
        approach = _approach(entry, bound, gait)
        return _Follow(approach, _slot(entry, bound)) if entry.slot in bound else _Once(approach)
    if entry.kind != "skill":
        return _Once(_maker(entry, bound, gait, relative_turn))
    offered = _values(entry.offered, bound)
    call = SkillCall(
        entry.subject, {**entry.given, **_values(entry.taken, bound)}, _slot(entry, bound), offered
    )
    if entry.moves:
        return Moving(call, _parameter(bound, entry.moves).value)
    if entry.takes:
        return Taking(call, _parameter(bound, entry.takes).value)
    return _Once(lambda world: call)


def wanted(entry: StageEntry, bound: Bound) -> bool:
    """Whether the stage is not left out."""
    return not entry.when or entry.when in bound


def _maker(entry: StageEntry, bound: Bound, gait: Gait, relative_turn: bool) -> Make:
    if entry.kind == "approach":
        return _approach(entry, bound, gait)
    if entry.kind == "face":
        return _face(_parameter(bound, entry.subject), gait)
    if entry.kind == "turn":
        return _turn(_parameter(bound, entry.subject), gait, relative_turn)
    if entry.kind == "turn_by":
        return lambda world: gait.turn(entry.amount)
    return lambda world: _gaze(world, entry.amount, entry.height)


def _approach(entry: StageEntry, bound: Bound, gait: Gait) -> Make:
    """Walk until the body is within ``amount`` m of the target; 0: as near as the skill usually goes."""
    parameter, within = _parameter(bound, entry.subject), entry.amount
    speed = _speed(entry, bound)
    offered: dict[str, float | str] = {"speed": speed} if speed else {}

    def make(world: World) -> SkillCall | None:
        target = _target(parameter, world)
        _check_height(world, target, gait)
        if parameter.vector is None:
            near = max(SURELY * within - world.reaches.get(parameter.value, 0.0), 0.0)
            kept = {"distance": near, **offered} if within else offered
            return SkillCall(GO_TO, {"thing": parameter.value}, offered=kept)
        way = target[0] - world.here.x, target[1] - world.here.y
        away = hypot(*way)
        if away <= max(within, THERE):
            return None
        share = 1.0 - SURELY * within / away
        place = {"x": world.here.x + share * way[0], "y": world.here.y + share * way[1]}
        return SkillCall(GO_TO, place, offered=offered)

    return make


def _check_height(world: World, target: Vector, gait: Gait) -> None:
    if world.pose is not None and abs(target[2] - world.pose.z) > gait.height:
        where = "above" if target[2] > world.pose.z else "below"
        raise CommandError(
            f"the target is {abs(target[2] - world.pose.z):.1f} m {where} the body, which walks"
        )


def _face(parameter: Parameter, gait: Gait) -> Make:
    def make(world: World) -> SkillCall | None:
        (x, y, _), here = _target(parameter, world), world.here
        way = x - here.x, y - here.y
        return gait.turn(wrap_angle(atan2(way[1], way[0]) - here.yaw)) if hypot(*way) > 1e-3 else None

    return make


def _turn(parameter: Parameter, gait: Gait, relative: bool) -> Make:
    """Turn by a rotation (a heading or an angle, positive to the left) or by a number (degrees to the right)."""
    if parameter.rotation is None:
        angle = -(parameter.number or 0.0) * RAD_PER_DEG
        return lambda world: gait.turn(angle)
    yaw = parameter.rotation[2]
    if relative:
        return lambda world: gait.turn(yaw)
    return lambda world: gait.turn(wrap_angle(yaw - world.here.yaw))


def _gaze(world: World, angle: float, height: float) -> SkillCall:
    """Look to the side, at an angle from the heading, at a height in m."""
    heading = world.here.yaw + angle
    x, y = world.here.x + GAZE_DISTANCE * cos(heading), world.here.y + GAZE_DISTANCE * sin(heading)
    return SkillCall("look_at", {"x": x, "y": y, "z": height})


def _target(parameter: Parameter, world: World) -> Vector:
    """The place of the parameter, or where the thing is now."""
    return world.place_of(parameter.value) if parameter.vector is None else parameter.vector


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
