# SPDX-License-Identifier: Apache-2.0
"""A leaf that is heard."""

import math
from dataclasses import replace

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.ports import SoundReport, SoundRequest, SoundStatus
from embodiment_bridge.behaviour.nodes.leaves import Leaf


class Sound(Leaf):
    """Plays a medium or speaks a text, to the end. Stopped or replaced on purpose is a success."""

    def __init__(self, name: str, wanted: SoundRequest) -> None:
        super().__init__(name)
        self.wanted = wanted  # its id is given anew for each execution

    def reset(self) -> None:
        """Nothing reported yet."""
        self._id = ""
        self._report: SoundReport | None = None
        self.words = -1  # of its text that have begun; -1 before anything is heard

    def start(self) -> None:
        """Ask the player for it."""
        self._id = self.context.new_id()
        if self.origin.name:
            self.context.sounds[self.origin.name] = self
        self.context.ports.media.start(replace(self.wanted, id=self._id))

    def poll(self) -> None:
        """End with the sound; its end is seen, not scheduled."""
        report = self.look()
        now = max(self.context.clock.seconds, self.t_start)
        if report.status is SoundStatus.FAILED:
            self.finish(Status.FAILURE, now, report.reason or "cannot be played")
        elif report.status.ended:
            if report.status is SoundStatus.REPLACED:
                text = report.reason or "a newer sound took the channel"
                self.context.journal.warn(now, self.origin, "REPLACED", text)
            message = "" if report.status is SoundStatus.ENDED else report.status.value
            self.finish(Status.SUCCESS, now, message)

    def left_s(self) -> float:
        left = None if self._report is None else self._report.left
        return math.inf if left is None else left

    def look(self) -> SoundReport:
        """The newest report; the port is not asked again after the end."""
        if self._report is None or not self._report.status.ended:
            self._report = self.context.ports.media.report(self._id)
            if self._report.words > self.words:
                self.words = self._report.words
        return self._report

    def cancel(self) -> None:
        """Fade out."""
        if self._report is None or not self._report.status.ended:
            self.context.ports.media.cancel(self._id)

    def port_released(self) -> bool:
        """Whether it is silent."""
        return self.look().status.ended

    def port_held(self) -> bool | None:
        """Whether it is frozen; None when it is over."""
        report = self.look()
        return None if report.status.ended else report.held
