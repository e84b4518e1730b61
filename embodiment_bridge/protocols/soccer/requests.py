# SPDX-License-Identifier: Apache-2.0
"""Requests of ROS to a soccer simulator besides motion: to speak, to be beamed. They wait for the next frame."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Generic, TypeVar, cast

from std_msgs.msg import String

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.soccer.beaming import Beaming
from embodiment_bridge.protocols.soccer.plain_commands import Message
from embodiment_bridge.protocols.soccer.saying import Saying
from embodiment_bridge.srv import Beam

Command = TypeVar("Command")

WAITING_LIMIT = 50  # messages: a second of one per cycle


class Requests(Generic[Command]):
    """Takes requests on any thread; one of each kind goes out per frame, as the servers want it.

    Args:
        say: makes the commands that say a text, one per cycle, or raises CommandError.
        beam: makes the command that beams to x (m), y (m) and a heading (rad) in the frame ``team``.
        makers: what makes the other commands of messages, by the name of topic or service.
        check: raises CommandError for a command that cannot be sent, before it would take its frame with it.
    """

    def __init__(
        self,
        say: Callable[[str], list[Command]],
        beam: Callable[[float, float, float], Command],
        makers: Mapping[str, Callable[[Message], Command]],
        check: Callable[[Command], object],
    ) -> None:
        self._say_commands = say
        self._beam_command = beam
        self._makers = makers
        self._check = check
        self._says: deque[Command] = deque()
        self._rest: dict[str, Command] = {}  # the newest of each kind is the one that counts

    def handle(self, name: str, message: object) -> str:
        """As ``Converter.handle_request``."""
        if name in self._makers:
            command = self._makers[name](cast(Message, message))
            self._check(command)
            self._rest[name] = command
            return "sent"
        if isinstance(message, String):
            return self._say(message.data)
        if isinstance(message, Beam.Request):
            return self._beam(message)
        raise CommandError(unknown("request", name, ("say", "beam", *self._makers)))

    def begin_saying(self, _skill: object, values: Mapping[str, float | str], slot: float) -> Saying[Command]:
        """Begin the skill ``say``, a ``Start`` of native skills: its parameter ``text`` is refused as on the topic."""
        return Saying(self._messages(str(values.get("text", ""))), self._says, slot)

    def begin_beaming(self, _skill: object, values: Mapping[str, float | str], _slot: float) -> Beaming:
        """Begin the skill ``beam``, a ``Start`` of native skills: x, y and yaw are refused as those of the service."""
        if missing := [name for name in ("x", "y") if name not in values]:  # 0 would be the kick-off spot
            raise CommandError(f"beam: {missing[0]} is missing")
        x, y, yaw = (float(values.get(name, 0.0)) for name in ("x", "y", "yaw"))
        command = self._checked_beam(x, y, yaw)

        def send() -> None:
            self._rest["beam"] = command

        return Beaming(send)

    def forget(self) -> None:
        """Drop what waits: it was asked of another game."""
        self._says.clear()
        self._rest.clear()

    def next_actions(self) -> Iterator[Command]:
        """What goes into the next frame."""
        if self._says:
            yield self._says.popleft()
        while self._rest:
            yield self._rest.popitem()[1]

    def _messages(self, text: str) -> list[Command]:
        if not text:
            raise CommandError("nothing to say: the text is empty")
        return self._say_commands(text)

    def _say(self, text: str) -> str:
        parts = self._messages(text)
        if len(self._says) + len(parts) > WAITING_LIMIT:
            raise CommandError(
                f"text {text[:40]!r}: {len(self._says)} messages wait already, one goes out per cycle"
            )
        self._says.extend(parts)
        return f"in {len(parts)} parts" if len(parts) > 1 else ""

    def _beam(self, request: Beam.Request) -> str:
        self._rest["beam"] = self._checked_beam(request.x, request.y, request.theta)
        return "sent; the server obeys before kick-off and after a goal"

    def _checked_beam(self, x: float, y: float, theta: float) -> Command:
        for name, value in {"x": x, "y": y, "theta": theta}.items():
            if not isfinite(value):
                raise CommandError(f"beam: {name} is {value}, not a finite number")
        if x > 0.0:
            raise CommandError(
                f"beam: x is {x:g} m; it must be 0 or less, in the own half "
                "(frame team: x to the opponents' goal)"
            )
        command = self._beam_command(x, y, theta)
        self._check(command)
        return command
