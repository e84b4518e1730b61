# SPDX-License-Identifier: Apache-2.0
"""Codec for a stream of XML documents, as ``decode opencog_xml`` uses it.

In the network each message is framed by the Router's lines (``codec.py``), and its document goes to ``xml_reader``.
"""

from typing import Any

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.protocols.opencog.xml.document_framing import DocumentFramer
from embodiment_bridge.protocols.opencog.xml.events import BRAIN_MESSAGES, COMMANDS, DIALECTS, Event
from embodiment_bridge.protocols.opencog.xml.xml_reader import read
from embodiment_bridge.protocols.opencog.xml.xml_writer import dialect_of, write, write_brain
from embodiment_bridge.wire.events import Malformed, Truncated, Unknown


class Codec:
    """Decodes documents of both sides and encodes single messages. Keeps only the unfinished document.

    Args:
        dialect: one of ``events.DIALECTS``; empty: that of each document, and for a message the first that has it.

    Raises:
        ConfigError: there is no such dialect.
    """

    def __init__(self, dialect: str = "") -> None:
        if dialect and dialect not in DIALECTS:
            raise ConfigError(unknown("dialect", dialect, DIALECTS))
        self._dialect = dialect
        self._documents = DocumentFramer()

    def feed(self, data: bytes) -> list[Event | Malformed | Unknown]:
        """Take received bytes; return the events of the documents that are now complete. Never raises."""
        events: list[Event | Malformed | Unknown] = []
        for found in self._documents.feed(data):
            if isinstance(found, Malformed):
                events.append(found)
            else:
                events += read(found.data, dialect=self._dialect, offset=found.offset)
        return events

    def close(self) -> list[Truncated]:
        """The stream ended: return a ``Truncated`` if a document was unfinished, else nothing."""
        return self._documents.close()

    def encode(self, command: Any) -> bytes:
        """One document of one message.

        Raises:
            CommandError: it cannot be written; the text names the field, its value and what it may be.
        """
        if isinstance(command, Unknown):
            return _raw(command.raw)
        if type(command) in BRAIN_MESSAGES:
            return write_brain(command, self._dialect or "final")
        if type(command) not in COMMANDS:
            raise CommandError(
                unknown("command", type(command).__name__, (kind.__name__ for kind in COMMANDS))
            )
        return write([command], self._dialect or dialect_of(command))


def _raw(document: Any) -> bytes:
    """The bytes of a received document, for sending it again."""
    if isinstance(document, bytes) and document.startswith(b"<") and document.endswith(b">"):
        return document
    raise CommandError(f"Unknown.raw is {document!r:.80}; it must be one document")
