# SPDX-License-Identifier: Apache-2.0
"""The sounds of a run, for nodes that wait for a word of one."""

from embodiment_bridge.behaviour.engine.ports import MediaPort, SoundReport, SoundRequest


class Playing:
    """A sound that began at run time ``t_start`` (s). ``over``: its node has ended; it is not to be looked at."""

    def __init__(self, media: MediaPort, request: SoundRequest, t_start: float) -> None:
        self.request = request
        self.t_start = t_start
        self.over = False
        self.words = -1  # of its text that have begun; -1 before anything is heard
        self._media = media
        self._report: SoundReport | None = None

    @property
    def ended(self) -> bool:
        """Whether the last look showed its end."""
        return self._report is not None and self._report.status.ended

    @property
    def left(self) -> float | None:
        """In how many s it ends; None while that is not known."""
        return None if self._report is None else self._report.left

    def look(self) -> SoundReport:
        """The newest report; the player is not asked again after the end."""
        if self._report is None or not self._report.status.ended:
            self._report = self._media.report(self.request.id)
            self.words = max(self.words, self._report.words)
        return self._report
