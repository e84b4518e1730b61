# SPDX-License-Identifier: Apache-2.0
"""The agent port of rcssserver3d: its bytes to events, commands to bytes, for one connection."""

from functools import partial
from typing import Never, TypeAlias

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.protocols.simspark.command_writer import Command, CommandWriter
from embodiment_bridge.protocols.simspark.dialects import Dialect
from embodiment_bridge.protocols.simspark.events import Percept
from embodiment_bridge.protocols.simspark.percept_lists import PerceptParts
from embodiment_bridge.protocols.simspark.percept_patterns import PerceptPatterns
from embodiment_bridge.protocols.simspark.robots import ROBOTS, Robot
from embodiment_bridge.protocols.soccer.codec import AgentCodec
from embodiment_bridge.protocols.soccer.percept_reader import PerceptReader
from embodiment_bridge.wire.events import Malformed, Unknown
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME

__all__ = ["Codec", "Command", "CommandError", "Event"]

Event: TypeAlias = Percept | Unknown | Malformed


class Codec(AgentCodec[Event, Command]):
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
        found = Dialect(dialect)
        reader: PerceptReader[Percept, Never] = PerceptReader(
            PerceptPatterns(found), partial(PerceptParts, found)
        )
        super().__init__(found, reader.read, CommandWriter(robot).payload, max_frame)
