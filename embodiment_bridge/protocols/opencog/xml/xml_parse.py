# SPDX-License-Identifier: Apache-2.0
"""Parses one document into an lxml tree, without expanding entities or loading anything."""

import re
from typing import Final

from lxml import etree

from embodiment_bridge.protocols.opencog.xml.element import Element
from embodiment_bridge.protocols.opencog.xml.xml_limits import Limits
from embodiment_bridge.protocols.opencog.xml.xml_repair import repaired

_DECLARATION: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s[^<>]{0,300}\?>")
_ANY_DECLARATION: Final = re.compile("\\ufeff?\\s*<\\?xml[\\s\\u00a0][^<>]{0,300}\\?>")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
LONGEST_REASON: Final = 300


class NotXmlError(ValueError):
    """The bytes are not an accepted document; the text says why."""


def parse(data: bytes, limits: Limits) -> Element:
    """The root element of a document.

    The XML declaration is removed, because some programs declare another encoding than they use: UTF-8, or else
    Latin-1. Known mistakes in the XML are repaired (``xml_repair.py``).

    Raises:
        NotXmlError: not XML, larger than ``limits``, or with a document type.
    """
    _check_size(data, limits)
    declaration = _DECLARATION.match(data)
    body = data[declaration.end() :] if declaration else data
    _refuse_doctype(body)
    try:
        root: Element = etree.fromstring(body, _parser())
    except (etree.XMLSyntaxError, ValueError):
        return _parse_repaired(_text(data))
    return root


def _check_size(data: bytes, limits: Limits) -> None:
    """Check the size of a document.

    Raises:
        NotXmlError: it is larger than ``limits``.
    """
    if len(data) > limits.max_bytes:
        raise NotXmlError(f"document of {len(data)} bytes is over the limit of {limits.max_bytes}")
    marks = data.count(b"<") + data.count(b"=")
    if marks > limits.max_marks:
        raise NotXmlError(f"{marks} tags and attributes are over the limit of {limits.max_marks}")


def _text(data: bytes) -> str:
    """The document without its declaration, as text in UTF-8 or Latin-1."""
    try:
        text = data.decode("utf-16" if data.startswith(_UTF16) else "utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    declaration = _ANY_DECLARATION.match(text)
    return text[declaration.end() :] if declaration else text


def _refuse_doctype(body: bytes) -> None:
    """Entities are declared in a document type; no program of this protocol sends one."""
    if b"<!DOCTYPE" not in body:
        return
    at = 0
    while True:
        while body[at : at + 1].isspace():
            at += 1
        closing = b"-->" if body.startswith(b"<!--", at) else b"?>" if body.startswith(b"<?", at) else b""
        end = body.find(closing, at + 2) if closing else -1
        if end < 0:
            break
        at = end + len(closing)
    if body.startswith(b"<!DOCTYPE", at):
        raise NotXmlError("a document type is not allowed")


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )


def _parse_repaired(text: str) -> Element:
    """Parse a document in another encoding, or with a known mistake."""
    body = repaired(text).encode("utf-8", "surrogatepass")
    _refuse_doctype(body)
    try:
        root: Element = etree.fromstring(body, _parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        reason = " ".join(str(error).replace("(<string>, ", "(").split())
        raise NotXmlError(f"not XML: {reason[:LONGEST_REASON]}") from None
    return root
