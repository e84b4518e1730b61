# SPDX-License-Identifier: Apache-2.0
"""What ROS asks of a soccer simulator besides motion: saying something, being beamed. It waits for the next frame."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from typing import Any

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.units import DEG_PER_RAD
from embodiment_bridge.protocols.soccer.saying import Saying

WAITING_LIMIT = 50  # messages: a second of one per cycle


class Requests:
    """Takes requests on any thread; one of each kind goes out per frame, as the servers want it.

    Args:
        say: makes the commands that say a text, one per cycle, or raises CommandError.
        beam: makes the command that beams to x (m), y (m) and an angle (degrees).
        others: commands without a value, by the name of their service.
    """

    def __init__(
        self,
        say: Callable[[str], list[Any]],
        beam: Callable[[float, float, float], Any],
        others: dict[str, Any] | None = None,
    ) -> None:
        self._say_commands = say
        self._beam_command = beam
        self._others = others or {}
        self._says: deque[Any] = deque()
        self._rest: dict[str, Any] = {}  # the newest of each kind is the one that counts

    def take(self, name: str, message: Any) -> str:
        """See ``contract.Converter.take``."""
        if name == "say":
            return self._say(message.data)
        if name == "beam":
            return self._beam(message)
        self._rest[name] = self._others[name]
        return "sent"

    def begin_saying(self, _skill: Any, values: Mapping[str, float | str], slot: float) -> Saying:
        """The skill ``say``, see ``motion.native.Start``: its parameter ``text``, refused as on the topic."""
        return Saying(self._messages(str(values.get("text", ""))), self._says, slot)

    def next_actions(self) -> Iterator[Any]:
        """What goes into the next frame."""
        if self._says:
            yield self._says.popleft()
        while self._rest:
            yield self._rest.popitem()[1]

    def _messages(self, text: str) -> list[Any]:
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

    def _beam(self, request: Any) -> str:
        values = {"x": request.x, "y": request.y, "theta": request.theta}
        for name, value in values.items():
            if not isfinite(value):
                raise CommandError(f"beam: {name} is {value}, not a finite number")
        self._rest["beam"] = self._beam_command(request.x, request.y, request.theta * DEG_PER_RAD)
        return "sent; the server obeys before kick-off and after a goal"
