# SPDX-License-Identifier: Apache-2.0
"""The lines of the head: bytes to events, commands to bytes, for one connection."""

import re
from typing import Final

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.dummy.events import (
    COMMANDS,
    Command,
    Event,
    Greet,
    Hello,
    Joints,
    SetJoints,
)
from embodiment_bridge.wire.codec import Codec, Malformed, Truncated, Unknown, excerpt
from embodiment_bridge.wire.framing import LineFramer

MAX_LINE: Final = 200  # bytes; the longest line of the protocol has some 60
MAX_NAME: Final = 32  # characters
PAN_LIMIT_DEG: Final = 90.0
TILT_LIMIT_DEG: Final = 45.0

_WORDS: Final = re.compile(rb"[!-~]+(?: [!-~]+)*")  # printable ASCII, one blank between the words
# Python's float() also takes "nan", "1e999", "1_0" and digits of other scripts: none of them is in the protocol.
_NUMBER: Final = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?")


class HeadCodec(Codec[Event, Command]):
    """Decodes what the head sends and encodes what it is sent. It keeps nothing but the unfinished line."""

    def __init__(self) -> None:
        self._lines = LineFramer(MAX_LINE)

    @override
    def feed(self, data: bytes) -> list[Event]:
        return [
            found if isinstance(found, Malformed) else _read(found.offset, found.text)
            for found in self._lines.feed(data)
        ]

    @override
    def close(self) -> list[Truncated]:
        return self._lines.close()

    @override
    def encode(self, command: Command) -> bytes:
        return _write(command).encode("ascii") + b"\n"


def _read(offset: int, line: bytes) -> Event:
    if not _WORDS.fullmatch(line):
        return Malformed(offset, "not words of printable ASCII with one blank between them", excerpt(line))
    match line.decode("ascii").split(" "):
        case ["hello", name]:
            return Hello(offset, name)
        case ["joint", "pan", pan, "tilt", tilt, "t", time] if all(map(_NUMBER.fullmatch, (pan, tilt, time))):
            return Joints(offset, float(pan), float(tilt), float(time))
        case ["hello" | "joint" as word, *_]:
            return Malformed(offset, f"no {word!r} line of the protocol", excerpt(line))
    return Unknown(offset, line)  # perhaps from a newer head


def _write(command: Command) -> str:
    match command:
        case Greet():
            return f"hello {_name('Greet.name', command.name)}"
        case SetJoints():
            pan = _number("SetJoints.pan_deg", command.pan_deg, PAN_LIMIT_DEG)
            return f"set pan {pan} tilt {_number('SetJoints.tilt_deg', command.tilt_deg, TILT_LIMIT_DEG)}"
        case Unknown():
            return _raw(command.raw)
    raise CommandError(unknown("command", type(command).__name__, (kind.__name__ for kind in COMMANDS)))


def _name(field: str, value: object) -> str:
    if isinstance(value, str) and len(value) <= MAX_NAME and re.fullmatch("[!-~]+", value):
        return value
    raise CommandError(
        f"{field} is {value!r}; it must be 1 to {MAX_NAME} printable ASCII characters without blanks"
    )


def _number(field: str, value: object, limit: float) -> str:
    """The text of a number from -limit to limit, which nan is not."""
    if isinstance(value, int | float) and -limit <= value <= limit:
        return f"{value:.3f}"
    raise CommandError(f"{field} is {value!r}; it must be a number from {-limit:g} to {limit:g}")


def _raw(line: object) -> str:
    """A line that was received, for sending it again."""
    if isinstance(line, bytes) and len(line) <= MAX_LINE and _WORDS.fullmatch(line):
        return line.decode("ascii")
    raise CommandError(f"Unknown.raw is {line!r}; it must be one line of words of printable ASCII")
