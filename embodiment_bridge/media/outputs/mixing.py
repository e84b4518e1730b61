# SPDX-License-Identifier: Apache-2.0
"""Mixes sounds block by block, as a device asks for them. It knows nothing of devices and file formats."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.media.outputs.output import (
    ENDED,
    FAILED,
    PAUSED,
    PLAYING,
    POSITION,
    STOPPED,
    OutputEvent,
)

RATE: Final = 48_000  # frames per second
CHANNELS: Final = 2
PAUSE_S: Final = 0.005  # fade before a pause: a sound that stops at once would click
VOLUME_S: Final = 0.02  # fade from one volume to another
POSITION_EVERY_S: Final = 0.2  # between two POSITION events of a sound that plays

Samples = npt.NDArray[np.float32]  # -1 to 1, shape (frames, CHANNELS)


class Source(Protocol):
    """Gives the samples of a sound."""

    @property
    def length(self) -> float | None:
        """The length in s; None while it is not known."""

    def read(self, frames: int) -> Samples:
        """Return the next ``frames`` frames; fewer at the end.

        Raises:
            BridgeError: the samples cannot be read.
        """


class Ramp:
    """Represents a gain that changes linearly to another value."""

    def __init__(self, value: float) -> None:
        self._value = self._goal = value
        self.left = 0  # frames until the goal is reached

    def to(self, goal: float, seconds: float) -> None:
        """Reach ``goal`` after ``seconds``."""
        self._goal, self.left = goal, round(seconds * RATE)
        if not self.left:
            self._value = goal

    def take(self, frames: int) -> Samples:
        """Return the gains of the next frames, shape (frames, 1)."""
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
    frames_read: int = 0
    announced: bool = False  # the PLAYING event has been sent
    next_position: int = 0  # frame at which the next POSITION event is due
    after_fade: str = ""  # the state after it has faded out: PAUSED or STOPPED
    paused: bool = False


class Mixer:
    """Mixes all sounds. ``mix`` is called on the thread of the device, all other methods on another thread.

    An event is given when it is heard, which is ``ahead`` frames after it was mixed.

    Args:
        ahead: how many frames the device buffers.
        on_events: called, also on the thread of the device, when ``events`` has something to give.
    """

    def __init__(self, ahead: int, on_events: Callable[[], None] = lambda: None) -> None:
        self._ahead, self._on_events = ahead, on_events
        self._lock = threading.Lock()
        self._tracks: dict[str, _Track] = {}
        self._clock = 0  # frames mixed
        self._pending: deque[tuple[int, OutputEvent]] = deque()  # (frame at which it is heard, event)
        self._events: list[OutputEvent] = []

    def __len__(self) -> int:
        """Return the number of sounds."""
        return len(self._tracks)

    @property
    def idle(self) -> bool:
        """Whether no sound plays and no event is pending, so that no device is needed."""
        with self._lock:
            return not self._pending and all(track.paused for track in self._tracks.values())

    def add(self, sound_id: str, source: Source, volume: float, fade: float) -> None:
        """Begin a sound: volume 0 to 1, fade-in in s."""
        track = _Track(sound_id, source, Ramp(volume), Ramp(0.0 if fade > 0 else 1.0))
        track.fade.to(1.0, fade)
        with self._lock:
            self._tracks[sound_id] = track

    def pause(self, sound_id: str) -> None:
        """Pause a sound where it is."""
        with self._lock:
            track = self._tracks.get(sound_id)
            if track is not None and not track.paused and not track.after_fade:
                track.after_fade = PAUSED
                track.fade.to(0.0, PAUSE_S)

    def resume(self, sound_id: str) -> None:
        """Continue a paused sound from there."""
        with self._lock:
            track = self._tracks.get(sound_id)
            if track is not None and track.after_fade != STOPPED and (track.paused or track.after_fade):
                track.paused, track.after_fade, track.announced = False, "", False
                track.fade.to(1.0, PAUSE_S)

    def stop(self, sound_id: str, fade: float) -> None:
        """Fade a sound out within ``fade`` s, and end it."""
        with self._lock:
            track = self._tracks.get(sound_id)
            if track is None:
                return
            if track.paused:
                del self._tracks[sound_id]
                self._events.append(_event(track, STOPPED))
            else:
                track.after_fade = STOPPED
                track.fade.to(0.0, fade)
        self._on_events()

    def set_volume(self, sound_id: str, volume: float) -> None:
        """Set the volume of a sound, 0 to 1."""
        with self._lock:
            if sound_id in self._tracks:
                self._tracks[sound_id].volume.to(volume, VOLUME_S)

    def fail_all(self, reason: str) -> None:
        """Let all sounds fail, because the device is gone."""
        with self._lock:
            self._events += [event for _, event in self._pending]
            self._events += [_event(track, FAILED, reason) for track in self._tracks.values()]
            self._pending.clear()
            self._tracks.clear()
        self._on_events()

    def events(self) -> list[OutputEvent]:
        """Return the events since the last call, oldest first."""
        with self._lock:
            events, self._events = self._events, []
            return events

    def mix(self, frames: int) -> Samples:
        """Return the next frames of all sounds together."""
        block = np.zeros((frames, CHANNELS), np.float32)
        with self._lock:
            for track in list(self._tracks.values()):
                if not track.paused:
                    self._add(track, block)
            self._clock += frames
            while self._pending and self._pending[0][0] <= self._clock:
                self._events.append(self._pending.popleft()[1])
            has_events = bool(self._events)
        if has_events:
            self._on_events()
        return block

    def _add(self, track: _Track, block: Samples) -> None:
        if not track.announced:
            track.announced = True
            self._schedule(track, PLAYING, 0)
        wanted = min(len(block), track.fade.left) if track.after_fade else len(block)
        try:
            samples = track.source.read(wanted)
        except BridgeError as error:
            self._end(track, FAILED, 0, str(error))
            return
        count = len(samples)
        block[:count] += samples * track.fade.take(count) * track.volume.take(count)
        track.frames_read += count
        if count < wanted:
            self._end(track, ENDED, count)
        elif track.after_fade == STOPPED and not track.fade.left:
            self._end(track, STOPPED, count)
        elif track.after_fade == PAUSED and not track.fade.left:
            track.paused, track.after_fade = True, ""
            self._schedule(track, PAUSED, count)
        elif track.frames_read >= track.next_position:
            track.next_position = track.frames_read + round(POSITION_EVERY_S * RATE)
            self._schedule(track, POSITION, count)

    def _end(self, track: _Track, kind: str, count: int, reason: str = "") -> None:
        del self._tracks[track.id]
        self._schedule(track, kind, count, reason)

    def _schedule(self, track: _Track, kind: str, count: int, reason: str = "") -> None:
        self._pending.append((self._clock + count + self._ahead, _event(track, kind, reason)))


def _event(track: _Track, kind: str, reason: str = "") -> OutputEvent:
    return OutputEvent(track.id, kind, track.frames_read / RATE, track.source.length, reason)
