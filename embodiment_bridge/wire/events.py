# SPDX-License-Identifier: Apache-2.0
"""Events that any codec may give, beside those of its protocol."""

from dataclasses import dataclass

EXCERPT_LIMIT = (
    80  # characters of bad input that a Malformed event quotes: enough to recognise, too few to flood
)


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
