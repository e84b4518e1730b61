# SPDX-License-Identifier: Apache-2.0
"""Framing of bytes: frames with a length, and lines."""

import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.wire.codec import Malformed, Truncated
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME, Frame, Framer, Line, LineFramer, frame

LIMIT = 20
OVERSIZE = Malformed(0, "frame of 21 bytes skipped (limit: 20)")
EMPTY = Malformed(0, "empty frame (no peer sends one)")


def prefixed(payload: bytes) -> bytes:
    return len(payload).to_bytes(4, "big") + payload


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"", []),
        (b"\0\0\0\x05(syn)", [Frame(0, b"(syn)")]),
        (b"\0\0\0\x01a\0\0\0\x02bc", [Frame(0, b"a"), Frame(5, b"bc")]),
        (b"\0\0\0\x14" + b"x" * 20, [Frame(0, b"x" * 20)]),
        (b"\0\0\0\x15" + b"x" * 21 + b"\0\0\0\x01a", [OVERSIZE, Frame(25, b"a")]),
        (b"\0\0\0\0\0\0\0\x01a", [EMPTY, Frame(4, b"a")]),
        (b"\0\0\0\x15", [OVERSIZE]),
        (b"\0\0\0\x05(sy", []),
        (b"\0\0", []),
    ],
)
def test_cuts_a_stream_into_frames(stream, expected):
    assert Framer(LIMIT).feed(stream) == expected


@st.composite
def chunked_streams(draw):
    payloads = draw(st.lists(st.binary(max_size=30), max_size=8))
    stream = b"".join(prefixed(payload) for payload in payloads)
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    edges = [0, *cuts, len(stream)]
    return payloads, [stream[a:b] for a, b in pairwise(edges)]


@given(chunked_streams())
def test_chunks_make_no_difference(case):
    payloads, chunks = case
    framer = Framer(LIMIT)
    found = [item for chunk in chunks for item in framer.feed(chunk)]
    offset = 0
    for item, payload in zip(found, payloads, strict=True):
        assert item.offset == offset
        if 0 < len(payload) <= LIMIT:
            assert item == Frame(offset, payload)
        else:
            assert isinstance(item, Malformed)
        offset += 4 + len(payload)
    assert framer.close() == []


@given(st.binary(max_size=60), st.integers(1, 5))
def test_any_bytes_are_survived(stream, step):
    framer = Framer(LIMIT)
    pieces = [framer.feed(stream[i : i + step]) for i in range(0, len(stream), step)]
    assert [item for piece in pieces for item in piece] == Framer(LIMIT).feed(stream)


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"\0\0", Truncated(0, 2)),
        (b"\0\0\0\x05(sy", Truncated(0, 7)),
        (b"\0\0\0\x01a\0\0\0\x05", Truncated(5, 4)),
        (b"\0\0\0\x15abc", Truncated(0, 7)),
        (b"\0\0\0\x01a\0\0\0\x15", Truncated(5, 4)),
    ],
)
def test_a_stream_that_ends_in_a_frame_is_truncated(stream, expected):
    framer = Framer(LIMIT)
    for i in range(len(stream)):
        framer.feed(stream[i : i + 1])
    assert framer.close() == [expected]
    assert framer.close() == []


def test_after_close_it_reads_on_at_the_next_byte():
    framer = Framer()
    framer.feed(b"\0\0\0\x09(sy")
    framer.close()
    assert framer.feed(b"\0\0\0\x05(syn)") == [Frame(7, b"(syn)")]


def test_an_oversize_frame_takes_no_memory():
    framer = Framer()
    chunk = bytes(1 << 20)
    tracemalloc.start()
    try:
        assert len(framer.feed(b"\x7f\xff\xff\xff")) == 1
        for _ in range(40):
            assert framer.feed(chunk) == []
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000
    assert framer.close() == [Truncated(0, 4 + 40 * len(chunk))]


def test_frame_is_read_back():
    assert frame(b"(syn)") == b"\0\0\0\x05(syn)"
    assert Framer().feed(frame(b"x" * DEFAULT_MAX_FRAME)) == [Frame(0, b"x" * DEFAULT_MAX_FRAME)]


def test_an_empty_frame_is_refused():
    with pytest.raises(CommandError, match="empty frame"):
        frame(b"")


def test_a_frame_that_is_too_long_is_refused():
    with pytest.raises(CommandError, match="1048577 bytes is too long"):
        frame(bytes(DEFAULT_MAX_FRAME + 1))


@pytest.mark.parametrize(
    ("stream", "lines"),
    [
        (b"", []),
        (b"a", []),
        (b"a\n", [(0, b"a")]),
        (b"a\nbc\n", [(0, b"a"), (2, b"bc")]),
        (b"\n\n", [(0, b""), (1, b"")]),
        (b"a\r\nb\n", [(0, b"a"), (3, b"b")]),
        (b"a\r\r\n\rb\n", [(0, b"a\r"), (4, b"\rb")]),
        (b"\xff\0\n", [(0, b"\xff\0")]),
    ],
)
def test_lines_with_their_offsets(stream, lines):
    assert LineFramer().feed(stream) == [Line(*line) for line in lines]


@pytest.mark.parametrize("stream", [b"12345\n", b"1234\r\n"])
def test_longest_line_is_taken(stream):
    assert LineFramer(5).feed(stream) == [Line(0, stream.strip())]


def test_a_line_may_have_64_kib():
    framer = LineFramer()
    assert framer.feed(b"x" * 65536) == []
    assert [type(event) for event in framer.feed(b"x")] == [Malformed]


def test_longer_line_is_told_once_as_soon_as_it_is_too_long_and_skipped():
    framer = LineFramer(5)
    assert framer.feed(b"a\n12345") == [Line(0, b"a")]
    assert framer.feed(b"6") == [Malformed(2, "line longer than 5 bytes skipped", "123456")]
    assert framer.feed(b"7" * 100) == []
    assert framer.feed(b"\nb\n") == [Line(109, b"b")]


@pytest.mark.parametrize(
    ("stream", "end"),
    [
        (b"", []),
        (b"a\n", []),
        (b"a\nbc", [Truncated(2, 2)]),
        (b"a\r", [Truncated(0, 2)]),
        (b"a\n123456789", [Truncated(2, 9)]),
    ],
)
def test_end_inside_a_line_is_told_once(stream, end):
    framer = LineFramer(5)
    framer.feed(stream)
    assert framer.close() == end
    assert framer.close() == []
    assert framer.feed(b"x\n") == [Line(len(stream), b"x")]


@given(st.lists(st.text("ab\r\n", max_size=12).map(str.encode), max_size=8))
def test_any_chunks_give_the_same(chunks):
    whole, pieces = LineFramer(6), LineFramer(6)
    expected = whole.feed(b"".join(chunks))
    assert [found for chunk in chunks for found in pieces.feed(chunk)] == expected
    assert pieces.close() == whole.close()
