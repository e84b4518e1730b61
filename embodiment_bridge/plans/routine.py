# SPDX-License-Identifier: Apache-2.0
"""Turns an action into skills, one at a time; each depends on the state of the world at that moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.plans.world import World


@dataclass(frozen=True, slots=True)
class SkillCall:
    """One skill to begin: parameters by name (SI units) and its slot in s, 0 for its natural length."""

    skill: str
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    slot_s: float = 0.0


class Stage(Protocol):
    """One stage of an action."""

    def next(self, world: World) -> SkillCall | None:
        """The next skill of this stage, or None when the stage is done.

        Raises:
            CommandError: the stage cannot be done; the text says why.
        """


class Routine:
    """One action that is being carried out. Ask for the next skill when the one before has succeeded.

    skills: those that it always needs.
    """

    def __init__(self, name: str, stages: Sequence[Stage], skills: Sequence[str] = ()) -> None:
        self.skills = tuple(skills)
        self._name = name
        self._stages = list(stages)

    def next(self, world: World) -> SkillCall | None:
        """The next skill to begin, or None when the action is done.

        Raises:
            CommandError: the action cannot be done in this state of the world; the text says why.
        """
        while self._stages:
            try:
                call = self._stages[0].next(world)
            except CommandError as error:
                raise CommandError(f"action {self._name!r}: {error}") from None
            if call is not None:
                return call
            del self._stages[0]
        return None
