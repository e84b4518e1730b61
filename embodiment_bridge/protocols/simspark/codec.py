# SPDX-License-Identifier: Apache-2.0
"""The agent port of rcssserver3d: its bytes to events, commands to bytes, for one connection."""

from functools import partial
from typing import Never, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.protocols.simspark.command_writer import Command, CommandWriter
from embodiment_bridge.protocols.simspark.dialects import Dialect
from embodiment_bridge.protocols.simspark.events import Percept
from embodiment_bridge.protocols.simspark.percept_lists import PerceptParts
from embodiment_bridge.protocols.simspark.percept_patterns import PerceptPatterns
from embodiment_bridge.protocols.simspark.robots import ROBOTS, Robot
from embodiment_bridge.protocols.soccer.percept_reader import PerceptReader
from embodiment_bridge.wire import codec
from embodiment_bridge.wire.events import Malformed, Truncated, Unknown
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME, Framer, frame

__all__ = ["Codec", "Command", "CommandError", "Event"]

Event: TypeAlias = Percept | Unknown | Malformed


class Codec(codec.Codec[Event, Command]):
    """Decodes what an agent receives and encodes what it sends."""

    def __init__(
        self, robot: Robot | str | None = None, dialect: str | None = None, max_frame: int = DEFAULT_MAX_FRAME
    ) -> None:
        """Start a connection.

        Args:
            robot: whose hinges may be commanded; None for those of all.
            dialect: ``0.7``, ``0.6`` or ``spl``; None finds it from the stream.
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
        self._reader: PerceptReader[Percept, Never] = PerceptReader(
            PerceptPatterns(self._dialect), partial(PerceptParts, self._dialect)
        )
        self._writer = CommandWriter(robot)

    @property
    def dialect(self) -> str:
        """The dialect in use: as told, or as found so far."""
        return self._dialect.name

    @override
    def feed(self, data: bytes) -> list[Event]:
        """Take bytes; return the events that are now whole.

        A frame gives one ``Percept``, then an ``Unknown`` or ``Malformed`` for each list in it that is not understood;
        a frame of such lists alone gives just these.
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

        Raises:
            CommandError: the command cannot be sent; the text names the field, its value and the choices.
        """
        return frame(self._writer.payload(command))
