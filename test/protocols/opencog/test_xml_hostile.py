# SPDX-License-Identifier: Apache-2.0
"""Documents in a stream: where they end, and that hostile ones cost nothing."""

import random
import resource
from pathlib import Path

import pytest

from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.opencog.xml.events import ActionPlan, Event
from embodiment_bridge.protocols.opencog.xml.wire_values import clean
from embodiment_bridge.protocols.opencog.xml.xml_codec import Codec, Document, DocumentFramer
from embodiment_bridge.protocols.opencog.xml.xml_documents import read
from embodiment_bridge.protocols.opencog.xml.xml_parse import Limits
from embodiment_bridge.standins.oac.intake import OacIntake, validate
from embodiment_bridge.wire.codec import Malformed, Unknown

DATA = Path(__file__).parents[2] / "data"
SAMPLES = [path.read_bytes() for path in sorted((DATA / "opencog").glob("*/*.xml"))]
GOOD = b'<action-plan id="4" entity-id="7"><action name="drop" sequence="1"/></action-plan>'
DICTIONARY = [
    b"<", b">", b"</", b"/>", b'"', b"'", b"=", b"&", b"&amp;", b"&#0;", b"&lol;", b"\0", b"\xff", b"\xc2\xa0", b"?",
    b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<!DOCTYPE a [", b"<?", b"?>", b"xmlns:oc", b"oc:", b"nan", b"1e999",
    b"-1", b"99999999999999999999", b"true", b"param", b"vector", b"action", b"\xe2\x80\x9c", b"<a>", b"  ", b"\r\n",
]  # fmt: skip


def mutated(chance, data):
    """A copy with one to six changes: bytes, pieces cut out or repeated, words of XML put in, pieces of others."""
    buffer = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(buffer) + 1)
        length = chance.choice((1, 1, 2, 8, 40))
        kind = chance.randrange(6)
        if kind == 0:
            buffer[place : place + 1] = bytes((chance.randrange(256),))
        elif kind == 1:
            del buffer[place : place + length]
        elif kind == 2:
            buffer[place:place] = buffer[place : place + length]
        elif kind == 3:
            other = chance.choice(SAMPLES)
            begin = chance.randrange(len(other))
            buffer[place:place] = other[begin : begin + length]
        else:
            buffer[place : place + kind - 4] = chance.choice(DICTIONARY)
    return bytes(buffer)


def test_ten_thousand_damaged_documents():
    chance = random.Random(7)
    oac = OacIntake("seed", validating=False)
    kinds = set()
    for number in range(10_000):
        data = mutated(chance, chance.choice(SAMPLES))
        events = read(data)
        assert events
        assert all(isinstance(event, Event | Malformed | Unknown) for event in events)
        kinds |= {type(event).__name__ for event in events}
        if number % 10 == 0:
            validate(data, "final")
            oac.take(data)
        if number % 1000 == 0:
            assert isinstance(read(GOOD)[0], ActionPlan)
    assert len(kinds) > 12  # it was not all malformed, and not all the same


def test_damaged_documents_in_a_stream():
    chance = random.Random(8)
    codec = registry.codec("opencog_xml")
    for _ in range(1000):
        codec.feed(mutated(chance, chance.choice(SAMPLES)))
        codec.feed(b"?>-->]]>")
    codec.close()
    (plan,) = codec.feed(GOOD)
    assert isinstance(plan, ActionPlan)


BILLION = b'<!DOCTYPE a [<!ENTITY a "ha">' + b"".join(
    b'<!ENTITY %c "%s">' % (ord("b") + i, b"&%c;" % (ord("a") + i) * 10) for i in range(12)
)
HOSTILE = {
    "entity bomb": BILLION + b"]><action-plan id='1'>&m;</action-plan>",
    "quadratic entity": b'<!DOCTYPE a [<!ENTITY a "'
    + b"x" * 100_000
    + b'">]><a>'
    + b"&a;" * 100_000
    + b"</a>",
    "external entity": b'<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><action-plan id="&a;"/>',
    "external document type": b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><action-plan id="1"/>',
    "parameter entity": b'<!DOCTYPE a [<!ENTITY % a SYSTEM "http://127.0.0.1:9/a.dtd">%a;]><action-plan id="1"/>',
    "document type after a comment": b'<!-- --><?a b?>\n<!DOCTYPE a [<!ENTITY a "b">]><action-plan id="&a;"/>',
    "undeclared entity": b'<action-plan id="&a;"/>',
    "deep": b"<action-plan id='1'>" + b"<action>" * 100_000,
    "deep and closed": b"<action-plan id='1'>" + b"<a>" * 300 + b"</a>" * 300 + b"</action-plan>",
    "very wide": b"<action-plan id='1'>" + b"<a/>" * 900_000 + b"</action-plan>",
    "many attributes": b"<action-plan id='1' " + b"".join(b'a%d="" ' % i for i in range(420_000)) + b"/>",
    "many prefixes": b"<action-plan id='1'>"
    + b"".join(b"<p%d:a/>" % i for i in range(1000))
    + b"</action-plan>",
    "huge": b"<action-plan id='1' demand='" + b"x" * (100 << 20) + b"'/>",
    "huge nothing": b"\0" * (100 << 20),
    "nul": b"<action-plan id='1\0'/>",
    "nul as reference": b"<action-plan id='1&#0;'/>",
    "broken UTF-8 in a tag": b"<action-plan id='1'><\x81\xfe\xa0/></action-plan>",
    "no end": b"<action-plan id='1'><action name='walk' sequence='1'/>",
    "two interleaved": GOOD[:40] + GOOD + GOOD[40:],
    "more after the end": GOOD + GOOD,
    "many quotes": b"<a b=" + b'"' * 200_001,
    "many open comments": b"<!--" * 100_000,
    "many comments": b"<!--a--> " * 100_000 + b"<!DOCTYPE a><a/>",
    "many instructions": b"<?a ?>" * 100_000 + b"<![CDATA[<!DOCTYPE",
    "many equal signs": b"<a " + b"=?" * 100_000 + b">",
    "many blanks": b"<a" + b" " * 1_000_000 + b"b",
    "many open ends": b"</a " * 100_000,
    "no bytes": b"",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_document_is_told_and_the_next_is_read(name):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    (event,) = read(HOSTILE[name])
    assert isinstance(event, Malformed)
    assert len(event.reason) < 400
    assert len(event.excerpt) < 200
    assert validate(HOSTILE[name])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 250_000  # kB
    assert isinstance(read(GOOD)[0], ActionPlan)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_document_in_a_stream(name):
    codec = registry.codec("opencog_xml")
    events = codec.feed(HOSTILE[name])
    assert not any(isinstance(event, ActionPlan) and event.actions == () for event in events)
    codec.close()
    (plan,) = codec.feed(GOOD)
    assert isinstance(plan, ActionPlan)


def test_many_small_documents_at_once():
    codec = registry.codec("opencog_xml")
    assert len(codec.feed(b"<a/>" * 50_000)) == 50_000
    assert codec.close() == []


def test_long_but_allowed_document_is_read():
    actions = b"".join(b'<action name="drop" sequence="%d"/>' % (i + 1) for i in range(20_000))
    (plan,) = read(b'<action-plan id="4">' + actions + b"</action-plan>")
    assert plan.actions[-1].sequence == 20_000


def test_limits_can_be_smaller():
    for limits in (Limits(max_bytes=10), Limits(max_marks=3)):
        assert isinstance(read(GOOD, limits)[0], Malformed)
    assert isinstance(read(GOOD, Limits(len(GOOD), 7))[0], ActionPlan)


HEAD = b'<?xml version="1.0"?>'
WHOLE = HEAD + b" <!-- a > b --> <!DOCTYPE a><a x='1>'><!-- </a> --><?do it?><![CDATA[</a>]]><a/><b></b></a>"


def documents(framer: DocumentFramer, *pieces: bytes) -> list[bytes]:
    found = [one for piece in pieces for one in framer.feed(piece)]
    return [one.data if isinstance(one, Document) else one.reason.encode() for one in found]


def test_document_that_comes_byte_by_byte() -> None:
    stream = WHOLE + b"\n" + WHOLE
    assert documents(DocumentFramer(), *(bytes((byte,)) for byte in stream)) == [WHOLE, WHOLE]


@pytest.mark.parametrize("length", [31, 32, 200])
def test_document_that_is_too_long_is_told_and_the_next_is_read(length: int) -> None:
    framer = DocumentFramer(max_document=30)
    long = b"<a>" + b"x" * (length - 7) + b"</a>"
    assert documents(framer, long, HEAD + b"<a/>") == [
        b"document longer than 30 bytes skipped",
        HEAD + b"<a/>",
    ]


def test_long_document_that_ends_in_later_pieces() -> None:
    pieces = [b"<a>" + b"x" * 40, b"x" * 1000, b"</a>" + HEAD, b"<a/>"]
    assert documents(DocumentFramer(max_document=30), *pieces)[1:] == [HEAD + b"<a/>"]


def test_dialect_has_to_be_one() -> None:
    with pytest.raises(ConfigError, match="klingon"):
        Codec("klingon")


def test_codec_tells_what_is_no_document() -> None:
    told = Codec().feed(b"hello <a/>")
    assert isinstance(told[0], Malformed)
    assert told[1] == Unknown(6, b"<a/>")


def test_unknown_document_is_sent_again_as_it_came() -> None:
    assert Codec().encode(Unknown(0, b"<smell/>")) == b"<smell/>"
    with pytest.raises(CommandError, match="one document"):
        Codec().encode(Unknown(0, b"smell"))


def test_texts_from_outside_lose_what_xml_has_no_place_for() -> None:
    assert clean("a\x00b\ud800\ufffe\tc") == "ab\tc"
    assert clean("abc", 2) == "ab"
