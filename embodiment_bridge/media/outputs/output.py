# SPDX-License-Identifier: Apache-2.0
"""The interface between the player and an output of sound, and an output without a device."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from typing_extensions import override

PLAYING, PAUSED, POSITION = "playing", "paused", "position"
ENDED, STOPPED, FAILED = "ended", "stopped", "failed"
LAST: Final = frozenset({ENDED, STOPPED, FAILED})
# For a helper to open its device; the machine may be busy, and the helper imports libraries.
START_S: Final = 60


@dataclass(frozen=True, slots=True)
class OutputEvent:
    """Represents an event of sound ``id``.

    kind: one of the constants above. position: s of the sound that were heard. length: s, None while not known.
    """

    id: str
    kind: str
    position: float = 0.0
    length: float | None = None
    reason: str = ""


class Output(Protocol):
    """Plays files. All calls return at once; their results are in ``events``. An id is never used twice."""

    @property
    def name(self) -> str:
        """The kind of output: device or null."""

    def play(self, sound_id: str, path: str, *, volume: float, fade: float, length: float | None) -> None:
        """Begin to play a file: volume 0 to 1, fade-in in s, length in s where it is known."""

    def pause(self, sound_id: str) -> None:
        """Pause the sound; the event PAUSED follows."""

    def resume(self, sound_id: str) -> None:
        """Continue the sound; the event PLAYING follows."""

    def stop(self, sound_id: str) -> None:
        """Fade the sound out and end it; the event STOPPED follows."""

    def set_volume(self, sound_id: str, volume: float) -> None:
        """Set the volume of the sound, 0 to 1."""

    def events(self) -> list[OutputEvent]:
        """Return the events since the last call, oldest first."""

    def position(self, sound_id: str) -> float:
        """Return the part of the sound that has been heard by now, s."""

    def close(self) -> None:
        """End all sounds and release the device."""


UNKNOWN_S = 5.0  # length of a medium whose length is not known


@dataclass(slots=True)
class _Track:
    length: float
    played: float  # s until ``since``
    since: float | None  # when it last began or went on, s; None while it is paused


class NullOutput(Output):
    """Implements an ``Output`` that only keeps time. ``now`` is the clock of the behaviour tree, in s."""

    name = "null"

    def __init__(self, now: Callable[[], float], unknown_s: float = UNKNOWN_S) -> None:
        self._now = now
        self._unknown_s = unknown_s
        self._tracks: dict[str, _Track] = {}
        self._events: list[OutputEvent] = []

    @override
    def play(self, sound_id: str, path: str, *, volume: float, fade: float, length: float | None) -> None:
        del volume, fade
        try:
            with Path(path).open("rb"):
                pass
        except OSError as error:
            self._events.append(OutputEvent(sound_id, FAILED, reason=f"cannot be read: {error.strerror}"))
            return
        # Who loads sounds has looked into the file already, on a thread.
        length = self._unknown_s if length is None else length
        self._tracks[sound_id] = _Track(length, 0.0, self._now())
        self._events.append(OutputEvent(sound_id, PLAYING, 0.0, length))

    @override
    def pause(self, sound_id: str) -> None:
        track = self._tracks.get(sound_id)
        if track is not None:
            track.played, track.since = self.position(sound_id), None
            self._events.append(OutputEvent(sound_id, PAUSED, track.played, track.length))

    @override
    def resume(self, sound_id: str) -> None:
        track = self._tracks.get(sound_id)
        if track is not None and track.since is None:
            track.since = self._now()
            self._events.append(OutputEvent(sound_id, PLAYING, track.played, track.length))

    @override
    def stop(self, sound_id: str) -> None:
        if sound_id in self._tracks:
            position = self.position(sound_id)
            del self._tracks[sound_id]
            self._events.append(OutputEvent(sound_id, STOPPED, position))

    @override
    def set_volume(self, sound_id: str, volume: float) -> None:
        """Do nothing: this output has no sound."""

    @override
    def events(self) -> list[OutputEvent]:
        for sound_id, track in list(self._tracks.items()):
            if track.since is not None and self.position(sound_id) >= track.length - 1e-9:
                del self._tracks[sound_id]
                self._events.append(OutputEvent(sound_id, ENDED, track.length, track.length))
        events, self._events = self._events, []
        return events

    @override
    def position(self, sound_id: str) -> float:
        track = self._tracks.get(sound_id)
        if track is None:
            return 0.0
        running = 0.0 if track.since is None else max(0.0, self._now() - track.since)
        return min(track.length, track.played + running)

    @override
    def close(self) -> None:
        self._tracks.clear()
