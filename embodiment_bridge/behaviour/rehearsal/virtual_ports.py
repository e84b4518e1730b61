# SPDX-License-Identifier: Apache-2.0
"""Ports on a virtual clock for dry runs and tests.

Skills of given durations, a player, and a fetcher with replies from tables.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from typing_extensions import override

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.ports import (
    FetchReport,
    FetchStatus,
    MediaPort,
    Read,
    RequestPort,
    SkillPort,
    SoundReport,
    SoundRequest,
    SoundStatus,
)
from embodiment_bridge.bml.base.texts import words_of
from embodiment_bridge.body.state import SkillInfo, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError, ConfigError, unknown


@dataclass(slots=True)
class _Motion:
    """Represents a skill under way: until when, and on which channels."""

    info: SkillInfo
    t_end: float
    status: SkillStatus
    reason: str = ""
    t_start: float = 0.0


class VirtualSkills(SkillPort):
    """Implements a ``SkillPort``. ``skills`` by lower-case name; ``advance_to`` sets the time in s.

    A skill takes its slot, but not less than its ``min_s``; without a slot its ``nominal_s``. One that the
    body lacks is skipped after its slot. A new skill replaces those whose channels it needs.
    """

    def __init__(self, skills: Mapping[str, SkillInfo]) -> None:
        self._skills = skills
        self._motions: dict[str, _Motion] = {}
        self._now = 0.0
        self._held_since: float | None = None

    def advance_to(self, now: float) -> None:
        """Set the virtual time to ``now``, s."""
        self._now = now

    def next_time(self) -> float:
        """Return the time (s) at which the next skill ends; inf while none is under way or all are held."""
        if self._held_since is not None:
            return math.inf
        return min((motion.t_end for motion in self._running()), default=math.inf)

    @override
    def start(self, request: SkillRequest) -> None:
        info = self._skills.get(request.name)
        if info is None:
            lacking = SkillInfo(request.name, "native", (), 0.0, 0.0)
            reason = f"this body has no skill {request.name!r}"
            self._motions[request.id] = _Motion(lacking, self._now, SkillStatus.FAILED, reason)
            return
        length = request.slot_s or info.nominal_s
        if info.available:
            length = max(length, info.min_s)
            self._replace(info)
        self._motions[request.id] = _Motion(info, self._now + length, SkillStatus.RUNNING, t_start=self._now)

    @override
    def report(self, request_id: str) -> SkillReport:
        motion = self._motions.get(request_id)
        if motion is None:
            return SkillReport(request_id, SkillStatus.FAILED, reason="there is no such request")
        if (
            self._held_since is None
            and motion.status is SkillStatus.RUNNING
            and self._now >= motion.t_end - TIE_S
        ):
            motion.status = SkillStatus.SUCCEEDED if motion.info.available else SkillStatus.SKIPPED
        if motion.status.ended:
            del self._motions[request_id]
        return SkillReport(request_id, motion.status, held=self._held_since is not None, reason=motion.reason)

    def cancel(self, request_id: str) -> None:
        """Bring it to rest, which takes no time here."""
        motion = self._motions.get(request_id)
        if motion is not None and motion.status is SkillStatus.RUNNING:
            motion.status = SkillStatus.CANCELED

    def hold(self, on: bool) -> None:
        """Freeze or go on, which takes no time here."""
        if on and self._held_since is None:
            self._held_since = self._now
        elif not on and self._held_since is not None:
            for motion in self._running():
                motion.t_end += self._now - max(self._held_since, motion.t_start)
            self._held_since = None

    def _running(self) -> list[_Motion]:
        return [motion for motion in self._motions.values() if motion.status is SkillStatus.RUNNING]

    def _replace(self, claim: SkillInfo) -> None:
        for motion in self._running():
            shared = set(claim.channels) & set(motion.info.channels) if motion.info.available else set()
            if shared:
                motion.status = SkillStatus.REPLACED
                motion.reason = f"{claim.name} took {', '.join(sorted(shared))} from {motion.info.name}"


SpeechLength = Callable[[str, float], float]  # length in s of a text at a rate

COMMANDS = ("pause", "resume", "stop", "setVolume")
FETCH_S = 0.2  # s; a virtual fetch takes so long


@dataclass(slots=True)
class _Track:
    """Represents a sound with the time at which it ends unless paused.

    ``words`` are spread evenly over its ``length``.
    """

    t_end: float
    status: SoundStatus = SoundStatus.RUNNING
    reason: str = ""
    length: float = 0.0
    words: int = 0

    def words_begun(self, now: float) -> int:
        """Return the number of its words that have begun."""
        if self.words == 0 or self.length == 0.0:
            return self.words
        return min(self.words, 1 + int((now - self.t_end + self.length + TIE_S) * self.words / self.length))

    def next_word(self, now: float) -> float:
        """Return the time (s) at which the next word begins."""
        begun = self.words_begun(now)
        return math.inf if begun >= self.words else self.t_end - self.length * (1 - begun / self.words)


@dataclass(slots=True)
class _Channel:
    """Represents one channel with the sound that plays on it."""

    playing: _Track | None = None
    paused: bool = False
    volume: float = 100.0
    stands_since: float | None = None

    def stand(self, now: float, *, paused: bool, held: bool) -> None:
        """Play or stand still; the end moves on by as long as it stood."""
        self.paused = paused
        if (paused or held) and self.stands_since is None:
            self.stands_since = now
        elif not (paused or held) and self.stands_since is not None:
            if self.playing is not None:
                self.playing.t_end += now - self.stands_since
            self.stands_since = None

    def end(self, now: float, held: bool, status: SoundStatus, reason: str = "") -> None:
        """End all that plays."""
        if self.playing is not None:
            self.playing.status, self.playing.reason = status, reason
            self.playing = None
            self.stand(now, paused=False, held=held)

    def next_time(self, now: float) -> float:
        """Return the time (s) at which what plays ends or says its next word; inf when nothing plays."""
        if self.playing is None or self.stands_since is not None:
            return math.inf
        return min(self.playing.t_end, self.playing.next_word(now))


class VirtualMedia(MediaPort):
    """Implements a ``MediaPort`` on the virtual clock.

    ``lengths`` are those of media in s, by URL; every spoken text takes ``speech`` (s, or a function of the text and
    its rate; None: it has no voice).

    Raises:
        ConfigError: a length is not a finite number, 0 or more.
    """

    def __init__(self, lengths: Mapping[str, float], speech: SpeechLength | float | None = None) -> None:
        fixed = speech if isinstance(speech, (int, float)) else 0.0
        for what, seconds in (*lengths.items(), ("speech", fixed)):
            if not (math.isfinite(seconds) and seconds >= 0):
                raise ConfigError(
                    f"the length of {what} is {seconds!r} s; it must be a finite number, 0 or more"
                )
        self._lengths = lengths
        self._speech = speech
        self._tracks: dict[str, _Track] = {}
        self._channels = {"": _Channel()}
        self._held = False
        self._now = 0.0

    @property
    @override
    def speaks(self) -> bool:
        return self._speech is not None

    @property
    def volume(self) -> float:
        """Percent, of the usual channel."""
        return self._channels[""].volume

    def advance_to(self, now: float) -> None:
        """Set the virtual time to ``now``, s."""
        self._now = now
        for channel in self._channels.values():
            playing = channel.playing
            if playing is not None and channel.stands_since is None and playing.t_end <= now + TIE_S:
                channel.end(now, self._held, SoundStatus.ENDED)

    def next_time(self) -> float:
        """Return the time (s) at which something ends or is said next; inf when nothing plays."""
        return min(channel.next_time(self._now) for channel in self._channels.values())

    @override
    def start(self, request: SoundRequest) -> None:
        length = self._lengths.get(request.url) if request.url else self._speech_s(request)
        if length is None:
            reason = f"MEDIA_LENGTH_UNKNOWN: say how long {request.url} is with --media URL=SECONDS"
            self._tracks[request.id] = _Track(self._now, SoundStatus.FAILED, reason)
            return
        channel = self._channel(request.channel)
        channel.end(self._now, self._held, SoundStatus.REPLACED, "a newer sound took the channel")
        words = len(words_of(request.content)) if request.marks_url or not request.url else 0
        channel.playing = self._tracks[request.id] = _Track(self._now + length, length=length, words=words)
        if request.volume is not None:
            channel.volume = request.volume
        self.advance_to(self._now)

    def _speech_s(self, request: SoundRequest) -> float | None:
        speech = self._speech
        return speech(request.content, request.rate or 1.0) if callable(speech) else speech

    @override
    def report(self, request_id: str) -> SoundReport:
        track = self._tracks.get(request_id)
        if track is None:
            return SoundReport(request_id, SoundStatus.FAILED, reason="there is no such request")
        stands = next((one.stands_since for one in self._channels.values() if one.playing is track), None)
        words = (
            -1
            if track.status is SoundStatus.FAILED
            else track.words_begun(self._now if stands is None else stands)
        )
        if track.status.ended:
            del self._tracks[request_id]
        return SoundReport(request_id, track.status, held=self._held, reason=track.reason, words=words)

    def cancel(self, request_id: str) -> None:
        """Fade out, which takes no time here."""
        track = self._tracks.get(request_id)
        for channel in self._channels.values():
            if track is not None and channel.playing is track:
                channel.end(self._now, self._held, SoundStatus.STOPPED)

    @override
    def command(self, action: str, volume: float | None, channel: str = "") -> str:
        if action not in COMMANDS:
            raise CommandError(unknown("player action", action, COMMANDS))
        one = self._channel(channel)
        if action == "setVolume":
            if volume is None or not 0 <= volume <= 100:
                raise CommandError(f"a volume is 0 to 100 percent, not {volume}")
            one.volume = volume
            return ""
        if one.playing is None:
            return "nothing plays"
        if action == "stop":
            one.end(self._now, self._held, SoundStatus.STOPPED)
        else:
            one.stand(self._now, paused=action == "pause", held=self._held)
        return ""

    def hold(self, on: bool) -> None:
        """Freeze or go on with what plays, which takes no time here."""
        self._held = on
        for channel in self._channels.values():
            channel.stand(self._now, paused=channel.paused, held=on)

    def _channel(self, name: str) -> _Channel:
        return self._channels.setdefault("" if name == "main" else name, _Channel())


class VirtualRequests(RequestPort):
    """Implements a ``RequestPort``: ``replies`` by URL, each after ``FETCH_S``.

    It answers other URLs by ``otherwise``; if that is empty, they fail.

    ``assumed`` has the URLs that were answered by ``otherwise``.
    """

    def __init__(self, replies: Mapping[str, str], otherwise: str = "") -> None:
        self._replies = replies
        self._otherwise = otherwise
        self.assumed: list[str] = []
        self._fetches: dict[str, tuple[float, str]] = {}
        self._canceled: set[str] = set()
        self._now = 0.0

    def advance_to(self, now: float) -> None:
        """Set the virtual time to ``now``, s."""
        self._now = now

    def next_time(self) -> float:
        """Return the time (s) at which the next reply comes."""
        return min((due for due, _ in self._fetches.values()), default=math.inf)

    @override
    def start(self, request_id: str, url: str, read: Read) -> None:
        self._fetches[request_id] = (self._now + FETCH_S, url)

    @override
    def report(self, request_id: str) -> FetchReport:
        if request_id in self._canceled:
            self._canceled.discard(request_id)
            return FetchReport(request_id, FetchStatus.CANCELED)
        due, url = self._fetches[request_id]
        if self._now < due - TIE_S:
            return FetchReport(request_id, FetchStatus.RUNNING)
        del self._fetches[request_id]
        if url in self._replies:
            return FetchReport(request_id, FetchStatus.DONE, text=self._replies[url])
        if self._otherwise:
            self.assumed.append(url)
            return FetchReport(request_id, FetchStatus.DONE, text=self._otherwise)
        reason = f"NO_REPLY: give one for {url} with --reply URL=FILE"
        return FetchReport(request_id, FetchStatus.FAILED, reason=reason)

    @override
    def cancel(self, request_id: str) -> None:
        if self._fetches.pop(request_id, None) is not None:
            self._canceled.add(request_id)
