# SPDX-License-Identifier: Apache-2.0
"""Parses one document of another program into an lxml tree.

Checks its limits, repairs known mistakes, expands no entities and loads nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, overload

from lxml import etree

# Repairs known mistakes in the documents of real programs and in those of the protocol's description.
#
# Truncated or mixed-up documents are not repaired, because a body must not act on half a plan.

BRAIN_URI: Final = "http://www.opencog.org/brain"
LEGACY_URI: Final = "http://proxy.esheepco.com/brain"
XSI_URI: Final = "http://www.w3.org/2001/XMLSchema-instance"
_URIS: Final = {"oc": BRAIN_URI, "pet": BRAIN_URI, "xsi": XSI_URI}

_TAG: Final = re.compile(r"<[^<>]*>")
_MARK_QUOTES: Final = re.compile(r"=\s*[?\u201c\u201d]([^?\u201c\u201d\"'<>]*)[?\u201c\u201d]")
_URI_BLANKS: Final = re.compile(r"(\sxmlns(?::[\w.-]{1,40})?=[\"'])\s+")
_OPEN_END_TAG: Final = re.compile(r"(</[\w:.-]{1,80})(?=\s+[^\s>]|<)")
_PREFIXED: Final = re.compile(r"[<\s/]([A-Za-z_][\w.-]{0,40}):[A-Za-z_]")
_DECLARED: Final = re.compile(r"\sxmlns:([\w.-]{1,40})\s*=")
_ROOT: Final = re.compile(r"<[A-Za-z_][\w:.-]{0,80}")


def repaired(text: str) -> str:
    """The document with known mistakes repaired; it may still not be XML."""
    text = _OPEN_END_TAG.sub(r"\1>", text)
    text = _TAG.sub(_repaired_tag, text)
    return _with_namespaces(_with_right_end(text))


def _repaired_tag(match: "re.Match[str]") -> str:
    tag = match.group().replace("\u00a0", " ")
    return _URI_BLANKS.sub(r"\1", _MARK_QUOTES.sub(r'="\1"', tag))


def _with_right_end(text: str) -> str:
    """The example of an agent-signal in the protocol's description ends as an avatar-signal."""
    if "<agent-signal" in text and "<avatar-signal" not in text and "</agent-signal" not in text:
        return text.replace("</avatar-signal", "</agent-signal")
    return text


def _with_namespaces(text: str) -> str:
    """Declare undeclared prefixes in the root; six of the nine printed examples have one."""
    tags = "".join(_TAG.findall(text))
    missing = set(_PREFIXED.findall(tags)) - set(_DECLARED.findall(tags)) - {"xml", "xmlns"}
    root = _ROOT.search(text)
    if root is None or not missing or len(missing) > len(_URIS):
        return text
    declared = "".join(
        f' xmlns:{prefix}="{_URIS.get(prefix, f"urn:unbound:{prefix}")}"' for prefix in sorted(missing)
    )
    return text[: root.end()] + declared + text[root.end() :]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one document.

    max_bytes: a slice of 4,096 terrain blocks has 1 MB, a thousand entities 0.6 MB.
    max_marks: ``<`` and ``=`` together, so elements and attributes: some 200 bytes of memory each while parsing.

    Nesting is bounded by libxml2 at 256 elements, and nothing here recurses.
    """

    max_bytes: int = 4 << 20
    max_marks: int = 400_000


class Element(Protocol):
    """An element of lxml; as far as it is used here."""

    tag: str
    text: str | None

    @property
    def attrib(self) -> Mapping[str, str]:
        """Its attributes by name."""
        ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator["Element"]: ...

    def __setitem__(self, place: slice, elements: Sequence["Element"]) -> None: ...

    def set(self, name: str, value: str) -> None:
        """Give it an attribute."""
        ...

    @overload
    def get(self, name: str) -> str | None: ...

    @overload
    def get(self, name: str, default: str) -> str: ...

    def get(self, name: str, default: str | None = None) -> str | None:
        """The value of an attribute, or ``default``."""
        ...

    def items(self) -> Sequence[tuple[str, str]]:
        """Its attributes, in the order of the document."""
        ...

    def itertext(self) -> Iterator[str]:
        """All texts in it, in the order of the document."""
        ...


class BadElementError(ValueError):
    """An element cannot be used; the text names element, attribute and value."""


def local_name(element: Element) -> str:
    """The name of an element without its namespace, in which programs differ."""
    return element.tag.rpartition("}")[2]


def children(element: Element, name: str) -> Iterator[Element]:
    """The children of an element with a local name."""
    return (child for child in element if local_name(child) == name)


def required(element: Element, name: str) -> str:
    """An attribute that has to be there.

    Raises:
        BadElementError: it is missing.
    """
    value = element.get(name)
    if value is None:
        raise BadElementError(f"{local_name(element)}: attribute {name!r} is missing")
    return value


_DECLARATION: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s[^<>]{0,300}\?>")
_ANY_DECLARATION: Final = re.compile("\\ufeff?\\s*<\\?xml[\\s\\u00a0][^<>]{0,300}\\?>")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
LONGEST_REASON: Final = 300


class NotXmlError(ValueError):
    """The bytes are not an accepted document; the text says why."""


def parse(data: bytes, limits: Limits) -> Element:
    """The root element of a document.

    The XML declaration is removed, because some programs declare another encoding than they use: UTF-8, or else
    Latin-1. Known mistakes in the XML are repaired.

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
