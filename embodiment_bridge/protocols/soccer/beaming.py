# SPDX-License-Identifier: Apache-2.0
"""The skill ``beam`` of a soccer robot: asks the server once to place it, and waits until it stands there."""

from collections.abc import Callable
from math import inf

from typing_extensions import override

from embodiment_bridge.body.description import Keyframe
from embodiment_bridge.motion.skills.native import Placing

LANDED_S = 0.5  # s from the command until the robot has come down on its feet


class Beaming(Placing):
    """Done ``LANDED_S`` s after its first step, in which ``send()`` puts the command into the next frame.

    Servers do not tell whether they obey.
    """

    def __init__(self, send: Callable[[], None]) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = inf
        self.failure = ""
        self.keyframes: tuple[Keyframe, ...] = ()
        self._send = send
        self._elapsed = 0.0

    @override
    def step(self, dt: float) -> None:
        if not self._elapsed:
            self._send()
        self._elapsed += max(dt, 1e-6)
        self.progress = min(self._elapsed / LANDED_S, 1.0)
        self.done = self.done or self._elapsed >= LANDED_S

    @override
    def stop(self) -> None:
        self.done = True
