# SPDX-License-Identifier: Apache-2.0
"""What every protocol room offers, and the events that any codec may give.

A codec is pure: bytes in, events out; commands in, bytes out. It keeps only the unfinished frame.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from embodiment_bridge.body import BodyState, JointTargets
from embodiment_bridge.errors import ConfigError

EXCERPT_LIMIT = (
    80  # characters of bad input that a Malformed event quotes: enough to recognise, too few to flood
)


@dataclass(frozen=True, slots=True)
class Malformed:
    """Input that is not of the protocol; the codec goes on at the next frame.

    ``offset`` is the first byte of the frame in the stream (length prefix included).
    """

    offset: int
    reason: str
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Well-formed input that this codec has no name for; ``raw`` is exactly what was sent (without framing)."""

    offset: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Truncated:
    """The stream ended inside a frame that began at ``offset``; ``received`` bytes of it had come."""

    offset: int
    received: int


class Codec(Protocol):
    """Bytes to events and commands to bytes, for one connection."""

    def feed(self, data: bytes) -> list[Any]:
        """Take bytes as they came, in any chunks; return the events that are now whole, in order."""

    def close(self) -> list[Any]:
        """The stream ended: return a ``Truncated`` if a frame was unfinished, else nothing."""

    def encode(self, command: Any) -> bytes:
        """Wire bytes of one command, framing included.

        Raises:
            CommandError: the command cannot be put on the wire; the text names the field, the value and the choices.
        """


def excerpt(data: bytes) -> str:
    """A short printable quote of ``data``."""
    text = data[: EXCERPT_LIMIT + 1].decode("utf-8", "backslashreplace")
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return text if len(text) <= EXCERPT_LIMIT else text[:EXCERPT_LIMIT] + "..."


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a node or a room: its default gives the type; the description names the unit."""

    name: str
    default: bool | int | float | str | list[str]
    description: str
    lower: float | None = None
    upper: float | None = None
    choices: tuple[str, ...] = ()
    fixed: bool = True  # read when the node is configured; a later change is refused


@dataclass(frozen=True, slots=True)
class Output:
    """A topic that a room publishes. ``type`` is ``package.msg:Name``; ``role`` names the QoS (see nodes/qos.py)."""

    topic: str
    type: str
    role: str


@dataclass(frozen=True, slots=True)
class Input:
    """A topic or a service by which a room takes what is particular to its peer.

    ``type`` is ``package.msg:Name`` of a topic or ``package.srv:Name`` of a service whose response has ``success``
    and ``message``.
    """

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Room:
    """One protocol as data.

    ``codec``, ``converter``, ``commands``, ``managed`` and ``link`` are ``module:attribute``, resolved on use.

    commands: the command classes that the codec encodes; empty where there are none.
    probe: name of the parameter whose port must have sent something before the peer can be joined.
    refusal: what it means when the peer closes the connection instead of answering the greeting.
    managed: a function that takes the parameters and returns the ``open_link`` of ``session.EventSession`` for a peer
    in this process; empty where there is no such peer.
    link: a function that takes parameters, transport, codec, counters and clock, and returns the ``EventLink`` of one
    connection, for a peer with which more is to be arranged than bytes; empty where a codec is enough.
    """

    name: str
    summary: str
    codec: str
    converter: str
    parameters: tuple[Parameter, ...]
    outputs: tuple[Output, ...]
    inputs: tuple[Input, ...] = ()
    services: tuple[Input, ...] = ()
    commands: str = ""
    probe: str = ""
    refusal: str = ""
    managed: str = ""
    link: str = ""


class Converter(Protocol):
    """Wire to SI and back, for one body on one connection. Made as ``Converter(parameters, description)``."""

    def codec_options(self) -> dict[str, Any]:
        """Keyword arguments of the room's codec for this body."""

    def remarks(self) -> list[str]:
        """What cannot work with these parameters, for people: logged once. May be left out where all always works."""

    def heed(self, wanted: Callable[[str], bool]) -> None:
        """Be told how to know whether somebody listens to a topic; what nobody hears need not be made.

        May be left out where messages cost little.
        """

    def natives(self) -> Mapping[str, Any]:
        """What begins each skill that the body does by itself (``motion.native.Start``), by name.

        May be left out where there are none.
        """

    def greet(self) -> list[Any]:
        """Commands that open the conversation; called once per connection, so what is remembered of the last ends."""

    def body_state(self, event: Any) -> BodyState | None:
        """What the body senses of itself, if the event says so."""

    def answer(self, event: Any, targets: JointTargets | None) -> list[Any]:
        """Commands that answer an event: move the joints (all of them), and release the peer's next cycle.

        ``targets`` is None where the event gave no body state; the peer may still wait for an answer.
        """

    def take(self, name: str, message: Any) -> str:
        """Take a message of an input, or a request of a service, of the room; it goes out with the next answer.

        Called on another thread than the rest. Only needed where the room has inputs or services.

        Returns:
            A remark for people, such as "in two parts".

        Raises:
            CommandError: it cannot be sent; the text names the limit.
        """

    def messages(self, event: Any, state: BodyState | None, stamp: Any) -> Iterable[tuple[str, Any]]:
        """(topic, ROS message) pairs of an event, whose ``body_state`` is given; stamp is a builtin_interfaces/Time.

        Each is published when it comes: the most urgent first, and a generator lets it wait for no other.
        """


def resolve(place: str) -> Any:
    """The object at ``module:attribute``; rooms name their parts so that nothing is imported before it is used.

    Raises:
        ConfigError: the module or the attribute is not there.
    """
    module, _, attribute = place.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{place}: {error}") from error
