# SPDX-License-Identifier: Apache-2.0
"""What a converter is: the one place of a protocol where units, signs, frames and names change."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from embodiment_bridge.body.state import BodyState, JointTargets


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
