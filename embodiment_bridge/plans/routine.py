# SPDX-License-Identifier: Apache-2.0
"""The way from an action to skills: step by step, looking at the world before each skill."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.plans.world import World


@dataclass(frozen=True, slots=True)
class SkillCall:
    """One skill to begin: parameters by name (SI), and the time that it shall fill in s, 0 for its own."""

    skill: str
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    slot_s: float = 0.0


class Stage(Protocol):
    """One part of an action."""

    def next(self, world: World) -> SkillCall | None:
        """The next skill of this part, or None when it is done.

        Raises:
            CommandError: it cannot be done; the text says why.
        """


class Routine:
    """One action under way. Ask for the next skill when the one before has succeeded.

    skills: those that it needs in any case.
    """

    def __init__(self, name: str, stages: Sequence[Stage], skills: Sequence[str] = ()) -> None:
        self.skills = tuple(skills)
        self._name = name
        self._stages = list(stages)

    def next(self, world: World) -> SkillCall | None:
        """The next skill to begin, or None when the action is done.

        Raises:
            CommandError: the action cannot be done as the world is; the text says why.
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
