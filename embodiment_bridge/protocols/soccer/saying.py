# SPDX-License-Identifier: Apache-2.0
"""The skill ``say`` of a soccer robot: a text on its way, in as many messages as the server needs."""

from collections import deque
from collections.abc import Iterable
from math import inf
from typing import Generic, TypeVar

from typing_extensions import override

from embodiment_bridge.body.description import Keyframe
from embodiment_bridge.motion.skills.native import Native

Command = TypeVar("Command")


class Saying(Native, Generic[Command]):
    """Done when the last message waits for the next frame, and the slot is over.

    Args:
        messages: commands, one per cycle.
        frame: what waits for the next frame; a message is put there when it is empty.
        slot: s; 0: as long as it takes.
    """

    def __init__(self, messages: Iterable[Command], frame: deque[Command], slot: float) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = inf
        self.failure = ""
        self.keyframes: tuple[Keyframe, ...] = ()
        self._messages = deque(messages)
        self._number = len(self._messages)
        self._frame = frame
        self._slot = slot
        self._elapsed = 0.0

    @override
    def step(self, dt: float) -> None:
        if self.done:
            return
        self._elapsed += dt
        if self._messages and not self._frame:
            self._frame.append(self._messages.popleft())
        said = 1.0 - len(self._messages) / self._number
        self.progress = min(said, self._elapsed / self._slot) if self._slot > 0.0 else said
        self.done = self.progress >= 1.0

    @override
    def stop(self) -> None:
        self._messages.clear()
        self.done = True
