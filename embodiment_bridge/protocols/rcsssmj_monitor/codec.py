# SPDX-License-Identifier: Apache-2.0
"""The monitor port of RCSSServerMJ: its bytes to events, trainer commands to bytes."""

from embodiment_bridge.framing import DEFAULT_MAX_FRAME, Framer, frame
from embodiment_bridge.protocols.contract import Malformed, Truncated, Unknown
from embodiment_bridge.protocols.rcsssmj_monitor.frame_reader import read_frame
from embodiment_bridge.protocols.soccer_monitor.command_writer import write
from embodiment_bridge.protocols.soccer_monitor.commands import RCSSSMJ_COMMANDS, Command
from embodiment_bridge.protocols.soccer_monitor.message_parts import Event


class Codec:
    """Decodes what a monitor receives and encodes what a trainer sends, for one connection."""

    def __init__(self, max_frame: int = DEFAULT_MAX_FRAME) -> None:
        self._framer = Framer(max_frame)

    def feed(self, data: bytes) -> list[Event]:
        """Take bytes as they came; return the events that are now whole. Never raises, whatever they are."""
        events: list[Event] = []
        for found in self._framer.feed(data):
            if isinstance(found, Malformed):
                events.append(found)
            else:
                events += read_frame(found.offset, found.payload)
        return events

    def close(self) -> list[Truncated]:
        """The stream ended: return a ``Truncated`` if a frame was unfinished, else nothing."""
        return self._framer.close()

    def encode(self, command: Command | Unknown) -> bytes:
        """One frame for one command; the server answers none.

        Those with which rcssservermj 0.2.1 does nothing are refused.

        Raises:
            CommandError: the command cannot be sent; the text names the field, its value and the choices.
        """
        return frame(write(command, RCSSSMJ_COMMANDS))
