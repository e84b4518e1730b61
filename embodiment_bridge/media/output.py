# SPDX-License-Identifier: Apache-2.0
"""What brings a file to the loudspeaker, as the player sees it."""

from dataclasses import dataclass
from typing import Final, Protocol

PLAYING, PAUSED, POSITION = "playing", "paused", "position"
ENDED, STOPPED, FAILED = "ended", "stopped", "failed"
LAST: Final = frozenset({ENDED, STOPPED, FAILED})


@dataclass(frozen=True, slots=True)
class OutputEvent:
    """Something happened to sound ``id``.

    kind: one of the constants above. position: s of it that were heard. length: s, None while not known.
    """

    id: str
    kind: str
    position: float = 0.0
    length: float | None = None
    reason: str = ""


class Output(Protocol):
    """Plays files. All calls return at once; what comes of them is in ``events``. Ids are never given twice."""

    @property
    def name(self) -> str:
        """What it is: device or null."""

    def play(self, sound_id: str, path: str, *, volume: float, fade: float, length: float | None) -> None:
        """Begin a file: volume 0 to 1, fade-in in s, length in s where it is known."""

    def pause(self, sound_id: str) -> None:
        """Stand still; the event PAUSED follows."""

    def resume(self, sound_id: str) -> None:
        """Go on; the event PLAYING follows."""

    def stop(self, sound_id: str) -> None:
        """Fade out and end; the event STOPPED follows."""

    def set_volume(self, sound_id: str, volume: float) -> None:
        """0 to 1."""

    def events(self) -> list[OutputEvent]:
        """What has happened since the last call, oldest first."""

    def position(self, sound_id: str) -> float:
        """How much of it was heard by now, s."""

    def close(self) -> None:
        """Silence, and everything released."""
