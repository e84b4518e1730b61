# SPDX-License-Identifier: Apache-2.0
"""Codec of the Router's line protocol for one connection. Payloads stay bytes.

A line from the Router begins with ``c`` (command) or ``d`` (a line of a message); only the answers ``OK`` and
``FAILED`` have no such mark. Lines to the Router have none (opencog/embodiment/Control/MessagingSystem).
"""

import re
from typing import Final, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.opencog.router import wire
from embodiment_bridge.wire import codec
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown, excerpt
from embodiment_bridge.wire.framing import Line, LineFramer

MAX_LINE: Final = 1 << 18  # bytes; plans of a real OAC have lines of some 100
MAX_MESSAGE: Final = 1 << 20  # bytes of payload
MAX_HELD: Final = 100  # other lines inside an open message
MAX_ID: Final = 200  # characters; the Router's buffers have 256 bytes

_WORD: Final = re.compile(r"[!-~]+")
_NUMBER: Final = re.compile(rb"-?[0-9]{1,9}")


Event: TypeAlias = wire.Event | Unknown | Malformed
Command: TypeAlias = wire.Command | Unknown


class Codec(codec.Codec[Event, Command]):
    """Decodes events of the Router and encodes commands. Keeps only the unfinished line and message."""

    def __init__(self) -> None:
        self._lines = LineFramer(MAX_LINE)
        self._fed = 0
        self._open: _Open | None = None
        self._skipping = False  # the lines of a message that is given up
        self._held: list[Event] = []  # events amid an open message: events keep the order of their offsets

    @override
    def feed(self, data: bytes) -> list[Event]:
        self._fed += len(data)
        found: list[Event] = []
        for line in self._lines.feed(data):
            if isinstance(line, Malformed):
                self._tell(line, found)
            elif line.text:
                self._read(line, found)
        return found

    @override
    def close(self) -> list[Truncated]:
        partial = self._lines.close()
        if self._open is None:
            return partial
        begun, self._open, self._held = self._open.offset, None, []
        return [Truncated(begun, self._fed - begun)]

    @override
    def encode(self, command: Command) -> bytes:
        return _write(command) + b"\n"

    def _read(self, line: Line, found: list[Event]) -> None:
        mark, text = line.text[:1], line.text[1:]
        if mark == b"d":
            self._read_data(line, text, found)
        elif mark == b"c" and text == b"NO_MORE_MESSAGES":
            self._end_batch(line, found)
        elif mark == b"c" and text.split(b" ")[0] == b"START_MESSAGE":
            self._begin(line, text, found)
        else:
            self._tell(_notice(line) if mark == b"c" else _answer(line), found)

    def _read_data(self, line: Line, text: bytes, found: list[Event]) -> None:
        if self._skipping:
            return
        if self._open is None:
            self._tell(Malformed(line.offset, "a line of a message outside a message", excerpt(text)), found)
        elif not self._open.add(text):
            self._give_up(self._open, f"message longer than {MAX_MESSAGE} bytes skipped", found)

    def _begin(self, line: Line, text: bytes, found: list[Event]) -> None:
        self._complete(found, last=False)
        words = _words(text)
        if len(words) == 4 and _NUMBER.fullmatch(words[3].encode()):
            self._open = _Open(line.offset, words[1], words[2], int(words[3]))
        else:
            self._skipping = True
            found.append(
                Malformed(line.offset, "START_MESSAGE needs sender, destination, type", excerpt(text))
            )

    def _end_batch(self, line: Line, found: list[Event]) -> None:
        if self._open is not None:
            self._complete(found, last=True)
        elif self._skipping:
            self._skipping = False
            found.append(wire.BatchEnd(line.offset))
        else:
            found.append(Malformed(line.offset, "NO_MORE_MESSAGES outside a batch", excerpt(line.text)))

    def _complete(self, found: list[Event], *, last: bool) -> None:
        if self._open is not None:
            found.append(self._open.message(last))
            self._release(found)
        self._skipping = False

    def _give_up(self, message: "_Open", reason: str, found: list[Event]) -> None:
        found.append(Malformed(message.offset, reason, excerpt(bytes(message.payload[:100]))))
        self._skipping = True
        self._release(found)

    def _release(self, found: list[Event]) -> None:
        found += self._held
        self._held, self._open = [], None

    def _tell(self, event: Event, found: list[Event]) -> None:
        if self._open is None:
            found.append(event)
        else:
            self._held.append(event)
            if len(self._held) > MAX_HELD:
                reason = f"message with more than {MAX_HELD} other lines in it skipped"
                self._give_up(self._open, reason, found)


class _Open:
    """A message whose end has not been received."""

    def __init__(self, offset: int, sender: str, to: str, kind: int) -> None:
        self.offset, self.sender, self.to, self.kind = offset, sender, to, kind
        self.payload = bytearray()
        self._empty = True

    def add(self, text: bytes) -> bool:
        """Add one line; returns False if the message is too long now."""
        if not self._empty:
            self.payload += b"\n"
        self._empty = False
        self.payload += text
        return len(self.payload) <= MAX_MESSAGE

    def message(self, last: bool) -> wire.Message:
        """The complete message."""
        return wire.Message(self.offset, self.sender, self.to, self.kind, bytes(self.payload), last)


def _words(text: bytes) -> list[str]:
    """The words of a command line; empty if one is empty or not printable ASCII."""
    words = text.decode("latin-1").split(" ")
    return words if all(map(_WORD.fullmatch, words)) else []


def _notice(line: Line) -> Event:
    match _words(line.text[1:]):
        case ["AVAILABLE_ELEMENT", name]:
            return wire.Available(line.offset, name)
        case ["UNAVAILABLE_ELEMENT", name]:
            return wire.Unavailable(line.offset, name)
        case ["NOTIFY_NEW_MESSAGE", count] if count.isdecimal() and len(count) < 10:
            return wire.NewMessages(line.offset, int(count))
        case ["AVAILABLE_ELEMENT" | "UNAVAILABLE_ELEMENT" | "NOTIFY_NEW_MESSAGE" as word, *_]:
            return Malformed(line.offset, f"{word} with wrong arguments", excerpt(line.text))
        case []:
            return Malformed(line.offset, "not words with one blank between them", excerpt(line.text))
    return Unknown(line.offset, line.text)


def _answer(line: Line) -> Event:
    if line.text == b"OK":
        return wire.Ok(line.offset)
    if line.text.startswith(b"FAILED"):
        reason = line.text.removeprefix(b"FAILED").removeprefix(b" - ")
        return wire.Failed(line.offset, reason.decode("utf-8", "backslashreplace").strip())
    return Malformed(line.offset, "a line begins with c or d, or is OK or FAILED", excerpt(line.text))


def _write(command: Command) -> bytes:
    match command:
        case wire.Login():
            host = _name("Login.host", command.host)
            port = _whole("Login.port", command.port, 1, 65535)
            return f"LOGIN {_name('Login.id', command.id)} {host} {port}".encode("ascii")
        case wire.Logout():
            return f"LOGOUT {_name('Logout.id', command.id)}".encode("ascii")
        case wire.NewMessage():
            return _new_message(command)
        case wire.RequestUnread():
            limit = _whole("RequestUnread.limit", command.limit, -1, 10**9)
            return f"REQUEST_UNREAD_MESSAGES {_name('RequestUnread.id', command.id)} {limit}".encode("ascii")
        case wire.Ack():
            return b"OK"
        case Unknown():
            return _raw(command.raw)
    raise CommandError(unknown("command", type(command).__name__, (kind.__name__ for kind in wire.COMMANDS)))


def _new_message(command: wire.NewMessage) -> bytes:
    payload: object = command.payload
    if not isinstance(payload, bytes) or b"\0" in payload:
        raise CommandError(
            f"NewMessage.payload is {payload!r:.80}; it must be bytes without NUL, where the Router cuts them off"
        )
    sender, to = _name("NewMessage.sender", command.sender), _name("NewMessage.to", command.to)
    kind = _whole("NewMessage.type", command.type, 1, 999)
    head = f"NEW_MESSAGE {sender} {to} {kind} {payload.count(10) + 1}\n"  # 0 lines would block the Router for ever
    return head.encode("ascii") + payload


def _name(field: str, value: object) -> str:
    if isinstance(value, str) and len(value) <= MAX_ID and _WORD.fullmatch(value):
        return value
    raise CommandError(
        f"{field} is {value!r}; it must be 1 to {MAX_ID} printable ASCII characters without blanks"
    )


def _whole(field: str, value: object, lowest: int, highest: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest:
        return int(value)
    raise CommandError(f"{field} is {value!r}; it must be a whole number from {lowest} to {highest}")


def _raw(line: object) -> bytes:
    """The bytes of a received line, for sending it again."""
    if isinstance(line, bytes) and line and len(line) <= MAX_LINE and not {0, 10, 13} & set(line):
        return line
    raise CommandError(f"Unknown.raw is {line!r:.80}; it must be one line without NUL")
