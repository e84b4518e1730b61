# SPDX-License-Identifier: Apache-2.0
"""The player as the ``MediaPort`` of one run: ``hold`` freezes only what this run plays."""

from typing_extensions import override

from embodiment_bridge.behaviour.engine.ports import MediaPort, SoundReport, SoundRequest, SoundStatus
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


class RunMedia(MediaPort):
    """Plays the sounds of one run."""

    def __init__(self, player: Player, run_id: str) -> None:
        self._player, self._run_id = player, run_id

    @property
    @override
    def speaks(self) -> bool:
        return self._player.speaks

    @override
    def start(self, request: SoundRequest) -> None:
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

    @override
    def report(self, request_id: str) -> SoundReport:
        status = self._player.status_of(request_id)
        return SoundReport(
            request_id,
            STATUS[status.status],
            status.held,
            status.reason,
            status.words,
            status.left,
        )

    @override
    def cancel(self, request_id: str) -> None:
        self._player.cancel(request_id)

    @override
    def command(self, action: str, volume: float | None, channel: str = "") -> str:
        return self._player.command(action, volume, channel)

    @override
    def hold(self, on: bool) -> None:
        self._player.hold(self._run_id, on)
