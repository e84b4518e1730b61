# SPDX-License-Identifier: Apache-2.0
"""The player as the ``MediaPort`` of one run: its hold freezes what this run plays, and nothing else."""

from embodiment_bridge.behaviour.engine.ports import SoundReport, SoundRequest, SoundStatus
from embodiment_bridge.media import cue as say
from embodiment_bridge.media.cue import Cue
from embodiment_bridge.media.player import Player

STATUS = {
    say.LOADING: SoundStatus.RUNNING,
    say.PLAYING: SoundStatus.RUNNING,
    say.ENDED: SoundStatus.ENDED,
    say.STOPPED: SoundStatus.STOPPED,
    say.REPLACED: SoundStatus.REPLACED,
    say.FAILED: SoundStatus.FAILED,
}


class RunMedia:
    """A ``MediaPort``."""

    def __init__(self, player: Player, run_id: str) -> None:
        self._player, self._run_id = player, run_id

    @property
    def speaks(self) -> bool:
        """See ``MediaPort``."""
        return self._player.speaks

    def start(self, request: SoundRequest) -> None:
        """See ``MediaPort``."""
        cue = Cue(
            request.id,
            self._run_id,
            request.channel or say.MAIN,
            url=request.url,
            text=request.content,
            voice=request.voice,
            language=request.language,
            rate=1.0 if request.rate is None else request.rate,
            volume=request.volume,
            fade=request.fade,
            marks_url=request.marks_url,
        )
        self._player.start(cue)

    def report(self, request_id: str) -> SoundReport:
        """See ``MediaPort``."""
        status = self._player.status_of(request_id)
        return SoundReport(
            request_id,
            STATUS[status.status],
            status.held,
            status.reason,
            status.words,
            status.left,
        )

    def cancel(self, request_id: str) -> None:
        """See ``MediaPort``."""
        self._player.cancel(request_id)

    def command(self, action: str, volume: float | None, channel: str = "") -> str:
        """See ``MediaPort``."""
        return self._player.command(action, volume, channel)

    def hold(self, on: bool) -> None:
        """See ``MediaPort``."""
        self._player.hold(self._run_id, on)
