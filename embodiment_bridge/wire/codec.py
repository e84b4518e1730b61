# SPDX-License-Identifier: Apache-2.0
"""What a codec is: pure, bytes in and events out, commands in and bytes out; it keeps only the unfinished frame."""

from typing import Any, Protocol


class Codec(Protocol):
    """Bytes to events and commands to bytes, for one connection."""

    def feed(self, data: bytes) -> list[Any]:
        """Take bytes as they came, in any chunks; return the events that are now whole, in order."""

    def close(self) -> list[Any]:
        """The stream ended: return a ``Truncated`` if a frame was unfinished, else nothing."""

    def encode(self, command: Any) -> bytes:
        """Wire bytes of one command, framing included.

        Raises:
            CommandError: the command cannot be put on the wire; the text names the field, the value and the choices.
        """
