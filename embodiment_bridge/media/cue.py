# SPDX-License-Identifier: Apache-2.0
"""Requests to the player, and the status that it reports for them."""

from dataclasses import dataclass
from typing import Final

MAIN = "main"  # the channel of sounds that do not name one
SPEECH = "speech"  # channel of the topic ``speak``; documents use others unless they name it
COMMANDS: Final = ("pause", "resume", "stop", "setVolume")
LOADING, PLAYING = "loading", "playing"
ENDED, STOPPED, REPLACED, FAILED = "ended", "stopped", "replaced", "failed"
OVER: Final = frozenset({ENDED, STOPPED, REPLACED, FAILED})


@dataclass(frozen=True, slots=True)
class Cue:
    """Requests a sound: the medium at ``url`` or, when that is empty, the spoken ``text``.

    id: unique, never used twice. owner: the sound stands still while this owner holds (``Player.hold``).
    volume: percent; None keeps the volume of the channel. rate: of speech, 1 is usual.
    fade: s of fading in; None takes the default of the player. marks_url: a file of marks for the medium.
    """

    id: str
    owner: str
    channel: str = MAIN
    url: str = ""
    text: str = ""
    voice: str = ""
    language: str = ""
    rate: float = 1.0
    volume: float | None = None
    fade: float | None = None
    marks_url: str = ""


@dataclass(frozen=True, slots=True)
class CueStatus:
    """Holds the state of one sound.

    status: one of the constants above. held: it stands still because its owner holds. words: how many words of its
    text have begun; -1 before anything is heard. left: s to its end, rounded up; None while the length is not known.
    """

    status: str
    held: bool = False
    reason: str = ""
    words: int = -1
    left: float | None = None


@dataclass(frozen=True, slots=True)
class ChannelState:
    """Holds the state of one channel, with the fields of the message ``AudioState``.

    volume, heard_volume: percent, as wanted and after the cap. position, length: s. mouth: opening, 0 to 1.
    """

    channel: str
    state: str = "idle"
    id: str = ""
    url: str = ""
    text: str = ""
    volume: float = 100.0
    heard_volume: float = 100.0
    position: float = 0.0
    length: float | None = None
    output: str = ""
    ending: str = ""
    reason: str = ""
    word: str = ""
    phoneme: str = ""
    mouth: float = 0.0
    speaks: bool = False  # true if the mouth can be animated with this sound
