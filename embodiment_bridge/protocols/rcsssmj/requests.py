# SPDX-License-Identifier: Apache-2.0
"""What ROS asks of the server besides motion: saying something, being beamed. It waits here for the next frame."""

from collections import deque
from collections.abc import Iterator
from math import isfinite
from typing import Any

from embodiment_bridge.errors import CommandError
from embodiment_bridge.protocols.rcsssmj.commands import Action, Beam, Say
from embodiment_bridge.protocols.rcsssmj.robots import Robot
from embodiment_bridge.units import DEG_PER_RAD

SAY_LIMIT = 10  # bytes; every receiver drops longer messages (rcssservermj 0.2.1)
WAITING_LIMIT = 50  # messages: a second of one per cycle
FULL_VOLUME = 100.0


class Requests:
    """Takes requests on any thread; one of each kind goes out per frame, as the server wants it.

    split: cut a text that is too long into several messages, instead of refusing it.
    """

    def __init__(self, robot: Robot, *, split: bool) -> None:
        self._robot = robot
        self._split = split
        self._says: deque[bytes] = deque()
        self._beams: deque[Beam] = deque(maxlen=1)  # the newest place is the one that counts

    def take(self, name: str, message: Any) -> str:
        """See ``contract.Converter.take``."""
        return self._say(message.data) if name == "say" else self._beam(message)

    def next_actions(self) -> Iterator[Action]:
        """What goes into the next frame."""
        if self._says:
            yield Say(FULL_VOLUME, self._says.popleft())
        if self._beams:
            yield self._beams.popleft()

    def _say(self, text: str) -> str:
        if self._robot.speaker is None:
            raise CommandError(f"robot {self._robot.name} has no speaker")
        if not text:
            raise CommandError("nothing to say: the text is empty")
        parts = _parts(text)
        if len(parts) > 1 and not self._split:
            size = len(text.encode())
            raise CommandError(
                f"text {text[:40]!r} has {size} bytes; the server carries {SAY_LIMIT} (parameter say_split cuts it)"
            )
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
        self._beams.append(Beam(request.x, request.y, request.theta * DEG_PER_RAD))
        return "sent; the server obeys before kick-off and after a goal"


def _parts(text: str) -> list[bytes]:
    """The text in pieces that the server carries, cut between characters."""
    parts, part = [], b""
    for character in text:
        piece = character.encode("utf-8", "surrogatepass")
        if len(part) + len(piece) > SAY_LIMIT:
            parts.append(part)
            part = b""
        part += piece
    return [*parts, part]
