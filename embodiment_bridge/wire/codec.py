# SPDX-License-Identifier: Apache-2.0
"""The base class of codecs, bytes to events and commands to bytes, and the events that any of them may give.

Its only state is the unfinished frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

# Characters of bad input that a Malformed event quotes: enough to recognise, too few to flood.
EXCERPT_LIMIT = 80


@dataclass(frozen=True, slots=True)
class Malformed:
    """Input that is not of the protocol; the codec goes on at the next frame.

    ``offset`` is the first byte of the frame in the stream (length prefix included).
    """

    offset: int
    reason: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Well-formed input that this codec has no name for; ``raw`` is exactly what was sent (without framing)."""

    offset: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Truncated:
    """The stream ended inside a frame that began at ``offset``; ``received`` bytes of it had come."""

    offset: int
    received: int


def excerpt(data: bytes) -> str:
    """A short printable quote of ``data``."""
    text = data[: 5 * EXCERPT_LIMIT].decode("utf-8", "backslashreplace")  # a character has 4 bytes at most
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return text if len(text) <= EXCERPT_LIMIT else text[:EXCERPT_LIMIT] + "..."


Event_co = TypeVar("Event_co", covariant=True)
Command_contra = TypeVar("Command_contra", contravariant=True)


class Codec(Protocol[Event_co, Command_contra]):
    """Bytes to events and commands to bytes, for one connection."""

    def feed(self, data: bytes) -> Sequence[Event_co]:
        """Take bytes as they came, in any chunks; return the events that are now whole, in order.

        Never raises, whatever the bytes are: what is wrong is a ``Malformed``, what has no name here an ``Unknown``.
        """
        ...

    def close(self) -> Sequence[Event_co | Truncated]:
        """The stream ended: return a ``Truncated`` if a frame was unfinished, else nothing."""
        ...

    def encode(self, command: Command_contra) -> bytes:
        """Wire bytes of one command, framing included.

        Raises:
            CommandError: the command cannot be put on the wire; the text names the field, the value and the choices.
        """
        ...
