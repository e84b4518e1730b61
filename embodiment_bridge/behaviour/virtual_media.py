# SPDX-License-Identifier: Apache-2.0
"""A player and a fetcher on a virtual clock, with lengths and replies from tables: for dry runs and tests."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from embodiment_bridge.behaviour.clock import TIE_S
from embodiment_bridge.behaviour.ports import (
    FetchReport,
    FetchStatus,
    SoundReport,
    SoundRequest,
    SoundStatus,
)
from embodiment_bridge.errors import CommandError, ConfigError, unknown

COMMANDS = ("pause", "resume", "stop", "setVolume")
FETCH_S = 0.2  # how long a virtual fetch takes


@dataclass(slots=True)
class _Track:
    """A sound: when it ends unless it is made to stand."""

    t_end: float
    status: SoundStatus = SoundStatus.RUNNING
    reason: str = ""


class VirtualMedia:
    """A ``MediaPort`` of one channel.

    ``lengths`` are those of media in s, by URL; every spoken text takes ``speech_s`` (None: it has no voice).

    Raises:
        ConfigError: a length is not a finite number, 0 or more.
    """

    def __init__(self, lengths: Mapping[str, float], speech_s: float | None = None) -> None:
        for what, seconds in (*lengths.items(), ("speech", speech_s or 0.0)):
            if not (math.isfinite(seconds) and seconds >= 0):
                raise ConfigError(
                    f"the length of {what} is {seconds!r} s; it must be a finite number, 0 or more"
                )
        self.volume = 100.0
        self._lengths = lengths
        self._speech_s = speech_s
        self._tracks: dict[str, _Track] = {}
        self._playing: _Track | None = None
        self._paused = self._held = False
        self._stands_since: float | None = None
        self._now = 0.0

    @property
    def speaks(self) -> bool:
        """See ``MediaPort``."""
        return self._speech_s is not None

    def advance_to(self, now: float) -> None:
        """The virtual time is ``now``."""
        self._now = now
        if self.next_time() <= now + TIE_S:
            self._end(SoundStatus.ENDED)

    def next_time(self) -> float:
        """When what plays ends; inf when nothing plays."""
        return math.inf if self._playing is None or self._stands_since is not None else self._playing.t_end

    def start(self, request: SoundRequest) -> None:
        """See ``MediaPort``."""
        length = self._lengths.get(request.url) if request.url else self._speech_s
        if length is None:
            reason = f"MEDIA_LENGTH_UNKNOWN: say how long {request.url} is with --media URL=SECONDS"
            self._tracks[request.id] = _Track(self._now, SoundStatus.FAILED, reason)
            return
        self._end(SoundStatus.REPLACED, "a newer sound took the channel")
        self._playing = self._tracks[request.id] = _Track(self._now + length)
        if request.volume is not None:
            self.volume = request.volume
        self.advance_to(self._now)

    def report(self, request_id: str) -> SoundReport:
        """See ``MediaPort``."""
        track = self._tracks.get(request_id)
        if track is None:
            return SoundReport(request_id, SoundStatus.FAILED, reason="there is no such request")
        if track.status.ended:
            del self._tracks[request_id]
        return SoundReport(request_id, track.status, held=self._held, reason=track.reason)

    def cancel(self, request_id: str) -> None:
        """See ``MediaPort``; silent at once."""
        if self._playing is not None and self._tracks.get(request_id) is self._playing:
            self._end(SoundStatus.STOPPED)

    def command(self, action: str, volume: float | None) -> str:
        """See ``MediaPort``."""
        if action not in COMMANDS:
            raise CommandError(unknown("player action", action, COMMANDS))
        if action == "setVolume":
            if volume is None or not 0 <= volume <= 100:
                raise CommandError(f"a volume is 0 to 100 percent, not {volume}")
            self.volume = volume
            return ""
        if self._playing is None:
            return "nothing plays"
        if action == "stop":
            self._end(SoundStatus.STOPPED)
        else:
            self._stand(paused=action == "pause", held=self._held)
        return ""

    def hold(self, on: bool) -> None:
        """See ``MediaPort``; at once."""
        self._stand(paused=self._paused, held=on)

    def _stand(self, *, paused: bool, held: bool) -> None:
        """Play or stand still; the end moves on by as long as it stood."""
        self._paused, self._held = paused, held
        if (paused or held) and self._stands_since is None:
            self._stands_since = self._now
        elif not (paused or held) and self._stands_since is not None:
            if self._playing is not None:
                self._playing.t_end += self._now - self._stands_since
            self._stands_since = None

    def _end(self, status: SoundStatus, reason: str = "") -> None:
        if self._playing is not None:
            self._playing.status = status
            self._playing.reason = reason
            self._playing = None
            self._stand(paused=False, held=self._held)


class VirtualRequests:
    """A ``RequestPort``: ``replies`` by URL, each after ``FETCH_S``; other URLs fail after the same time."""

    def __init__(self, replies: Mapping[str, str]) -> None:
        self._replies = replies
        self._fetches: dict[str, tuple[float, str]] = {}
        self._canceled: set[str] = set()
        self._now = 0.0

    def advance_to(self, now: float) -> None:
        """The virtual time is ``now``."""
        self._now = now

    def next_time(self) -> float:
        """When the next reply comes."""
        return min((due for due, _ in self._fetches.values()), default=math.inf)

    def start(self, request_id: str, url: str) -> None:
        """See ``RequestPort``."""
        self._fetches[request_id] = (self._now + FETCH_S, url)

    def report(self, request_id: str) -> FetchReport:
        """See ``RequestPort``."""
        if request_id in self._canceled:
            self._canceled.discard(request_id)
            return FetchReport(request_id, FetchStatus.CANCELED)
        due, url = self._fetches[request_id]
        if self._now < due - TIE_S:
            return FetchReport(request_id, FetchStatus.RUNNING)
        del self._fetches[request_id]
        if url in self._replies:
            return FetchReport(request_id, FetchStatus.DONE, text=self._replies[url])
        reason = f"NO_REPLY: give one for {url} with --reply URL=FILE"
        return FetchReport(request_id, FetchStatus.FAILED, reason=reason)

    def cancel(self, request_id: str) -> None:
        """See ``RequestPort``."""
        if self._fetches.pop(request_id, None) is not None:
            self._canceled.add(request_id)
