# SPDX-License-Identifier: Apache-2.0
"""The base class of converters, from a protocol's events and commands to a body in SI units and ROS messages."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.body.surroundings import FixedFrames, Thing
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.skills.native import Start

Event = TypeVar("Event")
Command = TypeVar("Command")
OneEvent = TypeVar("OneEvent", covariant=True)

MAP_ONLY: Final = FixedFrames()


class Stamp(Protocol):
    """A builtin_interfaces/Time; a protocol can be imported where there is no ROS."""

    sec: int
    nanosec: int


Messages: TypeAlias = Iterable[tuple[str, object]]
"""(topic, ROS message) pairs."""


@dataclass(frozen=True, slots=True)
class Cycle(Generic[OneEvent]):
    """One event with the sensed state of the body and the targets of its next motion.

    state: None where the event says nothing of the body. targets: of all joints; None where there is no state.
    """

    event: OneEvent
    state: BodyState | None = None
    targets: JointTargets | None = None


class Converter(ABC, Generic[Event, Command]):
    """Wire to SI and back, for one body on one connection.

    A protocol's converter is made as ``converter(parameters, body)``, with the values of the parameters of the protocol
    and of the node by name (``ParameterValues``), and the description of the body. Three methods have no default; the
    others are for what a peer has beyond them. All but ``handle_request`` are called on the session's thread.
    """

    @abstractmethod
    def body_state(self, event: Event) -> BodyState | None:
        """Return what the body senses of itself, if the event says so. The first state completes the handshake."""

    @abstractmethod
    def answer(self, cycle: Cycle[Event]) -> Sequence[Command]:
        """Commands that answer an event: move the joints (all of them), and release the peer's next cycle.

        The peer may wait for an answer to an event that gave no state, too.
        """

    @abstractmethod
    def messages(self, cycle: Cycle[Event], stamp: Stamp) -> Messages:
        """Return what an event says, as (topic, ROS message) pairs. Called when the answer is on the wire.

        Each is published when it comes: the most urgent first, and a generator lets it wait for no other.
        """

    def codec_options(self) -> Mapping[str, bool | int | float | str]:
        """Keyword arguments of the protocol's codec for this body."""
        return {}

    def warnings(self) -> Sequence[str]:
        """Return what cannot work with these parameters, in sentences for people; logged once."""
        return ()

    def handshake(self) -> Sequence[Command]:
        """Commands that open the conversation; called once per connection: forget what the last one told."""
        return ()

    def native_skills(self) -> Mapping[str, Start]:
        """Return what begins each skill that the body does by itself, by name."""
        return {}

    def things(self) -> Mapping[str, Thing]:
        """Return the things that the body sees or remembers, by id: the skill ``go_to`` can go to these."""
        return {}

    def set_demand(self, is_wanted: Callable[[str], bool]) -> None:
        """Learn how to ask whether a topic has a subscriber; messages without one need not be made."""

    def fixed_frames(self) -> FixedFrames:
        """The frame of the base values of the state, and frames that do not move; asked again after each event.

        The base frame stays the same; another value than the last one is another object. Any thread may call this.
        """
        return MAP_ONLY

    def left_out(self) -> Sequence[str]:
        """Return what of the last event reaches no topic, in sentences for people; each is logged once."""
        return ()

    def batch_received(self, count: int) -> str:
        """Note that ``count`` events arrived at once; they follow now.

        Returns:
            Why the peer counts as late, in words for people that stay the same while it does; empty when it does not.
        """
        return ""

    def handle_request(self, name: str, message: object) -> str:
        """Send a message of one of the protocol's inputs, or a request of one of its services, with the next answer.

        Called on another thread than the rest.

        Returns:
            A note for people, such as "in two parts".

        Raises:
            CommandError: it cannot be sent; the text names the limit.
        """
        raise CommandError(f"{name}: this protocol takes no requests")
