# SPDX-License-Identifier: Apache-2.0
"""Maps with many things: what was written is read; what is not the one map of a message is no map."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.protocols.opencog.xml.events import AvatarSignal, MapInfo
from embodiment_bridge.protocols.opencog.xml.parts import Blip, Entity, Rotation, Vector
from embodiment_bridge.protocols.opencog.xml.xml_documents import read, write
from embodiment_bridge.protocols.opencog.xml.xml_parse import Limits
from embodiment_bridge.wire.codec import Malformed

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
