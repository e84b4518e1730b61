# SPDX-License-Identifier: Apache-2.0
"""Skills that a body does by itself and not with joint targets: grab, kick, say, or a command of its protocol."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from math import inf
from typing import TypeAlias

from embodiment_bridge.body.description import Keyframe, Skill


class Native(ABC):
    """Represents a native skill that runs.

    done: it has ended; progress: 0..1; patience: s after which it has failed if it is not done;
    failure: why it cannot be done, empty if it can; keyframes: the motion of the joints of its channels meanwhile.
    """

    def __init__(self, keyframes: tuple[Keyframe, ...] = ()) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = inf
        self.failure = ""
        self.keyframes = keyframes

    @abstractmethod
    def step(self, dt: float) -> None:
        """Let ``dt`` s pass; first called when its channels have come to rest after the skill before."""

    def stop(self) -> None:
        """End early, here at once; ``done`` is set when it has ended. May be called again, also when it is done."""
        self.done = True


class Placing(Native):
    """Represents a native skill that has the body put elsewhere, upright: it serves a fallen body, too."""


class Judging(Native):
    """Represents a native skill that learns its result from the body itself."""


Start: TypeAlias = Callable[[Skill, Mapping[str, float | str], float], Native]
"""Starts a skill: its description, its parameters (checked, with defaults), the slot in s (0: its natural length).

It may raise CommandError with the reason; then nothing happens.
"""
