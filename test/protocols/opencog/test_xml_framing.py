# SPDX-License-Identifier: Apache-2.0
"""A stream of documents in pieces, documents that are too long, and documents sent again."""

import pytest

from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.protocols.opencog.xml.wire_values import clean
from embodiment_bridge.protocols.opencog.xml.xml_codec import Codec, Document, DocumentFramer
from embodiment_bridge.wire.codec import Malformed, Unknown

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
