# SPDX-License-Identifier: Apache-2.0
"""The monitor port of a soccer server: frames to events, trainer commands to frames."""

from collections.abc import Callable, Sequence

from typing_extensions import override

from embodiment_bridge.protocols.soccer_monitor.command_writer import write
from embodiment_bridge.protocols.soccer_monitor.commands import Command
from embodiment_bridge.protocols.soccer_monitor.message_parts import Event
from embodiment_bridge.wire import codec
from embodiment_bridge.wire.events import Malformed, Truncated, Unknown
from embodiment_bridge.wire.framing import Framer, frame


class MonitorCodec(codec.Codec[Event, Command | Unknown]):
    """Decodes what a monitor receives and encodes what a trainer sends, for one connection.

    Args:
        read_frame: the events of a frame, by its offset and payload.
        commands: those that the server obeys; others are refused.
        max_frame: bytes.
        rsmp: the server is rcssservermj, which takes the names of teams and poses in space.
    """

    def __init__(
        self,
        read_frame: Callable[[int, bytes], list[Event]],
        commands: Sequence[type],
        max_frame: int,
        *,
        rsmp: bool = False,
    ) -> None:
        self._read_frame = read_frame
        self._commands = commands
        self._rsmp = rsmp
        self._framer = Framer(max_frame)

    @override
    def feed(self, data: bytes) -> list[Event]:
        events: list[Event] = []
        for found in self._framer.feed(data):
            if isinstance(found, Malformed):
                events.append(found)
            else:
                events += self._read_frame(found.offset, found.payload)
        return events

    @override
    def close(self) -> list[Truncated]:
        return self._framer.close()

    @override
    def encode(self, command: Command | Unknown) -> bytes:
        """One frame for one command; the server answers none.

        Raises:
            CommandError: the command cannot be sent; the text names the field, its value and the choices.
        """
        return frame(write(command, self._commands, rsmp=self._rsmp))
