# SPDX-License-Identifier: Apache-2.0
"""The ports of a run, which its leaves poll: body, sound, and fetched documents.

No port calls back into the tree. ``start`` and ``cancel`` return at once; ``report`` says how things stand
now. It may be asked any number of times until it says that the thing has ended, and is not asked again for
that id then, so a port may forget it. A ``cancel`` is complete when ``report`` has ended; cancelling what
has ended or was never started is not an error. ``hold(True)`` freezes in place everything that was started,
``hold(False)`` goes on from there; ``held`` in the reports says when that has happened. A port that cannot do what
is asked reports FAILED with a reason, or raises ``CommandError``; any other exception also ends only the node that
called it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from embodiment_bridge.behaviour.engine.loading import Loaded, Rejected
from embodiment_bridge.body.state import SkillReport, SkillRequest


class SkillPort(Protocol):
    """Drives the body's skills, by name."""

    def start(self, request: SkillRequest) -> None:
        """Begin a skill; its id is new."""

    def report(self, request_id: str) -> SkillReport:
        """Return the state of the skill."""

    def cancel(self, request_id: str) -> None:
        """Bring it to rest; the report then ends with CANCELED (or with whatever came first)."""

    def hold(self, on: bool) -> None:
        """Freeze or go on with all skills of this run."""


class SoundStatus(Enum):
    """Names the states of a sound."""

    RUNNING = "running"  # loading, synthesising, playing, or paused by a player command
    ENDED = "ended"  # played to its end
    STOPPED = "stopped"  # by a player command, or canceled
    REPLACED = "replaced"  # by a newer sound on the channel
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether nothing more is heard of it."""
        return self is not SoundStatus.RUNNING


@dataclass(frozen=True, slots=True)
class SoundRequest:
    """Requests a sound: the medium at ``url``, or, when that is empty, the spoken text ``content``.

    ``volume`` is 0..100 percent, None leaves the channel's volume as it is. ``rate`` is the speed of speech
    as the document gives it. A medium may come with ``content``, the text that is spoken in it, and ``marks_url``,
    where the times of its words are. ``channel`` empty is the usual one; ``fade`` is s of fading in.
    """

    id: str
    url: str = ""
    content: str = ""
    voice: str = ""
    language: str = ""
    rate: float | None = None
    volume: float | None = None
    channel: str = ""
    marks_url: str = ""
    fade: float | None = None


@dataclass(frozen=True, slots=True)
class SoundReport:
    """Reports the state of the sound ``id``; ``held`` while frozen by ``hold``; ``reason`` for people.

    ``words`` is how many words of its text have begun; -1 before anything of it is heard. ``left``: in how many s it
    ends, rounded up to whole ones; None while that is not known.
    """

    id: str
    status: SoundStatus
    held: bool = False
    reason: str = ""
    words: int = -1
    left: float | None = None


class MediaPort(Protocol):
    """Plays sound: on each channel a new sound replaces the old one."""

    @property
    def speaks(self) -> bool:
        """Whether text can be turned into sound here."""

    def start(self, request: SoundRequest) -> None:
        """Begin to load and play, or to speak."""

    def report(self, request_id: str) -> SoundReport:
        """Return the state of the sound."""

    def cancel(self, request_id: str) -> None:
        """Fade out and release; the report then ends with STOPPED."""

    def command(self, action: str, volume: float | None, channel: str = "") -> str:
        """Do pause, resume, stop or setVolume (percent) on a channel at once.

        Returns:
            A remark for people, such as "nothing plays"; mostly empty.

        Raises:
            CommandError: there is no player, or the volume is not within 0 to 100.
        """

    def hold(self, on: bool) -> None:
        """Freeze or go on with what plays; what the document paused stays paused after ``hold(False)``."""


class FetchStatus(Enum):
    """Names the states of a fetch."""

    RUNNING = "running"
    DONE = "done"
    CANCELED = "canceled"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self is not FetchStatus.RUNNING


@dataclass(frozen=True, slots=True)
class FetchReport:
    """Reports the state of the fetch ``id``; ``text`` is the reply once DONE.

    ``document`` is what has become of the text where the port has read it; it is not logged.
    """

    id: str
    status: FetchStatus
    text: str = ""
    reason: str = ""
    document: Loaded | Rejected | None = field(default=None, compare=False, repr=False)


Read = Callable[[str], Loaded | Rejected]
"""Reads and checks a fetched text under the rules of a run. Any thread may call it."""


class RequestPort(Protocol):
    """Fetches documents. Time-outs, sizes and which addresses are allowed are the port's own business."""

    def start(self, request_id: str, url: str, read: Read) -> None:
        """Begin a GET. A port with threads has one of them ``read`` the reply, so that no tick does."""

    def report(self, request_id: str) -> FetchReport:
        """Return the state of the fetch."""

    def cancel(self, request_id: str) -> None:
        """Give up; the report then ends with CANCELED."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Joins the ports of one run."""

    skills: SkillPort
    media: MediaPort
    requests: RequestPort
