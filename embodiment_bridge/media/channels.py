# SPDX-License-Identifier: Apache-2.0
"""Keeps the sound on each channel of the player, and limits the volume, with a lower cap in quiet hours."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, time

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.media.cue import LOADING, ChannelState, Cue
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.files.sources import redacted
from embodiment_bridge.media.loader import Loaded

_HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, slots=True)
class Loudness:
    """Holds the caps of the volume.

    cap, quiet_cap: percent. quiet: (from, to) of each day in local time, possibly over midnight; None: no quiet hours.
    """

    cap: float = 100.0
    quiet_cap: float = 30.0
    quiet: tuple[time, time] | None = None
    clock: Callable[[], datetime] = datetime.now

    def heard(self, volume: float) -> float:
        """Return the volume that is heard now for a wanted volume, both in percent."""
        cap = min(self.cap, self.quiet_cap) if self._is_quiet() else self.cap
        return max(0.0, min(volume, cap, 100.0))

    def _is_quiet(self) -> bool:
        if self.quiet is None:
            return False
        begin, end = self.quiet
        now = self.clock().time()
        return begin <= now < end if begin <= end else now >= begin or now < end


def quiet_hours(text: str) -> tuple[time, time] | None:
    """Read quiet hours such as ``22:00-07:00``; an empty text means none.

    Raises:
        ConfigError: the text has another form.
    """
    if not text:
        return None
    found = _HOURS.fullmatch(text)
    if found is None:
        raise ConfigError(f"quiet hours are like 22:00-07:00, not {text!r}")
    a, b, c, d = map(int, found.groups())
    return time(a, b), time(c, d)


SHOWN_TEXT = 200  # characters of a spoken text on topics


@dataclass(slots=True)
class PlayingSound:
    """Represents one sound of the player."""

    cue: Cue
    status: str = LOADING
    reason: str = ""
    paused: bool = False  # by a command
    loaded: Loaded | None = None
    begun: bool = False  # the output was asked to play it
    asked_to_pause: bool = False  # the output was asked to pause it
    stands: bool = False  # the output reports that it is paused
    heard: bool = False
    position: float = 0.0
    length: float | None = None
    stop_status: str = ""  # its final status once the output has stopped it

    @property
    def marks(self) -> Marks:
        """The marks of the sound; empty before it is loaded."""
        return Marks() if self.loaded is None else self.loaded.marks


@dataclass(slots=True)
class Channel:
    """Represents one channel, with its sound and the sound before."""

    name: str
    volume: float = 100.0
    sound: PlayingSound | None = None
    last: PlayingSound | None = None
    output_volume: float = -1.0  # the volume that the output was given, percent
    words: list[str] = field(default_factory=list)


def state_of(
    channel: Channel, *, position: float, heard_volume: float, output: str, held: bool
) -> ChannelState:
    """Return the state of a channel for topics; ``held``: the owner of its sound holds."""
    sound = channel.sound or channel.last
    if sound is None:
        return ChannelState(channel.name, volume=channel.volume, heard_volume=heard_volume, output=output)
    there = channel.sound is not None
    playing = there and sound.heard
    words = sound.marks.words_begun(position) if playing else 0
    return ChannelState(
        channel.name,
        ("held" if held else "paused" if sound.paused else sound.status) if there else "idle",
        sound.cue.id,
        redacted(sound.cue.url) if sound.cue.url else "",
        "" if sound.cue.url else sound.cue.text[:SHOWN_TEXT],
        volume=channel.volume,
        heard_volume=heard_volume,
        position=position,
        length=sound.length,
        output=output,
        ending="" if there else sound.status,
        reason=sound.reason,
        word=channel.words[words - 1] if 0 < words <= len(channel.words) else "",
        phoneme=sound.marks.phoneme(position) if playing else "",
        mouth=sound.marks.mouth(position) if playing and not sound.stands else 0.0,
        speaks=playing and not sound.stands and sound.marks.has_mouth,
    )
