# SPDX-License-Identifier: Apache-2.0
"""Turns an action into skills, one at a time; each depends on the state of the world at that moment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.plans.world import World


@dataclass(frozen=True, slots=True)
class SkillCall:
    """One skill to begin: parameters by name (SI units) and its slot in s, 0 for its natural length.

    offered: parameters that are given only to a skill that has them, and numbers only as far as its range goes.
    most_s: s after which it is ended, and has done enough; 0: it is not.
    """

    skill: str
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    slot_s: float = 0.0
    offered: Mapping[str, float | str] = field(default_factory=dict)
    most_s: float = 0.0

    def parameters_for(self, info: SkillInfo) -> dict[str, float | str]:
        """All parameters for the skill ``info`` of a body."""
        ranges = {one.name: (one.minimum, one.maximum) for one in info.details}
        given = dict(self.parameters)
        for name, value in self.offered.items():
            if name not in info.parameters:
                continue
            lower, upper = ranges.get(name, (-inf, inf))
            given[name] = value if isinstance(value, str) else min(max(value, lower), upper)
        return given


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to begin for some seconds: look at the world again then."""

    seconds: float


Move = SkillCall | Wait


class Stage(Protocol):
    """One stage of an action."""

    def next(self, world: World) -> Move | None:
        """The next skill of this stage, or None when the stage is done.

        Raises:
            CommandError: the stage cannot be done; the text says why.
        """


class Routine:
    """One action that is being carried out. Ask for the next skill when the one before has succeeded.

    Args:
        name: of the action.
        stages: of the action.
        skills: those that it always needs.
        lasts_s: the action takes at least this long, s.
        again: makes the stages again, for an action that is repeated until ``lasts_s`` are over; None: it waits.
    """

    def __init__(
        self,
        name: str,
        stages: Sequence[Stage],
        skills: Sequence[str] = (),
        lasts_s: float = 0.0,
        again: Callable[[], Sequence[Stage]] | None = None,
    ) -> None:
        self.skills = tuple(skills)
        self._name = name
        self._stages = list(stages)
        self._lasts_s = lasts_s
        self._again = again
        self._begun_s: float | None = None

    def next(self, world: World) -> Move | None:
        """The next skill to begin, or None when the action is done.

        Raises:
            CommandError: the action cannot be done in this state of the world; the text says why.
        """
        if self._begun_s is None:
            self._begun_s = world.time_s
        move = self._next(world)
        left = self._lasts_s - (world.time_s - self._begun_s)
        if move is not None or left <= 0.0:
            return move
        if self._again is None:
            return Wait(left)
        self._stages = list(self._again())
        return self._next(world)

    def _next(self, world: World) -> Move | None:
        while self._stages:
            try:
                move = self._stages[0].next(world)
            except CommandError as error:
                raise CommandError(f"action {self._name!r}: {error}") from None
            if move is not None:
                return move
            del self._stages[0]
        return None
