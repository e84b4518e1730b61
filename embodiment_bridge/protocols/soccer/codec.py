# SPDX-License-Identifier: Apache-2.0
"""The agent port of a soccer simulator: frames of lists to events, commands to frames, for one connection."""

from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

from typing_extensions import override

from embodiment_bridge.wire import codec
from embodiment_bridge.wire.events import Malformed, Truncated
from embodiment_bridge.wire.framing import Framer, frame

Event = TypeVar("Event")
Command = TypeVar("Command")


class Named(Protocol):
    """A dialect."""

    @property
    def name(self) -> str:
        """Its name in ``decode --dialect``."""
        ...


class AgentCodec(codec.Codec[Event | Malformed, Command], Generic[Event, Command]):
    """Decodes what an agent receives and encodes what it sends.

    Args:
        dialect: that of the connection, which ``read`` may still find out.
        read: the events of the payload of one frame, by the offset of the frame.
        payload: the payload of one command.
        max_frame: longest frame accepted, bytes.
    """

    def __init__(
        self,
        dialect: Named,
        read: Callable[[int, bytes], Iterable[Event]],
        payload: Callable[[Command], bytes],
        max_frame: int,
    ) -> None:
        self._dialect = dialect
        self._read = read
        self._payload = payload
        self._framer = Framer(max_frame)

    @property
    def dialect(self) -> str:
        """The dialect in use: as told, or as found so far."""
        return self._dialect.name

    @override
    def feed(self, data: bytes) -> list[Event | Malformed]:
        """Take bytes; return the events that are now whole.

        A frame gives one event, then an ``Unknown`` or ``Malformed`` for each list in it that is not understood; a
        frame of such lists alone gives just these.
        """
        events: list[Event | Malformed] = []
        for found in self._framer.feed(data):
            if isinstance(found, Malformed):
                events.append(found)
            else:
                events += self._read(found.offset, found.payload)
        return events

    @override
    def close(self) -> list[Truncated]:
        return self._framer.close()

    @override
    def encode(self, command: Command) -> bytes:
        """One wire frame for one command; a ``commands.Frame`` holds several actions.

        Raises:
            CommandError: the command cannot be sent; the text names the field, its value and the choices.
        """
        return frame(self._payload(command))
