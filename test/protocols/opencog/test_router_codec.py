# SPDX-License-Identifier: Apache-2.0
"""The Router's lines: what they mean, what they are when they are bad, and what we write."""

import random
from pathlib import Path

import pytest

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.opencog.router import wire
from embodiment_bridge.protocols.opencog.router.codec import MAX_HELD, MAX_LINE, MAX_MESSAGE, Codec
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown


def events(text):
    return Codec().feed(text)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (b"cAVAILABLE_ELEMENT ROUTER\n", [wire.Available(0, "ROUTER")]),
        (b"cUNAVAILABLE_ELEMENT 83965\r\n", [wire.Unavailable(0, "83965")]),
        (b"cNOTIFY_NEW_MESSAGE 12\n", [wire.NewMessages(0, 12)]),
        (b"OK\nOK\n", [wire.Ok(0), wire.Ok(3)]),
        (b"FAILED\n", [wire.Failed(0, "")]),
        (b"FAILED - Element unavailable: x\n", [wire.Failed(0, "Element unavailable: x")]),
        (b"\n\n\nOK\n", [wire.Ok(3)]),
        (b"cSTART_MESSAGE a b 1\ncNO_MORE_MESSAGES\n", [wire.Message(0, "a", "b", 1, b"", True)]),
        (b"cSTART_MESSAGE a b 9\nd\ncNO_MORE_MESSAGES\n", [wire.Message(0, "a", "b", 9, b"", True)]),
        (
            b"cSTART_MESSAGE a b 1\ndone\nd\ndthree\ncSTART_MESSAGE a b 9\ndx\ncNO_MORE_MESSAGES\n",
            [
                wire.Message(0, "a", "b", 1, b"one\n\nthree", False),
                wire.Message(35, "a", "b", 9, b"x", True),
            ],
        ),
        (b"cSOMETHING new\n", [Unknown(0, b"cSOMETHING new")]),
    ],
)
def test_lines_and_what_they_mean(lines, expected):
    assert events(lines) == expected


@pytest.mark.parametrize(
    "line",
    [
        b"dlost",
        b"cNO_MORE_MESSAGES",
        b"hello",
        b"NEW_MESSAGE a b 1 1",
        b"cAVAILABLE_ELEMENT",
        b"cAVAILABLE_ELEMENT  x",
        b"cUNAVAILABLE_ELEMENT a b",
        b"cNOTIFY_NEW_MESSAGE -1",
        b"cSTART_MESSAGE a b",
        b"cSTART_MESSAGE a b c d",
        b"cSTART_MESSAGE a b one",
        b"cSTART_MESSAGE a b 99999999999",
        b"c\0\1",
        b"cAVAILABLE_ELEMENT \xff",
    ],
)
def test_bad_line_is_malformed_and_the_next_is_read(line):
    bad, good = events(line + b"\n" + b"OK\n")
    assert isinstance(bad, Malformed)
    assert bad.offset == 0
    assert isinstance(good, wire.Ok)


def test_lines_of_a_message_with_a_bad_head_are_skipped():
    found = events(b"cSTART_MESSAGE a b\ndone\ndtwo\ncNO_MORE_MESSAGES\nOK\n")
    assert [type(event) for event in found] == [Malformed, wire.BatchEnd, wire.Ok]


def test_other_lines_amid_a_message_do_not_break_it():
    found = events(b"cSTART_MESSAGE a b 1\ndone\nxyz\ncAVAILABLE_ELEMENT q\ndtwo\ncNO_MORE_MESSAGES\n")
    assert found[0] == wire.Message(0, "a", "b", 1, b"one\ntwo", True)
    assert [type(event) for event in found[1:]] == [Malformed, wire.Available]


def test_too_long_message_is_given_up_and_its_end_is_told():
    line = b"d" + b"x" * 1000 + b"\n"
    codec = Codec()
    found = codec.feed(b"cSTART_MESSAGE a b 1\n" + line * (2 + MAX_MESSAGE // 1000))
    assert [type(event) for event in found] == [Malformed]
    found = codec.feed(line * 10 + b"cNO_MORE_MESSAGES\ncSTART_MESSAGE a b 1\ndy\ncNO_MORE_MESSAGES\n")
    assert [type(event) for event in found] == [wire.BatchEnd, wire.Message]


def test_message_full_of_other_lines_is_given_up():
    found = events(b"cSTART_MESSAGE a b 1\n" + b"?\n" * (MAX_HELD + 1))
    assert len(found) == MAX_HELD + 2
    assert found[0].offset == 0


def test_line_that_is_too_long_is_told_and_the_next_is_read():
    told = events(b"x" * (MAX_LINE + 1) + b"\nOK\n")
    assert isinstance(told[0], Malformed)
    assert told[1:] == [wire.Ok(MAX_LINE + 2)]


def test_end_amid_a_line():
    codec = Codec()
    assert codec.feed(b"OK\ncAVAIL") == [wire.Ok(0)]
    assert codec.close() == [Truncated(3, 6)]


def test_end_amid_a_message():
    codec = Codec()
    codec.feed(b"OK\ncSTART_MESSAGE a b 1\ndone\ndtw")
    assert codec.close() == [Truncated(3, 29)]


SESSION = (Path(__file__).parents[2] / "data/opencog/samples/session.bin").read_bytes()
GOOD = b"\ncNO_MORE_MESSAGES\ncSTART_MESSAGE fido PROXY 1\ndgood\ncNO_MORE_MESSAGES\n"


def test_ten_thousand_mutations_are_survived_and_the_next_good_message_is_read():
    chance = random.Random(7)
    codec = Codec()
    for _ in range(10_000):
        stream = bytearray(SESSION)
        for _ in range(chance.randrange(1, 6)):
            place = chance.randrange(len(stream))
            what = chance.randrange(4)
            if what == 0:
                stream[place] = chance.randrange(256)
            elif what == 1:
                del stream[place : place + chance.randrange(40)]
            elif what == 2:
                stream[place:place] = chance.randbytes(chance.randrange(20))
            else:
                other = chance.randrange(len(stream))
                stream[place:place] = stream[other : other + chance.randrange(60)]
        last = codec.feed(bytes(stream) + GOOD)[-1]
        assert isinstance(last, wire.Message)
        assert last.payload == b"good"
        assert codec._open is None
        assert codec._held == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (wire.Login("PROXY", "127.0.0.1", 16315), b"LOGIN PROXY 127.0.0.1 16315\n"),
        (wire.Logout("PROXY"), b"LOGOUT PROXY\n"),
        (wire.NewMessage("PROXY", "1", 1, b"a\nb"), b"NEW_MESSAGE PROXY 1 1 2\na\nb\n"),
        (wire.NewMessage("PROXY", "1", 8, b""), b"NEW_MESSAGE PROXY 1 8 1\n\n"),
        (wire.RequestUnread("PROXY", -1), b"REQUEST_UNREAD_MESSAGES PROXY -1\n"),
        (wire.Ack(), b"OK\n"),
        (Unknown(0, b"cPING"), b"cPING\n"),
    ],
)
def test_commands_and_their_lines(command, expected):
    assert Codec().encode(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        wire.Login("", "127.0.0.1", 1),
        wire.Login("two words", "127.0.0.1", 1),
        wire.Login("PROXY", "127.0.0.1", 0),
        wire.Login("x" * 300, "127.0.0.1", 1),
        wire.NewMessage("PROXY", "line\nbreak", 1, b""),
        wire.NewMessage("PROXY", "1", 0, b""),
        wire.NewMessage("PROXY", "1", 1, b"a\0b"),
        wire.NewMessage("PROXY", "1", 1, "text"),
        Unknown(0, b"two\nlines"),
    ],
)
def test_what_would_break_the_router_is_refused(command):
    with pytest.raises(CommandError):
        Codec().encode(command)
