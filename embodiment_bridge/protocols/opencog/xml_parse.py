# SPDX-License-Identifier: Apache-2.0
"""Bytes of one document to a tree of lxml: nothing is expanded, loaded or looked up."""

import re
from typing import Any, Final

from lxml import etree

from embodiment_bridge.protocols.opencog.xml_limits import Limits
from embodiment_bridge.protocols.opencog.xml_repair import repaired

_DECLARATION: Final = re.compile("\\ufeff?\\s*<\\?xml[\\s\\u00a0][^<>]{0,300}\\?>")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
LONGEST_REASON: Final = 300


class NotXmlError(ValueError):
    """The bytes are no document that is taken; the text says why."""


def parse(data: bytes, limits: Limits) -> Any:
    """The root element of a document.

    The XML declaration is cut off, because some programs announce another encoding than they use: UTF-8, or else
    Latin-1. What is no XML is mended where the mistake is known (``xml_repair.py``).

    Raises:
        NotXmlError: no XML, larger or deeper than ``limits``, or with a document type.
    """
    text = _text(data, limits)
    declaration = _DECLARATION.match(text)
    text = text[declaration.end() :] if declaration else text
    _refuse_doctype(text)
    body = text.encode("utf-8", "surrogatepass")
    try:
        root = etree.fromstring(body, _parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        root = _parse_repaired(text, error)
    _check_depth(root, limits)
    return root


def _text(data: bytes, limits: Limits) -> str:
    if len(data) > limits.max_bytes:
        raise NotXmlError(f"document of {len(data)} bytes is over the limit of {limits.max_bytes}")
    marks = data.count(b"<") + data.count(b"=")
    if marks > limits.max_marks:
        raise NotXmlError(f"{marks} tags and attributes are over the limit of {limits.max_marks}")
    try:
        return data.decode("utf-16" if data.startswith(_UTF16) else "utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _refuse_doctype(text: str) -> None:
    """Entities are declared in a document type; no program of this protocol sends one."""
    if "<!DOCTYPE" not in text:
        return
    at = 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        closing = "-->" if text.startswith("<!--", at) else "?>" if text.startswith("<?", at) else ""
        end = text.find(closing, at + 2) if closing else -1
        if end < 0:
            break
        at = end + len(closing)
    if text.startswith("<!DOCTYPE", at):
        raise NotXmlError("a document type is not allowed")


def _parser() -> Any:
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


def _parse_repaired(text: str, problem: Exception) -> Any:
    better = repaired(text)
    if better != text:
        try:
            return etree.fromstring(better.encode("utf-8", "surrogatepass"), _parser())
        except (etree.XMLSyntaxError, ValueError) as error:
            problem = error  # what is left when the known mistakes are mended
    reason = " ".join(str(problem).replace("(<string>, ", "(").split())
    raise NotXmlError(f"no XML: {reason[:LONGEST_REASON]}") from None


def _check_depth(root: Any, limits: Limits) -> None:
    """Nothing here recurses, but whoever gets the tree may."""
    deepest = root.xpath(f"boolean({'/'.join('*' * limits.max_depth)})")
    if deepest:
        raise NotXmlError(f"elements are nested over the limit of {limits.max_depth}")
