# SPDX-License-Identifier: Apache-2.0
"""The interface between the player and an output of sound."""

from dataclasses import dataclass
from typing import Final, Protocol

PLAYING, PAUSED, POSITION = "playing", "paused", "position"
ENDED, STOPPED, FAILED = "ended", "stopped", "failed"
LAST: Final = frozenset({ENDED, STOPPED, FAILED})
START_S: Final = (
    60  # for a helper to open its device; the machine may be busy, and the helper imports libraries
)


@dataclass(frozen=True, slots=True)
class OutputEvent:
    """An event of sound ``id``.

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
        """The events since the last call, oldest first."""

    def position(self, sound_id: str) -> float:
        """How much of the sound has been heard by now, s."""

    def close(self) -> None:
        """End all sounds and release the device."""
