# SPDX-License-Identifier: Apache-2.0
"""Stages that look what came of a skill: a kick has moved the thing, a grab has it in the hand."""

from abc import abstractmethod
from math import dist
from typing import Final

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.plans.routine import Move, SkillCall, Stage, Wait
from embodiment_bridge.plans.world import World

MOVED: Final = 0.1  # m; more than a thing at rest seems to move because the camera does
RAISED: Final = 0.05  # m, by a hand that cannot tell what it holds
WITHIN_S: Final = 2.0  # s after the skill in which the change has to be seen
EVERY_S: Final = 0.2  # s between two looks


class _Checked(Stage):
    """One skill that has to change where the entity ``identity`` is."""

    def __init__(self, call: SkillCall, identity: str) -> None:
        self._call = call
        self._identity = identity
        self._before: Vector | None = None
        self._until_s = 0.0

    @override
    def next(self, world: World) -> Move | None:
        place = world.place_of(self._identity)
        if self._before is None:
            self._before = place
            return self._call
        self._until_s = self._until_s or world.time_s + WITHIN_S
        if self._has_come_off(world, self._before, place):
            return None
        if world.time_s >= self._until_s:
            raise CommandError(self._failure())
        return Wait(EVERY_S)

    @abstractmethod
    def _has_come_off(self, world: World, before: Vector, now: Vector) -> bool: ...

    @abstractmethod
    def _failure(self) -> str: ...


class Moving(_Checked):
    """A skill that moves an entity, such as a kick."""

    @override
    def _has_come_off(self, world: World, before: Vector, now: Vector) -> bool:
        return dist(before, now) >= MOVED

    @override
    def _failure(self) -> str:
        return f"{self._identity!r} has not moved"


class Taking(_Checked):
    """A skill that takes an entity into the hand."""

    @override
    def _has_come_off(self, world: World, before: Vector, now: Vector) -> bool:
        return self._identity in world.owners or now[2] - before[2] >= RAISED

    @override
    def _failure(self) -> str:
        return f"{self._identity!r} is not in the hand"
