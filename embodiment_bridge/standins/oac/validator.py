# SPDX-License-Identifier: Apache-2.0
"""Checks whether an OAC accepts a message: validates it by a schema as its XML parser does, and checks time stamps.

A real OAC compares every message with its schema whenever it finds the file, and drops the whole message at the first
fault silently (final OpenCog, reproduced with Xerces-C 3.2.4 in its configuration). The schemas here are our own.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from lxml import etree

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.opencog.xml.events import DIALECTS
from embodiment_bridge.protocols.opencog.xml.xml_limits import Limits

FOLDER: Final = Path(__file__).with_name("schema")
MOST_PROBLEMS: Final = 20
_DECLARATION: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?<\?xml[^<>\x80-\xff]{0,300}\?>")


def validate(data: bytes, dialect: str = "final", limits: Limits | None = None) -> list[str]:
    """Faults of a document for an OAC of a dialect; empty if the OAC accepts it.

    Raises:
        ConfigError: there is no such dialect.
    """
    schema = _schema(dialect)
    root, problems = _well_formed(data, limits or Limits())
    if root is None or problems:
        return problems
    if schema.validate(root):
        return []
    return [f"line {error.line}: {error.message}"[:300] for error in schema.error_log][:MOST_PROBLEMS]


def well_formed(data: bytes, limits: Limits | None = None) -> list[str]:
    """Faults of a document for an OAC without a schema."""
    return _well_formed(data, limits or Limits())[1]


@cache
def _schema(dialect: str) -> Any:
    if dialect not in DIALECTS:
        raise ConfigError(unknown("dialect", dialect, DIALECTS))
    return etree.XMLSchema(etree.parse(FOLDER / f"{dialect}.xsd"))


def _well_formed(data: bytes, limits: Limits) -> tuple[Any | None, list[str]]:
    """The root of a document, read as UTF-8: like the parser of a real OAC, it ignores the declared encoding."""
    if len(data) > limits.max_bytes or data.count(b"<") + data.count(b"=") > limits.max_marks:
        return None, [f"document of {len(data)} bytes is over the limits"]
    if b"<!DOCTYPE" in data:
        return None, ["a document type is not allowed"]
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(_DECLARATION.sub(b"", data, count=1), parser), []
    except (etree.XMLSyntaxError, ValueError) as error:
        return None, [f"not XML: {' '.join(str(error).split())}"[:300]]
