# SPDX-License-Identifier: Apache-2.0
"""Codec for a stream of XML documents, which it cuts out of the bytes even where they are not well-formed.

In the network each message is framed by the Router's lines (``router/codec.py``); ``xml_documents.py`` reads its
document.
"""

import re
from enum import Enum
from typing import Final

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.protocols.opencog.xml.events import (
    COMMANDS,
    READ_DIALECTS,
    BrainMessage,
    Event,
    ProxyMessage,
)
from embodiment_bridge.protocols.opencog.xml.xml_documents import dialect_of, read, write, write_brain
from embodiment_bridge.wire import codec
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown, excerpt

# Cuts a byte stream into XML documents, which need not be well-formed.

DEFAULT_MAX_DOCUMENT: Final = 1 << 20  # bytes
MAX_NOISE: Final = 200  # bytes outside documents that are read before they are reported
TAIL: Final = 512  # bytes; the longest end tag that is recognised while skipping
_SPACE: Final = b" \t\r\n\xef\xbb\xbf"  # also the byte-order mark of UTF-8
_ROOT: Final = re.compile(rb"<([^\s<>/!?\"'=&]{1,200})(?=[\s/>])")
_PART_OF_ROOT: Final = re.compile(rb"<[^\s<>/!?\"'=&]{0,200}\Z")
_INSIDE_TAG: Final = re.compile(rb"(?:[^<>\"']+|\"[^<\"]*\"|'[^<']*')*")
_DOCTYPE: Final = re.compile(rb"<![^\[<>]{0,1000}(?:\[[^\]]*\]\s*)?>")
_DECLARATION: Final = re.compile(rb"<\?xml\s")


class State(Enum):
    """State of the framer at the next byte."""

    BETWEEN = 0  # documents
    NOISE = 1  # bytes outside documents that were reported already
    PROLOG = 2
    BODY = 3
    SKIPPING = 4  # a document that is too long


class Document:
    """One document: the ``offset`` of its first byte in the stream, and its ``data``. It may be broken."""

    __slots__ = ("data", "offset")

    def __init__(self, offset: int, data: bytes) -> None:
        self.offset = offset
        self.data = data


class DocumentFramer:
    """Cuts a byte stream that comes in any chunks into documents.

    A document ends with the end tag of its root, or at the XML declaration of the next one. The unfinished document is
    kept between calls, up to ``max_document`` bytes; a longer one is reported and skipped.
    """

    def __init__(self, max_document: int = DEFAULT_MAX_DOCUMENT) -> None:
        self._max = max_document
        self._state = State.BETWEEN
        self._offset = 0  # in the stream, of the buffer
        self._begin = 0  # in the stream, of the unfinished document
        self._buffer = bytearray()
        self._scan = 0  # in the buffer: everything before it was searched
        self._depth = 0
        self._end = _DECLARATION  # pattern of the possible ends of the document

    def feed(self, data: bytes) -> list[Document | Malformed]:
        """Take received bytes; return the complete documents, and reports on other bytes, in order."""
        found: list[Document | Malformed] = []
        view = memoryview(data)
        while view:
            room = max(self._max + 1 - len(self._buffer), 1)
            self._buffer += view[:room]
            view = view[room:]
            while self._step(found):
                pass
        return found

    def close(self) -> list[Truncated]:
        """End the stream: report an unfinished document, which is dropped."""
        received = self._offset + len(self._buffer) - self._begin
        if self._state in (State.BETWEEN, State.NOISE) and not self._buffer.strip(_SPACE):
            received = 0
        begin = self._begin
        self._drop(len(self._buffer))
        self._start(State.BETWEEN)
        return [Truncated(begin, received)] if received else []

    def _step(self, found: list[Document | Malformed]) -> bool:
        """Process one state; returns whether it was finished, so that there may be more to do."""
        if self._state in (State.BETWEEN, State.NOISE):
            return self._between(found)
        if self._state is State.SKIPPING:
            return self._skip()
        more = self._prolog(found) if self._state is State.PROLOG else self._body(found)
        if not more and len(self._buffer) > self._max:
            self._give_up(found)
            return True
        return more

    def _between(self, found: list[Document | Malformed]) -> bool:
        if self._state is State.BETWEEN:
            self._drop(self._after_blanks(0))
        if not self._buffer:
            self._start(self._state)
            return False
        place = self._buffer.find(b"<", self._scan)
        if place == 0 or (place > 0 and self._state is State.NOISE):
            self._drop(place)
            self._start(State.PROLOG)
            return True
        if self._state is State.NOISE:
            self._drop(len(self._buffer))
            self._start(State.NOISE)
            return False
        self._begin = self._offset
        if 0 < place <= MAX_NOISE or len(self._buffer) > MAX_NOISE:
            end = place if 0 < place <= MAX_NOISE else MAX_NOISE
            found.append(Malformed(self._offset, "not an XML document", excerpt(bytes(self._buffer[:end]))))
            self._drop(end)
            self._start(State.NOISE)
            return True
        return False

    def _prolog(self, found: list[Document | Malformed]) -> bool:
        """Find the root; comments, instructions and a document type may come before it."""
        buffer = self._buffer
        while True:
            at = self._after_blanks(self._scan)
            if at >= len(buffer):
                return False
            if buffer.startswith(b"<?", at):
                end = buffer.find(b"?>", at) + 2
            elif buffer.startswith(b"<!--", at):
                end = buffer.find(b"-->", at + 4) + 3
            elif buffer.startswith(b"<!", at) and not b"<!--".startswith(buffer[at : at + 4]):
                match = _DOCTYPE.match(buffer, at)
                end = match.end() if match else 0
            elif (root := _ROOT.match(buffer, at)) is not None:
                return self._root(root, found)
            elif b"<!--".startswith(buffer[at : at + 4]) or _PART_OF_ROOT.match(buffer, at):
                return False  # there is more to come
            else:
                return self._no_document(at, found)
            if end < 4:
                return False
            self._scan = end

    def _after_blanks(self, at: int) -> int:
        buffer = self._buffer
        while at < len(buffer) and buffer[at] in _SPACE:
            at += 1
        return at

    def _no_document(self, at: int, found: list[Document | Malformed]) -> bool:
        found.append(Malformed(self._offset, "not an XML document", excerpt(bytes(self._buffer[: at + 1]))))
        self._drop(at + 1)
        self._start(State.NOISE)
        return True

    def _root(self, root: "re.Match[bytes]", found: list[Document | Malformed]) -> bool:
        closed = self._tag_end(root.end())
        if closed is None:
            return False
        name = re.escape(root[1])
        self._end = re.compile(rb"<!--|<!\[CDATA\[|<\?|</" + name + rb"\s{0,200}>|<" + name + rb"(?=[\s/>])")
        end, empty = closed
        if empty:
            return self._finish(end, found)
        self._state = State.BODY
        self._scan = end
        self._depth = 1
        return True

    def _tag_end(self, at: int) -> tuple[int, bool] | None:
        """End of the tag that is open at a place, and whether it is empty; None: not received yet."""
        match = _INSIDE_TAG.match(self._buffer, at)
        end = match.end() if match else at
        if end >= len(self._buffer) or self._buffer[end] in b"\"'":
            broken = self._buffer.find(b"<", end)
            return None if broken < 0 else (broken, False)
        if self._buffer[end] == ord("<"):
            return end, False  # broken; the parser will report it
        return end + 1, self._buffer[end - 1] == ord("/")

    def _body(self, found: list[Document | Malformed]) -> bool:
        buffer = self._buffer
        while (match := self._end.search(buffer, self._scan)) is not None:
            token, at = match.group(), match.start()
            if token.startswith(b"</"):
                self._depth -= 1
                self._scan = match.end()
                if self._depth == 0:
                    return self._finish(self._scan, found)
                continue
            if token == b"<?" and len(buffer) < at + 6:
                self._scan = at
                return False
            if token == b"<?" and _DECLARATION.match(buffer, at):
                return self._finish(at, found)  # the next one begins
            end = self._end_of(token, at)
            if end is None:
                self._scan = at
                return False
            self._scan = end
        self._scan = max(self._scan, buffer.rfind(b"<", max(len(buffer) - TAIL, 0)), len(buffer) - TAIL)
        return False

    def _end_of(self, token: bytes, at: int) -> int | None:
        """End of the comment, section, instruction or tag that begins at a place."""
        closing = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}.get(token)
        if closing is not None:
            end = self._buffer.find(closing, at + len(token))
            return None if end < 0 else end + len(closing)
        closed = self._tag_end(at + len(token))
        if closed is None:
            return None
        self._depth += not closed[1]
        return closed[0]

    def _finish(self, end: int, found: list[Document | Malformed]) -> bool:
        if end > self._max:
            found.append(self._too_long())
        else:
            found.append(Document(self._offset, bytes(self._buffer[:end])))
        self._drop(end)
        self._start(State.BETWEEN)
        return True

    def _give_up(self, found: list[Document | Malformed]) -> None:
        found.append(self._too_long())
        begin = self._begin
        self._drop(len(self._buffer) - TAIL)
        self._start(State.SKIPPING)
        self._begin = begin

    def _too_long(self) -> Malformed:
        reason = f"document longer than {self._max} bytes skipped"
        return Malformed(self._offset, reason, excerpt(bytes(self._buffer[:TAIL])))

    def _skip(self) -> bool:
        """Skip to the beginning of the next document."""
        match = _DECLARATION.search(self._buffer)
        if match is None:
            self._drop(max(len(self._buffer) - TAIL, 0))
            return False
        self._drop(match.start())
        self._start(State.BETWEEN)
        return True

    def _start(self, state: State) -> None:
        self._state = state
        self._scan = self._depth = 0
        self._begin = self._offset

    def _drop(self, size: int) -> None:
        del self._buffer[:size]
        self._offset += size


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
