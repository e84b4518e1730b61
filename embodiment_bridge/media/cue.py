# SPDX-License-Identifier: Apache-2.0
"""What the player is asked for, and what it says of it."""

from dataclasses import dataclass
from typing import Final

MAIN = "main"  # the channel of sounds that name none
COMMANDS: Final = ("pause", "resume", "stop", "setVolume")
LOADING, PLAYING = "loading", "playing"
ENDED, STOPPED, REPLACED, FAILED = "ended", "stopped", "replaced", "failed"
OVER: Final = frozenset({ENDED, STOPPED, REPLACED, FAILED})


@dataclass(frozen=True, slots=True)
class Cue:
    """A sound: the medium at ``url``, or, when that is empty, the spoken ``text``.

    id: never given twice. owner: whose ``hold`` freezes it. volume: percent, None leaves that of the channel.
    rate: of speech, 1 is usual. fade: s of fading in, None as the player usually does. content: what a medium says.
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
class Standing:
    """How a sound stands.

    status: one of the constants. held: frozen by its owner's hold. words: of its text that have begun; -1 before
    anything is heard. left: s to its end, rounded up.
    """

    status: str
    held: bool = False
    reason: str = ""
    words: int = -1
    left: float | None = None


@dataclass(frozen=True, slots=True)
class ChannelState:
    """How a channel stands, as ``AudioState`` has it."""

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
    speaks: bool = False  # whether the sound has a mouth at all
