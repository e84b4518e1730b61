# SPDX-License-Identifier: Apache-2.0
"""Maps that are read straight from the text: the same comes out as through the parser, whatever is in them."""

import random
import re

import pytest

from embodiment_bridge.protocols.opencog.xml import xml_reader
from embodiment_bridge.protocols.opencog.xml.events import AvatarSignal, MapInfo
from embodiment_bridge.protocols.opencog.xml.parts import Blip, Entity, Rotation, Vector
from embodiment_bridge.protocols.opencog.xml.plain_blips import without_blips
from embodiment_bridge.protocols.opencog.xml.xml_limits import Limits
from embodiment_bridge.protocols.opencog.xml.xml_reader import read
from embodiment_bridge.protocols.opencog.xml.xml_writer import write
from embodiment_bridge.wire.events import Malformed

T = "2011-08-20T10:00:00.500"
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
        properties,
    )


WORLD = MapInfo(
    global_position_x=0,
    global_position_y=0,
    global_position_offset=10,
    blips=tuple(blip(number) for number in range(20)),
)
DATA = write([AvatarSignal("fido", T), WORLD])


def through_the_parser(data):
    return xml_reader._read(data, Limits(), "", 0)


def test_plain_blips_are_cut_out():
    rest, blips = without_blips(DATA)
    assert blips == WORLD.blips
    assert b"<blip" not in rest
    assert read(DATA) == through_the_parser(DATA)
    assert read(DATA)[2] == WORLD


def test_all_values_count():
    for place in re.finditer(rb'"[^"]*"', DATA[DATA.find(b"<map-info") :]):
        changed = DATA.replace(place.group(), b'"7"', 1)
        assert read(changed) == through_the_parser(changed)


def test_whatever_is_changed_the_same_comes_out():
    chance = random.Random(3)
    first, last = DATA.find(b"<map-info"), len(DATA)
    inside = [match.start(1) for match in re.finditer(rb'"([^"]*)"', DATA) if match.start() > first]
    plain = 0
    for _ in range(500):
        data = bytearray(DATA)
        for _ in range(chance.randint(1, 2)):
            place = chance.choice(inside) if chance.random() < 0.7 else chance.randrange(first, last)
            data[place : place + chance.choice((0, 0, 1, 5))] = chance.choice(PIECES)
        changed = bytes(data)
        plain += without_blips(changed) is not None
        assert repr(read(changed)) == repr(through_the_parser(changed))
    assert plain > 20  # or nothing was tried


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
    assert read(data) == through_the_parser(data)
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
