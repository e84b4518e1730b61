# SPDX-License-Identifier: Apache-2.0
"""The agent port of RCSSServerMJ: its bytes to events, commands to bytes, for one connection."""

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.protocols.rcsssmj.command_writer import Command, CommandWriter
from embodiment_bridge.protocols.rcsssmj.dialects import Dialect
from embodiment_bridge.protocols.rcsssmj.percept_reader import Event, percept_reader
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS, Robot
from embodiment_bridge.protocols.soccer.codec import AgentCodec
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME

__all__ = ["Codec", "Command", "CommandError", "Event"]


class Codec(AgentCodec[Event, Command]):
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
        found = Dialect(dialect)
        super().__init__(found, percept_reader(found).read, CommandWriter(robot).payload, max_frame)
