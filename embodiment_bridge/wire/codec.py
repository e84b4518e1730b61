# SPDX-License-Identifier: Apache-2.0
"""The base class of codecs: bytes to events, commands to bytes. Its only state is the unfinished frame."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from embodiment_bridge.wire.events import Truncated

Event_co = TypeVar("Event_co", covariant=True)
Command_contra = TypeVar("Command_contra", contravariant=True)


class Codec(Protocol[Event_co, Command_contra]):
    """Bytes to events and commands to bytes, for one connection."""

    def feed(self, data: bytes) -> Sequence[Event_co]:
        """Take bytes as they came, in any chunks; return the events that are now whole, in order.

        Never raises, whatever the bytes are: what is wrong is a ``Malformed``, what has no name here an ``Unknown``.
        """
        ...

    def close(self) -> Sequence[Event_co | Truncated]:
        """The stream ended: return a ``Truncated`` if a frame was unfinished, else nothing."""
        ...

    def encode(self, command: Command_contra) -> bytes:
        """Wire bytes of one command, framing included.

        Raises:
            CommandError: the command cannot be put on the wire; the text names the field, the value and the choices.
        """
        ...
