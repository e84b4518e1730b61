# SPDX-License-Identifier: Apache-2.0
"""The link of a session: events come in and commands go out, over any transport."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.wire.codec import Codec

Event = TypeVar("Event")
Command = TypeVar("Command")
Event_co = TypeVar("Event_co", covariant=True)
Command_contra = TypeVar("Command_contra", contravariant=True)

KEPT_TIMES = 3000  # answer times kept for the percentiles: a minute at 50 Hz


@dataclass(slots=True)
class Counters:
    """The counts of a session since its start.

    answer_times: s from bytes read to answer written. most_at_once: events that one read brought. late: why the peer
    counts as late now; empty when it does not.
    """

    events: int = 0
    malformed: int = 0
    unknown: int = 0
    refused_commands: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    last_error: str = ""
    last_traceback: str = ""
    most_at_once: int = 0
    late: str = ""
    answer_times: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT_TIMES))

    def refuse(self, error: CommandError) -> None:
        """Count a command that was not sent."""
        self.refused_commands += 1
        self.last_error = str(error)


class EventLink(Protocol[Event_co, Command_contra]):
    """One open, two-way link. ``close`` may be called from any thread and wakes a waiting ``read``.

    arrived: when what ``read`` returned last had come, s on the session's clock.
    """

    arrived: float

    @property
    def silent(self) -> str:
        """The reason why the peer counts as silent though the link is open; empty if it does not."""
        ...

    @property
    def peer(self) -> str:
        """The peer, as a URL."""
        ...

    def fileno(self) -> int | None:
        """The descriptor to wait for in place of ``read``; None where a thread has to wait in it."""
        return None

    def read(self, timeout: float) -> Sequence[Event_co]:
        """The events that have come; none when nothing came within ``timeout`` s.

        Raises:
            LinkError: the peer closed the link, or it broke.
        """
        ...

    def write(self, commands: Iterable[Command_contra]) -> bool:
        """Send commands at once; those that cannot be sent are counted and left out. Returns whether any was sent.

        Raises:
            LinkError: the peer does not take them.
        """
        ...

    def close(self) -> None:
        """Release the link; more than once is fine."""
        ...


class CodecLink(EventLink[Event, Command]):
    """A link over bytes: a transport with a codec on it. All commands of a call go out in one write."""

    silent = ""  # how long a peer may say nothing is not known here

    def __init__(
        self,
        transport: Transport,
        codec: Codec[Event, Command],
        counters: Counters,
        clock: Callable[[], float],
    ) -> None:
        self.arrived = clock()
        self._transport = transport
        self._codec = codec
        self._counters = counters
        self._clock = clock

    @property
    @override
    def peer(self) -> str:
        return self._transport.peer

    @override
    def fileno(self) -> int | None:
        return self._transport.fileno()

    @override
    def read(self, timeout: float) -> Sequence[Event]:
        data = self._transport.read(timeout)
        self.arrived = self._clock()
        if not data:
            return ()
        self._counters.bytes_in += len(data)
        return self._codec.feed(data)

    @override
    def write(self, commands: Iterable[Command]) -> bool:
        data = b"".join(self._encode(command) for command in commands)
        if data:
            self._transport.write(data)
            self._counters.bytes_out += len(data)
        return bool(data)

    @override
    def close(self) -> None:
        self._transport.close()

    def _encode(self, command: Command) -> bytes:
        try:
            return self._codec.encode(command)
        except CommandError as error:
            self._counters.refuse(error)
            return b""
