# SPDX-License-Identifier: Apache-2.0
"""Bytes in: what the codec of every protocol keeps."""

import random
import re
from functools import partial

import contract_checks as check
import pytest
from contract_rooms import NAMES, sample, streams
from hypothesis import given, settings
from hypothesis import strategies as st

from embodiment_bridge.protocols import registry

SETTINGS = settings(max_examples=30, deadline=None)
PLACES = st.lists(st.integers(0, 1 << 20), max_size=8)
CHANGES = st.lists(st.tuples(st.integers(0, 1 << 20), st.binary(min_size=1, max_size=6)), max_size=6)
FILLERS = {
    "zeros": b"\0",
    "ones": b"\xff",
    "letters": b"a",
    "newlines": b"\n",
    "open lists": b"(",
    "open arrays": b"[",
    "open elements": b"<a>",
    "noise": random.Random(1).randbytes(5003),
}

pytestmark = pytest.mark.parametrize("name", NAMES)


def maker(name):
    return partial(registry.codec, name)


def changed(stream, changes):
    """The stream with some of its bytes overwritten."""
    buffer = bytearray(stream)
    for place, piece in changes:
        place %= len(buffer) + 1
        buffer[place : place + len(piece)] = piece
    return bytes(buffer)


def test_sample_session_has_nothing_malformed_and_is_whole(name):
    events = check.check_events(maker(name), sample(name, "session"))
    assert events
    assert not {"Malformed", "Truncated"} & {type(event).__name__ for event in events}


def test_every_event_is_a_line_of_json(name):
    for stream in streams(name).values():
        check.check_json(maker(name), stream)


@SETTINGS
@given(places=PLACES, changes=CHANGES)
def test_any_chunks_give_the_same_events(name, places, changes):
    for stream in streams(name).values():
        check.check_chunks(maker(name), stream, places)
        check.check_chunks(maker(name), changed(stream, changes), places)


def test_single_bytes_give_the_same_events(name):
    for stream in streams(name).values():
        check.check_chunks(maker(name), stream, range(len(stream)))


def test_connections_share_nothing(name):
    for stream in streams(name).values():
        check.check_two_connections(maker(name), stream)


@SETTINGS
@given(place=st.integers(0, 1 << 20))
def test_end_inside_a_frame_is_told(name, place):
    check.check_close(maker(name), sample(name, "session"), place)


def test_end_before_the_last_byte_is_told(name):
    stream = sample(name, "session")
    left = check.make_and_feed(maker(name), stream[:-1]).close()
    assert [type(event).__name__ for event in left] == ["Truncated"]


def test_unknown_parts_are_encoded_to_the_same_bytes(name):
    check.check_unknown(maker(name), sample(name, "unknown"))


def test_malformed_parts_are_told_and_the_codec_goes_on(name):
    check.check_malformed(maker(name), sample(name, "malformed"))


@SETTINGS
@given(data=st.binary(max_size=300))
def test_any_bytes_are_survived(name, data):
    check.check_survives(maker(name), data)
    check.check_survives(maker(name), sample(name, "session") + data)


@SETTINGS
@given(changes=CHANGES)
def test_damaged_samples_are_survived(name, changes):
    for stream in streams(name).values():
        check.check_survives(maker(name), changed(stream, changes))


@pytest.mark.parametrize("escape", [rb"\ud800", rb"\uDfFf", b"\xed\xa0\x80xxx", b"&#xD800"], ids=repr)
def test_half_a_character_gives_no_text_that_cannot_be_written(name, escape):
    for stream in streams(name).values():
        words = list(
            re.finditer(rb"[A-Za-z_]{%d}" % len(escape), stream)
        )  # the same length: frames stay whole
        for word in words[:: len(words) // 20 + 1]:
            check.check_json(maker(name), stream[: word.start()] + escape + stream[word.end() :])


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_survived(name, seed):
    noise = random.Random(seed).randbytes(1 << 16)
    check.check_survives(maker(name), noise)
    check.check_chunks(maker(name), noise, range(0, len(noise), 997))


@pytest.mark.parametrize("filler", FILLERS)
def test_long_stream_of_nonsense_is_not_kept(name, filler):
    begin = sample(name, "session")[:-1]  # inside a frame
    check.check_bounded(maker(name), begin, FILLERS[filler])


def test_long_valid_stream_is_not_kept(name):
    check.check_bounded(maker(name), b"", sample(name, "session"))
