# SPDX-License-Identifier: Apache-2.0
"""Repairs known mistakes in the documents of real programs and in those of the protocol's description.

Truncated or mixed-up documents are not repaired, because a body must not act on half a plan.
"""

import re
from typing import Final

from embodiment_bridge.protocols.opencog.xml.events import BRAIN_URI

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
