# SPDX-License-Identifier: Apache-2.0
"""Payloads of documents: maps and their compressed form."""

from base64 import b64encode
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xml_messages import HERE, T

from embodiment_bridge.protocols.opencog.xml import map_payload
from embodiment_bridge.protocols.opencog.xml.events import AvatarSignal, MapInfo
from embodiment_bridge.protocols.opencog.xml.parts import (
    Blip,
    Entity,
    MapData,
    MapThing,
    Rotation,
    Vector,
)
from embodiment_bridge.protocols.opencog.xml.xml_documents import read, write
from embodiment_bridge.protocols.opencog.xml.xml_parse import Limits
from embodiment_bridge.wire.codec import Malformed

PIECES = [
    b"<",
    b">",
    b'"',
    b"&amp;",
    b"&",
    b"\x0b",
    b"\x00",
    b"\xff",
    b"\xc2\xa0",
    b"\xc3\xbc",
    b"nan",
    b"1e999",
    b"\n",
]
PIECES += [
    b"<!-- ",
    b" -->",
    b"<![CDATA[",
    b"]]>",
    b"oc:",
    b' x="1"',
    b"</blip>",
    b"<blip>",
    b"<map-info>",
    b"\t",
    b"_",
]


def blip(number):
    properties = (("visibility-status", "visible"), ("name of it", f"№ {number}"))[: number % 3]
    return Blip(
        T,
        Entity(f"thing_{number}", "object", "é" * (number % 2), "fido" * (number % 5 == 0)),
        Vector(number * 1.25, -1e-05 * number, 3.0),
        Rotation(0.0, 0.0, number * 0.01),
        Vector(0.0, number * 0.5, 0.0),
        properties=properties,
    )


WORLD = MapInfo(
    global_position_x=0,
    global_position_y=0,
    global_position_offset=10,
    blips=tuple(blip(number) for number in range(20)),
)
DATA = write([AvatarSignal("fido", T), WORLD])


def test_a_map_is_read_as_it_was_written():
    assert read(DATA)[2] == WORLD


@given(
    st.integers(0, len(DATA)),
    st.sampled_from((0, 1, 5)),
    st.sampled_from(PIECES),
    st.sampled_from((Limits(), Limits(max_marks=100))),
)
def test_whatever_is_changed_something_is_told(place, length, piece, limits):
    assert read(DATA[:place] + piece + DATA[place + length :], limits)


@pytest.mark.parametrize(
    "around",
    [
        (b"<!-- ", b" -->"),
        (b'<communication source-id="1" timestamp="t"><![CDATA[', b"]]></communication>"),
        (b"<other>", b"</other>"),
    ],
)
def test_map_that_is_no_map_of_the_message(around):
    start, end = DATA.find(b"<map-info"), DATA.find(b"</oc:embodiment-msg>")
    data = DATA[:start] + around[0] + DATA[start:end] + around[1] + DATA[end:]
    assert not any(isinstance(event, MapInfo) for event in read(data))


def test_two_maps_and_a_document_type_are_for_the_parser():
    start, end = DATA.find(b"<map-info"), DATA.find(b"</oc:embodiment-msg>")
    twice = DATA[:end] + DATA[start:end] + DATA[end:]
    assert read(twice)[2] == read(twice)[3] == WORLD
    declared = DATA.replace(b"?>\n", b"?>\n<!DOCTYPE a>", 1)
    assert isinstance(read(declared)[0], Malformed)


def test_limits_are_kept():
    for limits in (Limits(max_bytes=len(DATA) - 1), Limits(max_marks=100)):
        assert isinstance(read(DATA, limits)[0], Malformed)


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
