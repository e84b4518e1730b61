# SPDX-License-Identifier: Apache-2.0
"""What ROS asks of a soccer simulator besides motion: saying something, being beamed. It waits for the next frame."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Generic, TypeVar

from std_msgs.msg import String

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.soccer.saying import Saying
from embodiment_bridge.srv import Beam

Command = TypeVar("Command")

WAITING_LIMIT = 50  # messages: a second of one per cycle


class Requests(Generic[Command]):
    """Takes requests on any thread; one of each kind goes out per frame, as the servers want it.

    Args:
        say: makes the commands that say a text, one per cycle, or raises CommandError.
        beam: makes the command that beams to x (m), y (m) and a heading (rad).
        others: commands without a value, by the name of their service.
    """

    def __init__(
        self,
        say: Callable[[str], list[Command]],
        beam: Callable[[float, float, float], Command],
        others: Mapping[str, Command] | None = None,
    ) -> None:
        self._say_commands = say
        self._beam_command = beam
        self._others = others or {}
        self._says: deque[Command] = deque()
        self._rest: dict[str, Command] = {}  # the newest of each kind is the one that counts

    def handle(self, name: str, message: object) -> str:
        """As ``Converter.handle_request``."""
        if isinstance(message, String):
            return self._say(message.data)
        if isinstance(message, Beam.Request):
            return self._beam(message)
        if name not in self._others:
            raise CommandError(unknown("request", name, ("say", "beam", *self._others)))
        self._rest[name] = self._others[name]
        return "sent"

    def begin_saying(self, _skill: object, values: Mapping[str, float | str], slot: float) -> Saying[Command]:
        """Begin the skill ``say``, a ``Start`` of native skills: its parameter ``text`` is refused as on the topic."""
        return Saying(self._messages(str(values.get("text", ""))), self._says, slot)

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
        values = {"x": request.x, "y": request.y, "theta": request.theta}
        for name, value in values.items():
            if not isfinite(value):
                raise CommandError(f"beam: {name} is {value}, not a finite number")
        self._rest["beam"] = self._beam_command(request.x, request.y, request.theta)
        return "sent; the server obeys before kick-off and after a goal"
