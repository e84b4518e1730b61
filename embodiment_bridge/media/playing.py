# SPDX-License-Identifier: Apache-2.0
"""The state of a sound and of a channel in the player, and how a channel is reported."""

from dataclasses import dataclass, field

from embodiment_bridge.media import cue as say
from embodiment_bridge.media.cue import ChannelState, Cue
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.files.sources import redacted
from embodiment_bridge.media.loader import Loaded

SHOWN_TEXT = 200  # characters of a spoken text on topics


@dataclass(slots=True)
class PlayingSound:
    """One sound of the player."""

    cue: Cue
    status: str = say.LOADING
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
    """One channel, its sound, and the sound before."""

    name: str
    volume: float = 100.0
    sound: PlayingSound | None = None
    last: PlayingSound | None = None
    output_volume: float = -1.0  # the volume that the output was given, percent
    words: list[str] = field(default_factory=list)


def state_of(
    channel: Channel, *, position: float, heard_volume: float, output: str, held: bool
) -> ChannelState:
    """The state of a channel for topics; ``held``: the owner of its sound holds."""
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
