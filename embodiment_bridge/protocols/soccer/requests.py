# SPDX-License-Identifier: Apache-2.0
"""Carries out requests of ROS to a soccer simulator besides motion.

To speak and to be beamed, as topics and services and as the skills ``say`` and ``beam``.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import isfinite
from typing import Generic, Protocol, TypeVar, cast

from std_msgs.msg import String
from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.motion.skills.native import Native, Placing
from embodiment_bridge.protocols.registry import Input, ProtocolSpec
from embodiment_bridge.srv import Beam

# The skill ``say`` of a soccer robot: a text on its way, in as many messages as the server needs.

Command = TypeVar("Command")


class Message(Protocol):
    """A message or a request of a service, as ROS generates it."""

    def get_fields_and_field_types(self) -> Mapping[str, str]:
        """Types by the names of the fields, in their order."""
        ...


class Saying(Native, Generic[Command]):
    """Done when the last message waits for the next frame, and the slot is over.

    Args:
        messages: commands, one per cycle.
        frame: what waits for the next frame; a message is put there when it is empty.
        slot: s; 0: as long as it takes.
    """

    def __init__(self, messages: Iterable[Command], frame: deque[Command], slot: float) -> None:
        super().__init__()
        self._messages = deque(messages)
        self._number = len(self._messages)
        self._frame = frame
        self._slot = slot
        self._elapsed = 0.0

    @override
    def step(self, dt: float) -> None:
        if self.done:
            return
        self._elapsed += dt
        if self._messages and not self._frame:
            self._frame.append(self._messages.popleft())
        said = 1.0 - len(self._messages) / self._number
        self.progress = min(said, self._elapsed / self._slot) if self._slot > 0.0 else said
        self.done = self.progress >= 1.0

    @override
    def stop(self) -> None:
        self._messages.clear()
        self.done = True


# The skill ``beam`` of a soccer robot: asks the server once to place it, and waits until it stands there.

LANDED_S = 0.5  # s from the command until the robot has come down on its feet


class Beaming(Placing):
    """Done ``LANDED_S`` s after its first step, in which ``send()`` puts the command into the next frame.

    Servers do not tell whether they obey.
    """

    def __init__(self, send: Callable[[], None]) -> None:
        super().__init__()
        self._send = send
        self._elapsed = 0.0

    @override
    def step(self, dt: float) -> None:
        if not self._elapsed:
            self._send()
        self._elapsed += max(dt, 1e-6)
        self.progress = min(self._elapsed / LANDED_S, 1.0)
        self.done = self.done or self._elapsed >= LANDED_S


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
        """Handle a request, as ``Converter.handle_request`` does."""
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
        """Yield the commands of the next frame."""
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


def makers(spec: ProtocolSpec, kinds: Iterable[type[Command]]) -> dict[str, Callable[[Message], Command]]:
    """Return the functions that make the command of each topic and service of ``spec`` (``Input.command``)."""
    by_name: dict[str, type[Command]] = {kind.__name__: kind for kind in kinds}
    items: tuple[Input, ...] = (*spec.inputs, *spec.services)
    return {
        item.name: resolve(item.command) if ":" in item.command else partial(_made_of, by_name[item.command])
        for item in items
        if item.command
    }


def _made_of(kind: type[Command], message: Message) -> Command:
    """The command of the values of a message as they are."""
    return kind(*(getattr(message, name) for name in message.get_fields_and_field_types()))
