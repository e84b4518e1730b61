# SPDX-License-Identifier: Apache-2.0
"""Stages of actions that move the body over the floor, as a loop: read the pose, turn or walk a bit, read it again."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import cos, hypot, inf, radians

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import Vector, wrap_angle
from embodiment_bridge.plans.routine import Move, SkillCall, Stage, Wait
from embodiment_bridge.plans.world import Place, World, bearing, distance

PATIENCE = 4  # moves in a row that do not bring the body nearer; one more gives up
NEARER = 0.02  # m that count as nearer
FOLLOW_EVERY_S = 0.5  # s between two looks at a thing that is near enough
LOST = "the place of the body is unknown (there is no pose)"

Target = Callable[[World], Vector]


@dataclass(frozen=True, slots=True)
class Gait:
    """The skills with which a body walks, and their limits: distances m, angles rad.

    least_angle, least_distance: smaller moves are left out. most_distance: limit of one skill, after which the pose is
    read again. aim: the heading error within which the body walks on without turning. walk, speed: the skill that
    walks at a given speed, and its parameter in m/s. height: limit of a target's height over the base.
    """

    left: str = "turn_left"
    right: str = "turn_right"
    angle: str = "angle"
    forward: str = "step_forward"
    distance: str = "distance"
    least_angle: float = 0.1
    least_distance: float = 0.03
    most_distance: float = 1.5
    aim: float = radians(12.0)
    near: float = 0.1
    walk: str = "walk"
    speed: str = "speed"
    height: float = 2.0

    def ahead(self, distance: float, speed: float) -> SkillCall:
        """The skill that walks straight on for some m, at ``speed`` m/s as far as it can; 0: as usual."""
        if not speed:
            return SkillCall(self.forward, {self.distance: distance})
        return SkillCall(self.walk, {self.distance: distance}, offered={self.speed: speed})

    def turn(self, angle: float) -> SkillCall | None:
        """The skill that turns by an angle, or None if the angle is below ``least_angle``."""
        if abs(angle) < self.least_angle:
            return None
        return SkillCall(self.left if angle > 0.0 else self.right, {self.angle: abs(angle)})


class TurnBy(Stage):
    """Turn once, by an angle in rad, positive to the left."""

    def __init__(self, gait: Gait, angle: float) -> None:
        self._call = gait.turn(angle)

    @override
    def next(self, world: World) -> SkillCall | None:
        call, self._call = self._call, None
        return call


class TurnTo(Stage):
    """Turn to a heading in ``map`` and check it afterwards."""

    def __init__(self, gait: Gait, heading: Callable[[World, Place], float]) -> None:
        self._gait = gait
        self._heading = heading
        self._left = PATIENCE

    @override
    def next(self, world: World) -> SkillCall | None:
        pose = _pose(world)
        call = self._gait.turn(wrap_angle(self._heading(world, pose) - pose.yaw))
        if call is not None:
            self._left -= 1
            if self._left < 0:
                raise CommandError("the body does not turn where it should")
        return call


class Approach(Stage):
    """Walk until the body is ``within`` m of a target; 0 means as near as the gait allows.

    speed: m/s; 0 is the usual speed of the body.
    """

    def __init__(self, gait: Gait, target: Target, within: float, speed: float = 0.0) -> None:
        self._gait = gait
        self._speed = speed
        self._target = target
        self._within = max(within, gait.near)
        self._best = inf
        self._left = PATIENCE

    @override
    def next(self, world: World) -> SkillCall | None:
        pose, target = _pose(world), self._target(world)
        if abs(target[2] - pose.z) > self._gait.height:
            where = "above" if target[2] > pose.z else "below"
            raise CommandError(f"the target is {abs(target[2] - pose.z):.1f} m {where} the body, which walks")
        away = distance(pose, target)
        if away <= self._within:
            return None
        self._watch(away)
        off = bearing(pose, target)
        turn = self._gait.turn(off) if abs(off) > self._gait.aim else None
        if turn is not None:
            return turn
        step = min((away - 0.8 * self._within) * cos(off), self._gait.most_distance)
        if step < self._gait.least_distance:
            if away > self._within + self._gait.least_distance:
                raise CommandError(f"the body gets no nearer than {away:.2f} m: its turns are too coarse")
            return None
        return self._gait.ahead(step, self._speed)

    def _watch(self, away: float) -> None:
        """Give up after ``PATIENCE`` moves that did not bring the body nearer."""
        if away < self._best - NEARER:
            self._best, self._left = away, PATIENCE
        self._left -= 1
        if self._left < 0:
            raise CommandError(f"the body does not get nearer than {self._best:.2f} m")


class Follow(Stage):
    """Stay within ``within`` m of a target for ``lasts_s`` s, wherever it goes."""

    def __init__(self, gait: Gait, target: Target, within: float, lasts_s: float) -> None:
        self._make = partial(Approach, gait, target, within)
        self._approach = self._make()
        self._lasts_s = lasts_s
        self._begun_s: float | None = None

    @override
    def next(self, world: World) -> Move | None:
        if self._begun_s is None:
            self._begun_s = world.time_s
        left = self._lasts_s - (world.time_s - self._begun_s)
        if left <= 0.0:
            return None
        move = self._approach.next(world)
        if move is not None:
            return move
        self._approach = self._make()
        return Wait(min(left, FOLLOW_EVERY_S))


def heading_to(target: Target) -> Callable[[World, Place], float]:
    """The heading at which a target is straight ahead; the present heading if the body is at the target."""

    def heading(world: World, pose: Place) -> float:
        place = target(world)
        if hypot(place[0] - pose.x, place[1] - pose.y) < 1e-3:
            return pose.yaw
        return pose.yaw + bearing(pose, place)

    return heading


def entity_place(identity: str) -> Target:
    """The present place of an entity."""

    def place(world: World) -> Vector:
        if identity not in world.entities:
            raise CommandError(unknown("entity", identity, world.entities))
        return world.entities[identity]

    return place


def _pose(world: World) -> Place:
    if world.pose is None:
        raise CommandError(LOST)
    return world.pose
