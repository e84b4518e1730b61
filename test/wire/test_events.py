# SPDX-License-Identifier: Apache-2.0
"""Quotes of bad input: short, printable, and as long as it may be."""

from dataclasses import FrozenInstanceError

import pytest

from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown, excerpt


@pytest.mark.parametrize(
    ("data", "quoted"),
    [
        (b"", ""),
        (b"(a b)", "(a b)"),
        ("Bär".encode(), "Bär"),
        (b"a\n\0\x1b[2J", r"a\n\x00\x1b[2J"),
        (b"\xff(", r"\xff("),
        (b"x" * 79, "x" * 79),
        (b"x" * 80, "x" * 80),
        (b"x" * 81, "x" * 80 + "..."),
        (b"x" * 5000, "x" * 80 + "..."),
        (b"\n" * 40, r"\n" * 40),
        (b"\n" * 41, r"\n" * 40 + "..."),
        (b"x" * 80 + b"\xff", "x" * 80 + "..."),
        ("ä".encode() * 80, "ä" * 80),
        ("ä".encode() * 81, "ä" * 80 + "..."),
        ("\U00020000".encode() * 80, "\U00020000" * 80),
        ("\U00020000".encode() * 81, "\U00020000" * 80 + "..."),
    ],
)
def test_excerpt(data, quoted) -> None:
    assert excerpt(data) == quoted


@pytest.mark.parametrize("event", [Malformed(3, "why"), Unknown(3, b"raw"), Truncated(3, 2)])
def test_an_event_does_not_change(event) -> None:
    with pytest.raises(FrozenInstanceError):
        event.offset = 4
    assert not hasattr(event, "__dict__")


def test_a_malformed_event_needs_no_quote() -> None:
    assert Malformed(3, "why") == Malformed(3, "why", "")
