# SPDX-License-Identifier: Apache-2.0
"""Sounds added up, block by block, as a device asks for them. Knows no device and no file format."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.media.output import ENDED, FAILED, PAUSED, PLAYING, POSITION, STOPPED, OutputEvent

RATE: Final = 48_000  # frames per second
CHANNELS: Final = 2
PAUSE_S: Final = 0.005  # a sound that stops at once would click
VOLUME_S: Final = 0.02
TELL_S: Final = 0.2  # between two positions of a sound that plays

Samples = npt.NDArray[np.float32]  # -1 to 1, shape (frames, CHANNELS)


class Source(Protocol):
    """What a sound consists of."""

    @property
    def length(self) -> float | None:
        """s; None while not known."""

    def read(self, frames: int) -> Samples:
        """The next ones; fewer than asked for at the end.

        Raises:
            BridgeError: they cannot be read.
        """


class Ramp:
    """A gain that goes evenly to another one."""

    def __init__(self, value: float) -> None:
        self._value = self._goal = value
        self.left = 0  # frames until it is there

    def to(self, goal: float, seconds: float) -> None:
        """Be at ``goal`` after so many s."""
        self._goal, self.left = goal, round(seconds * RATE)
        if not self.left:
            self._value = goal

    def take(self, frames: int) -> Samples:
        """The gains of the next frames, shape (frames, 1)."""
        moving = min(frames, self.left)
        gains = np.full((frames, 1), self._goal, np.float32)
        if moving:
            end = self._value + (self._goal - self._value) * moving / self.left
            gains[:moving, 0] = np.linspace(self._value, end, moving + 1)[1:]
            self.left -= moving
            self._value = end if self.left else self._goal
        return gains


@dataclass(slots=True)
class _Track:
    id: str
    source: Source
    volume: Ramp
    fade: Ramp
    given: int = 0  # frames
    told: bool = False  # that it plays
    next_tell: int = 0
    after_fade: str = ""  # what becomes of it when it has faded out: PAUSED or STOPPED
    stands: bool = False


class Mixer:
    """All sounds. ``mix`` is called on the thread of a device, everything else on another one.

    Events are told when what they speak of is heard, which is ``ahead`` frames after it was mixed.

    Args:
        ahead: how many frames the device keeps.
        on_news: called, on the thread of the device too, when there is something for ``news``.
    """

    def __init__(self, ahead: int, on_news: Callable[[], None] = lambda: None) -> None:
        self._ahead, self._on_news = ahead, on_news
        self._lock = threading.Lock()
        self._tracks: dict[str, _Track] = {}
        self._clock = 0  # frames mixed
        self._later: deque[tuple[int, OutputEvent]] = deque()  # (when on the clock, what)
        self._news: list[OutputEvent] = []

    def __len__(self) -> int:
        """How many sounds there are."""
        return len(self._tracks)

    @property
    def idle(self) -> bool:
        """Whether nothing moves and nothing is left to tell: no device is needed."""
        with self._lock:
            return not self._later and all(track.stands for track in self._tracks.values())

    def add(self, sound_id: str, source: Source, volume: float, fade: float) -> None:
        """Begin a sound: volume 0 to 1, fade-in in s."""
        track = _Track(sound_id, source, Ramp(volume), Ramp(0.0 if fade > 0 else 1.0))
        track.fade.to(1.0, fade)
        with self._lock:
            self._tracks[sound_id] = track

    def pause(self, sound_id: str) -> None:
        """Let a sound stand."""
        with self._lock:
            track = self._tracks.get(sound_id)
            if track is not None and not track.stands and not track.after_fade:
                track.after_fade = PAUSED
                track.fade.to(0.0, PAUSE_S)

    def resume(self, sound_id: str) -> None:
        """Let it go on there."""
        with self._lock:
            track = self._tracks.get(sound_id)
            if track is not None and track.after_fade != STOPPED and (track.stands or track.after_fade):
                track.stands, track.after_fade, track.told = False, "", False
                track.fade.to(1.0, PAUSE_S)

    def stop(self, sound_id: str, fade: float) -> None:
        """Fade a sound out in so many s, and end it."""
        with self._lock:
            track = self._tracks.get(sound_id)
            if track is None:
                return
            if track.stands:
                del self._tracks[sound_id]
                self._news.append(_event(track, STOPPED))
            else:
                track.after_fade = STOPPED
                track.fade.to(0.0, fade)
        self._on_news()

    def set_volume(self, sound_id: str, volume: float) -> None:
        """0 to 1."""
        with self._lock:
            if sound_id in self._tracks:
                self._tracks[sound_id].volume.to(volume, VOLUME_S)

    def fail_all(self, reason: str) -> None:
        """End everything, because the device is gone."""
        with self._lock:
            self._news += [event for _, event in self._later]
            self._news += [_event(track, FAILED, reason) for track in self._tracks.values()]
            self._later.clear()
            self._tracks.clear()
        self._on_news()

    def news(self) -> list[OutputEvent]:
        """What has been heard since the last call, oldest first."""
        with self._lock:
            news, self._news = self._news, []
        return news

    def mix(self, frames: int) -> Samples:
        """The next frames of everything."""
        block = np.zeros((frames, CHANNELS), np.float32)
        with self._lock:
            for track in list(self._tracks.values()):
                if not track.stands:
                    self._add(track, block)
            self._clock += frames
            while self._later and self._later[0][0] <= self._clock:
                self._news.append(self._later.popleft()[1])
            told = bool(self._news)
        if told:
            self._on_news()
        return block

    def _add(self, track: _Track, block: Samples) -> None:
        if not track.told:
            track.told = True
            self._tell(track, PLAYING, 0)
        wanted = min(len(block), track.fade.left) if track.after_fade else len(block)
        try:
            samples = track.source.read(wanted)
        except BridgeError as error:
            self._end(track, FAILED, 0, str(error))
            return
        count = len(samples)
        block[:count] += samples * track.fade.take(count) * track.volume.take(count)
        track.given += count
        if count < wanted:
            self._end(track, ENDED, count)
        elif track.after_fade == STOPPED and not track.fade.left:
            self._end(track, STOPPED, count)
        elif track.after_fade == PAUSED and not track.fade.left:
            track.stands, track.after_fade = True, ""
            self._tell(track, PAUSED, count)
        elif track.given >= track.next_tell:
            track.next_tell = track.given + round(TELL_S * RATE)
            self._tell(track, POSITION, count)

    def _end(self, track: _Track, kind: str, count: int, reason: str = "") -> None:
        del self._tracks[track.id]
        self._tell(track, kind, count, reason)

    def _tell(self, track: _Track, kind: str, count: int, reason: str = "") -> None:
        self._later.append((self._clock + count + self._ahead, _event(track, kind, reason)))


def _event(track: _Track, kind: str, reason: str = "") -> OutputEvent:
    return OutputEvent(track.id, kind, track.given / RATE, track.source.length, reason)
