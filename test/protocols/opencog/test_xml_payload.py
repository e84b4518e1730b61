# SPDX-License-Identifier: Apache-2.0
"""The payload of a map: protobuf, read back the same, byte for byte as a real proxy writes it."""

from base64 import b64encode
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xml_messages import HERE, T

from embodiment_bridge.protocols.opencog.xml import map_payload
from embodiment_bridge.protocols.opencog.xml.parts import (
    MapData,
    MapThing,
    Rotation,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.xml_documents import read, write

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "../shared/data/opencog/samples_other"
THINGS = (
    MapThing("1", "b", "c", HERE, Rotation(0.5, 0.25, -1.0), HERE, 1.0, 2.0, 4.0, (("a", "é"),), 8.0),
    MapThing("2", "", "structure", HERE),
)


def test_payload_comes_back():
    assert map_payload.decode(map_payload.encode(THINGS)) == THINGS
    assert map_payload.decode(b"") == ()


def test_fields_of_a_newer_payload_are_passed_over():
    inner = map_payload.encode(THINGS[1:])[2:] + b"\x62\x01x" + b"\x68\x80\x01" + b"\x71" + b"x" * 8
    assert map_payload.decode(b"\x0a" + bytes((len(inner),)) + inner) == THINGS[1:]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x0a\x00", "no position"),
        (b"\x0a\x07\x22\x05\x0d\x00\x00\xc0\x7f", "nan is not a finite number"),
        (b"\x0b", "wire type 3 at byte 1 is not known"),
        (b"\x02\x00", "field number 0"),
        (b"\x0a\x05a", "field 1 at byte 2 is cut off"),
        (b"\x80", "number at byte 1 is cut off"),
        (b"\xff" * 11, "number at byte 10 is too long"),
    ],
)
def test_payload_that_is_none_is_refused(data, words):
    with pytest.raises(ValueError, match=words):
        map_payload.decode(data)


def test_payload_is_that_of_protobuf():
    thing = MapThing("a", "b", "c", Vector(1.0, 2.0, -0.5), properties=(("k", "v" * 200),))
    inner = (
        b"\x0a\x01a\x12\x01b\x1a\x01c"
        b"\x22\x0f\x0d\x00\x00\x80\x3f\x15\x00\x00\x00\x40\x1d\x00\x00\x00\xbf"
        b"\x32\x0f\x0d\x00\x00\x00\x00\x15\x00\x00\x00\x00\x1d\x00\x00\x00\x00"
        b"\x3d\x00\x00\x00\x00\x45\x00\x00\x00\x00\x4d\x00\x00\x00\x00"
        b"\x52\xce\x01\x0a\x01k\x12\xc8\x01" + b"v" * 200
    )
    assert map_payload.encode([thing]) == b"\x0a" + bytes((len(inner) & 0x7F | 0x80, len(inner) >> 7)) + inner


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=60), place=st.integers(0, 200), piece=st.binary(min_size=1, max_size=4))
def test_any_payload_is_read_or_refused(data, place, piece):
    good = bytearray(map_payload.encode(THINGS))
    good[place : place + len(piece)] = piece
    for payload in (data, bytes(good)):
        with suppress(ValueError):  # and nothing else
            assert isinstance(map_payload.decode(payload), tuple)


def test_payload_that_is_none_keeps_its_bytes():
    raw = "AAAA"
    place = 'global-position-x="0" global-position-y="0"'
    head = f'<terrain-info {place} is-first-time-percept-world="true" timestamp="{T}">'
    data = (
        f"<embodiment-msg>{head}<terrain-data>{raw}</terrain-data></terrain-info></embodiment-msg>".encode()
    )
    found = read(data)[1]
    assert found.terrain_data == (MapData(undecoded=b"\0\0\0"),)
    assert b"<terrain-data>AAAA</terrain-data>" in write([found], "final")


def test_payload_that_was_captured_from_a_real_proxy_is_written_byte_for_byte():
    found = list(SAMPLES.glob("*terrain-info-captured*.xml"))
    if not found:
        pytest.skip("OpenCog's samples are not here")
    data = found[0].read_bytes()
    (payload,) = read(data)[1].terrain_data
    assert len(payload.things) == 272
    assert dict(payload.things[0].properties)["class"] == "block"
    written = b64encode(map_payload.encode(payload.things))
    assert written in data
