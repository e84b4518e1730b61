# SPDX-License-Identifier: Apache-2.0
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.wire.codec import Malformed, Truncated
from embodiment_bridge.wire.framing import Line, LineFramer


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
