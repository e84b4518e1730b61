# SPDX-License-Identifier: Apache-2.0
"""Codec of RCSSServerMJ's agent port for one connection.

Bytes to events, commands to bytes; it refuses commands that would harm the server, the game or oneself.
"""

from typing import Final, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.rcsssmj.commands import (
    ACTIONS,
    HEADS,
    MAX_NUMBER,
    Action,
    Frame,
    Init,
    Motor,
    Say,
    number,
)
from embodiment_bridge.protocols.rcsssmj.percept_reader import Dialect, Event, PerceptReader
from embodiment_bridge.protocols.rcsssmj.robots import EFFECTORS, ROBOTS, Robot
from embodiment_bridge.protocols.soccer import command_writer
from embodiment_bridge.protocols.soccer.codec import AgentCodec, robot_named
from embodiment_bridge.protocols.soccer.command_writer import Write, whole_text, writers
from embodiment_bridge.wire.codec import Unknown, excerpt
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME
from embodiment_bridge.wire.sexpr import SexprError, parse

# Writes commands as the server reads them, and refuses those that would harm it, the game or oneself.
#
# rcssservermj 0.2.1 ends at the name of an unknown motor, zeroes the controls of all robots at one that is not
# finite or is huge, skips a list that it does not know, and drops all that follows a bad number in a frame, without a
# word.

Command: TypeAlias = Init | Frame | Action | Unknown

MAX_PLAYER: Final = 99  # the server takes numbers modulo 100

# Not to be sent raw, past the checks.
_TYPED_HEADS: Final = (["init"], *([word] for word in HEADS.values()))
_MOTOR_LENGTH: Final = 6  # the server takes any other list of six for a motor command


class CommandWriter(command_writer.CommandWriter):
    """Writes the commands of one connection."""

    frame, actions, named = Frame, ACTIONS, (Motor,)
    empty = "an empty frame wedges the server"

    def __init__(self, robot: Robot | None = None) -> None:
        """Allow the motors of ``robot`` only; if None, those of the robot that ``Init`` names later."""
        self._told = robot
        self._robot = robot
        self._effectors = frozenset(robot.effectors) if robot else EFFECTORS
        self._written: dict[
            str, tuple[Motor, str]
        ] = {}  # by name; a robot that stands moves few of its motors
        own: dict[type, Write] = {Motor: self._motor, Say: self._say, Init: self._init}
        super().__init__({**writers(HEADS, number), **own})

    def _motor(self, command: Motor) -> str:
        low, high = -MAX_NUMBER, MAX_NUMBER
        try:  # 50 times a second for each motor, so all in one go
            written = self._written.get(command.name)
            if written is not None and written[0] is command:
                return written[1]
            q, dq, kp, kd, tau = command.q_deg, command.dq_deg_s, command.kp, command.kd, command.tau_nm
            if (
                command.name in self._effectors
                and low <= q <= high
                and low <= dq <= high
                and low <= kp <= high
                and low <= kd <= high
                and low <= tau <= high
            ):
                # The server reads byte by byte: more digits would only keep it busy.
                text = f"({command.name} {q:.7g} {dq:.7g} {kp:.7g} {kd:.7g} {tau:.7g})"
                self._written[command.name] = (command, text)
                return text
        except (TypeError, ValueError):
            pass
        return self._motor_step_by_step(command)

    def _motor_step_by_step(self, command: Motor) -> str:
        """Write a motor command as ``_motor`` does, or say what is wrong."""
        name = command.name
        if not isinstance(name, str) or name not in self._effectors:
            kind = f"motor of robot {self._robot.name}" if self._robot else "motor"
            raise CommandError(f"Motor.name: {unknown(kind, str(name)[:80], self._effectors)}")
        fields = ("q_deg", "dq_deg_s", "kp", "kd", "tau_nm")
        numbers = (number(f"Motor.{field}", getattr(command, field)) for field in fields)
        return f"({name} {' '.join(numbers)})"

    def _say(self, command: Say) -> str:
        if self._robot and self._robot.speaker is None:
            raise CommandError(f"Say: robot {self._robot.name} has no speaker")
        return command.text()

    def _init(self, command: Init) -> str:
        model, team = command.model, command.team
        if not isinstance(model, str) or model not in ROBOTS:
            raise CommandError(f"Init.model: {unknown('robot', str(model)[:80], ROBOTS)}")
        if self._told and self._told.name != model:
            raise CommandError(f"Init.model is {model!r}, but this codec is for robot {self._told.name!r}")
        if not isinstance(team, str) or not team.isprintable() or not team or any(c in " ()" for c in team):
            raise CommandError(f"Init.team is {team!r}; it must be a word without blanks and parentheses")
        number = whole_text("Init.number", command.number, 0, MAX_PLAYER)
        self._robot = ROBOTS[model]
        self._effectors = frozenset(self._robot.effectors)
        self._written.clear()
        return f"(init {model} {team} {number})"

    @override
    def harmless(self, raw: bytes) -> bytes:
        # The server splits at blanks only; other white space would make other words there than here.
        try:
            lists = [node for node in parse(raw) if isinstance(node, list)]
        except SexprError as error:
            raise CommandError(f"Unknown.raw: {error}") from None
        if min(raw, default=0) < ord(" ") or any(
            len(x) == _MOTOR_LENGTH or x[:1] in _TYPED_HEADS for x in lists
        ):
            raise CommandError(f"Unknown.raw: the server may take {excerpt(raw)!r} for a command")
        return raw


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
            robot = robot_named(robot, ROBOTS)
        found = Dialect(dialect)
        super().__init__(found, PerceptReader(found).read, CommandWriter(robot).payload, max_frame)
