# SPDX-License-Identifier: Apache-2.0
"""Lines of the head and the events that they are, commands and the lines that they are: one row per form."""

import math

import pytest

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.dummy.codec import MAX_LINE, HeadCodec
from embodiment_bridge.protocols.dummy.events import Greet, Hello, Joints, SetJoints
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown


@pytest.mark.parametrize(
    ("line", "event"),
    [
        (b"hello head", Hello(0, "head")),
        (b"joint pan 12.5 tilt -3.0 t 4.02", Joints(0, 12.5, -3.0, 4.02)),
        (b"joint pan 0 tilt -0.000 t 123456789.5", Joints(0, 0.0, 0.0, 123456789.5)),
        (b"battery 80", Unknown(0, b"battery 80")),
        (b"Hello head", Unknown(0, b"Hello head")),
    ],
)
def test_line_is_an_event(line, event):
    assert HeadCodec().feed(line + b"\n") == [event]
    assert HeadCodec().feed(line + b"\r\n") == [event]


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        b"hello big head",
        b"joint",
        b"joint pan 1 tilt 2",
        b"joint tilt 2 pan 1 t 3",
        b"joint pan nan tilt 2 t 3",
        b"joint pan inf tilt 2 t 3",
        b"joint pan 1e3 tilt 2 t 3",
        b"joint pan 1_0 tilt 2 t 3",
        b"joint pan 1. tilt 2 t 3",
        b"joint pan 1 tilt 2 t 12345678901",
        b"joint  pan 1 tilt 2 t 3",
        b" hello head",
        b"hello head ",
        b"",
        b" ",
        b"h\xc3\xa4llo head",
        b"hello\thead",
        b"battery 80\0",
    ],
)
def test_line_is_malformed(line):
    (event,) = HeadCodec().feed(line + b"\n")
    assert isinstance(event, Malformed)
    assert event.offset == 0


def test_line_that_is_too_long_is_malformed():
    events = HeadCodec().feed(b"x" * (MAX_LINE + 1) + b"\nhello head\n")
    assert [type(event) for event in events] == [Malformed, Hello]


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (Greet("bridge"), b"hello bridge\n"),
        (Greet("~" * 32), b"hello " + b"~" * 32 + b"\n"),
        (SetJoints(10, 0), b"set pan 10.000 tilt 0.000\n"),
        (SetJoints(-90.0, 45.0), b"set pan -90.000 tilt 45.000\n"),
        (SetJoints(1.23456, -0.0001), b"set pan 1.235 tilt -0.000\n"),
        (Unknown(7, b"battery 80"), b"battery 80\n"),
    ],
)
def test_command_is_a_line(command, line):
    assert HeadCodec().encode(command) == line


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Greet(""), "Greet.name is ''; it must be 1 to 32 printable ASCII characters"),
        (Greet("~" * 33), "Greet.name"),
        (Greet("two words"), "Greet.name is 'two words'"),
        (Greet("a\nset pan 1 tilt 1"), "Greet.name"),
        (Greet("a\n"), "Greet.name"),
        (Greet("ä"), "Greet.name"),
        (SetJoints(90.001, 0.0), "SetJoints.pan_deg is 90.001; it must be a number from -90 to 90"),
        (SetJoints(0.0, -45.1), "SetJoints.tilt_deg is -45.1; it must be a number from -45 to 45"),
        (SetJoints(math.nan, 0.0), "SetJoints.pan_deg is nan"),
        (SetJoints(0.0, "1"), "SetJoints.tilt_deg is '1'"),
        (Unknown(0, b""), "Unknown.raw"),
        (Unknown(0, b"a\nb"), "Unknown.raw"),
        (Unknown(0, b"x" * (MAX_LINE + 1)), "Unknown.raw"),
        (Hello(0, "head"), "unknown command 'Hello'.*known: Greet, SetJoints"),
    ],
)
def test_command_is_refused(command, reason):
    with pytest.raises(CommandError, match=reason):
        HeadCodec().encode(command)


def test_line_without_its_end_is_told_at_the_end():
    codec = HeadCodec()
    assert codec.feed(b"hel") == []
    assert codec.close() == [Truncated(0, 3)]
