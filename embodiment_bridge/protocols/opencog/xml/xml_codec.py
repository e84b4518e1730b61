# SPDX-License-Identifier: Apache-2.0
"""Codec for a stream of XML documents, as ``decode opencog_xml`` uses it.

In the network each message is framed by the Router's lines (``codec.py``), and its document goes to ``xml_reader``.
"""

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.protocols.opencog.xml.document_framing import DocumentFramer
from embodiment_bridge.protocols.opencog.xml.events import (
    COMMANDS,
    READ_DIALECTS,
    BrainMessage,
    Event,
    ProxyMessage,
)
from embodiment_bridge.protocols.opencog.xml.xml_reader import read
from embodiment_bridge.protocols.opencog.xml.xml_writer import dialect_of, write, write_brain
from embodiment_bridge.wire import codec
from embodiment_bridge.wire.events import Malformed, Truncated, Unknown


class Codec(codec.Codec[Event | Malformed | Unknown, ProxyMessage | BrainMessage | Unknown]):
    """Decodes documents of either side and encodes single messages. Keeps nothing but the unfinished document.

    Args:
        dialect: one of ``events.READ_DIALECTS``; empty: that of each document, and for a message the first that has it.

    Raises:
        ConfigError: there is no such dialect.
    """

    def __init__(self, dialect: str = "") -> None:
        if dialect and dialect not in READ_DIALECTS:
            raise ConfigError(unknown("dialect", dialect, READ_DIALECTS))
        self._dialect = dialect
        self._documents = DocumentFramer()

    @override
    def feed(self, data: bytes) -> list[Event | Malformed | Unknown]:
        events: list[Event | Malformed | Unknown] = []
        for found in self._documents.feed(data):
            if isinstance(found, Malformed):
                events.append(found)
            else:
                events += read(found.data, dialect=self._dialect, offset=found.offset)
        return events

    @override
    def close(self) -> list[Truncated]:
        return self._documents.close()

    @override
    def encode(self, command: ProxyMessage | BrainMessage | Unknown) -> bytes:
        if isinstance(command, Unknown):
            return _raw(command.raw)
        if isinstance(command, BrainMessage):
            return write_brain(command)
        if not isinstance(command, ProxyMessage):
            raise CommandError(
                unknown("command", type(command).__name__, (kind.__name__ for kind in COMMANDS))
            )
        return write([command], self._dialect or dialect_of(command))


def _raw(document: object) -> bytes:
    """The bytes of a received document, for sending it again."""
    if isinstance(document, bytes) and document.startswith(b"<") and document.endswith(b">"):
        return document
    raise CommandError(f"Unknown.raw is {document!r:.80}; it must be one document")
