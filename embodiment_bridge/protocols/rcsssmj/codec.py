# SPDX-License-Identifier: Apache-2.0
"""The agent port of RCSSServerMJ: its bytes to events, commands to bytes, for one connection."""

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.protocols.rcsssmj.command_writer import Command, CommandWriter
from embodiment_bridge.protocols.rcsssmj.dialects import Dialect
from embodiment_bridge.protocols.rcsssmj.percept_reader import Event, percept_reader
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS, Robot
from embodiment_bridge.wire import codec
from embodiment_bridge.wire.events import Malformed, Truncated
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME, Framer, frame

__all__ = ["Codec", "Command", "CommandError", "Event"]


class Codec(codec.Codec[Event, Command]):
    """Decodes what an agent receives and encodes what it sends."""

    def __init__(
        self, robot: Robot | str | None = None, dialect: str | None = None, max_frame: int = DEFAULT_MAX_FRAME
    ) -> None:
        """Start a connection.

        Args:
            robot: whose motors may be commanded; None for those of the robot that ``Init`` names.
            dialect: ``0.2.1`` or ``seed``, the order of a detection's numbers; None finds it from the stream.
            max_frame: longest frame accepted, bytes.

        Raises:
            ConfigError: there is no such robot or dialect.
        """
        if isinstance(robot, str):
            if robot not in ROBOTS:
                raise ConfigError(unknown("robot", robot, ROBOTS))
            robot = ROBOTS[robot]
        self._framer = Framer(max_frame)
        self._dialect = Dialect(dialect)
        self._reader = percept_reader(self._dialect)
        self._writer = CommandWriter(robot)

    @property
    def dialect(self) -> str:
        """The dialect in use: as told, or as found so far."""
        return self._dialect.name

    @override
    def feed(self, data: bytes) -> list[Event]:
        """Take bytes; return the events that are now whole.

        A frame gives one ``Percept``, ``Sync`` or ``ServerError``, then an ``Unknown`` or ``Malformed`` for
        each list in it that is not understood; a frame of such lists alone gives just these.
        """
        events: list[Event] = []
        for found in self._framer.feed(data):
            if isinstance(found, Malformed):
                events.append(found)
            else:
                events += self._reader.read(found.offset, found.payload)
        return events

    @override
    def close(self) -> list[Truncated]:
        return self._framer.close()

    @override
    def encode(self, command: Command) -> bytes:
        """One wire frame for one command; a ``commands.Frame`` holds several actions.

        Numbers go out with seven digits: more would only keep the server busy, which reads byte by byte.

        Raises:
            CommandError: the command cannot be sent; the text names the field, its value and the choices.
        """
        return frame(self._writer.payload(command))
