# SPDX-License-Identifier: Apache-2.0
"""Skills that a body does by itself, beside what its joints do: grab, kick, say, or a command of its protocol."""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from embodiment_bridge.body.description import Keyframe, Skill


class Native(Protocol):
    """One native skill on its way.

    done: nothing more happens; progress: 0..1; patience: s after which one that is not done has failed;
    failure: why it cannot be done, empty while it may; keyframes: what joints of its channels do meanwhile.
    """

    done: bool
    progress: float
    patience: float
    failure: str
    keyframes: tuple[Keyframe, ...]

    def step(self, dt: float) -> None:
        """Let ``dt`` s pass; first called when its channels are at rest from what came before."""

    def stop(self) -> None:
        """End early: ``done`` once nothing more happens. May be called again, and when it is done."""


Start: TypeAlias = Callable[[Skill, Mapping[str, float | str], float], Native]
"""Begins a skill: its description, its parameters (checked, with defaults), the slot in s (0: its natural length).

May raise CommandError: then nothing happens, and the text says why.
"""
