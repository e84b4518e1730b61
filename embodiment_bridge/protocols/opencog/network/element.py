# SPDX-License-Identifier: Apache-2.0
"""The connections of one element: the one that it opens to the Router, and those that the Router opens back."""

import contextlib
import select
import socket
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, LinkError
from embodiment_bridge.link.event_link import Counters, EventLink
from embodiment_bridge.link.transports.tcp import TcpClient, TcpServer
from embodiment_bridge.protocols.opencog.router import wire
from embodiment_bridge.protocols.opencog.router.codec import Codec, Command, Event
from embodiment_bridge.wire.codec import Malformed

MAX_DIALBACKS: Final = 64  # a Router has two at a time; more are left over from outages
TURN: Final = 0.1  # s; longest time between two ``Beat``


@dataclass(frozen=True, slots=True)
class Address:
    """Addresses of an element and its Router. The Router connects back to ``told_host``; empty: ``listen_host``."""

    id: str
    router_host: str = "127.0.0.1"
    router_port: int = wire.ROUTER_PORT
    listen_host: str = "127.0.0.1"
    listen_port: int = 0
    told_host: str = ""


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """The Router has accepted the login, or, in no-ack mode, has been sent it."""


@dataclass(frozen=True, slots=True)
class Beat:
    """Time has passed, or a message waits to be sent."""


LinkEvent: TypeAlias = Event | LoggedIn | Beat


class Element:
    """Listens after construction. Connections from the Router stay open while the one to it is made anew.

    acks: whether the Router is in ack mode; must match its setting. silence: s without data from the Router after
    which the link counts as lost; 0: never.

    Raises:
        LinkError: it cannot listen, or the Router's host is unknown.
    """

    def __init__(self, address: Address, *, acks: bool = False, silence: float = 60.0) -> None:
        self.address = address
        self.acks = acks
        self.silence = silence
        routers = _addresses(address.router_host)
        self.server = TcpServer(address.listen_host, address.listen_port, allowed=routers.__contains__)
        self.dialbacks: dict[int, tuple[TcpClient, Codec]] = {}
        self._waker, self._woken = socket.socketpair()
        self._waker.setblocking(False)
        self._woken.setblocking(False)
        self.poll = select.poll()
        self.poll.register(self.server, select.POLLIN)
        self.poll.register(self._woken, select.POLLIN)

    def login(self) -> wire.Login:
        """The first command of a connection."""
        host = self.address.told_host or self.address.listen_host
        return wire.Login(self.address.id, host, self.server.port)

    def wake(self) -> None:
        """Make a waiting ``read`` return a ``Beat``. From any thread."""
        with contextlib.suppress(OSError):  # full: it wakes anyway; closed: no thread waits
            self._waker.send(b"\0")

    def open_link(self, counters: Counters, clock: Callable[[], float]) -> "RouterLink":
        """Connect to the Router.

        Raises:
            LinkError: the Router does not accept the connection.
        """
        return RouterLink(self, counters, clock)

    def drain(self) -> None:
        """Forget that ``wake`` was called."""
        with contextlib.suppress(BlockingIOError):
            while self._woken.recv(4096):
                pass

    def accept(self) -> None:
        """Accept a waiting connection of the Router; if there are too many, the oldest is closed."""
        connection = self.server.accept(TURN)
        if connection is None:
            return
        if len(self.dialbacks) >= MAX_DIALBACKS:
            self.drop(next(iter(self.dialbacks)))
        self.dialbacks[connection.fileno()] = (connection, Codec())
        self.poll.register(connection, select.POLLIN)

    def drop(self, number: int) -> None:
        """Close a connection of the Router."""
        connection, _ = self.dialbacks.pop(number)
        self.poll.unregister(connection)
        connection.close()

    def close(self) -> None:
        """Close everything; no link may be open any more."""
        for number in list(self.dialbacks):
            self.drop(number)
        self.server.close()
        self._waker.close()
        self._woken.close()


class RouterLink(EventLink[LinkEvent, Command]):
    """A link over all connections of an element: events of all of them in, commands out on the first.

    Notices and batches are acknowledged here, on the connection that they came by, before they are handled: a Router in
    ack mode blocks one of its threads until then.
    """

    silent = ""  # a silent Router counts as lost, see Element

    def __init__(self, element: Element, counters: Counters, clock: Callable[[], float]) -> None:
        self._element = element
        self._counters = counters
        self._clock = clock
        self.arrived = self._heard = clock()
        self._codec = Codec()
        self._stale: set[int] = set()
        self._accept_waiting()
        address = element.address
        self._router = TcpClient(address.router_host, address.router_port)
        self._number = self._router.fileno()
        element.poll.register(self._router, select.POLLIN)
        self._logged_in = False
        self._lost = ""
        self._due: deque[LinkEvent] = deque() if element.acks else deque([LoggedIn()])

    @property
    @override
    def peer(self) -> str:
        return self._router.peer

    def _accept_waiting(self) -> None:
        """Accept connections from before the login: their notices of a restart have already caused this login."""
        for number, _ in self._element.poll.poll(0):
            if number == self._element.server.fileno():
                self._element.accept()
        self._stale = set(self._element.dialbacks)

    @override
    def read(self, timeout: float) -> list[LinkEvent]:
        """Return what came, with a ``Beat`` at the end when it is time to look what is to be sent.

        Raises:
            LinkError: the Router hung up, restarted, refused us or has been silent for too long.
        """
        if self._due:
            return [self._due.popleft()]
        if self._lost:  # only now, so that events that came before it have been returned
            raise LinkError(self._lost)
        ready = self._element.poll.poll(min(timeout, TURN) * 1000.0)
        self.arrived = self._clock()
        events: list[LinkEvent] = []
        for number, _ in ready:
            events += self._read_from(number)
        self._check_silence()
        return [*events, Beat()]

    def _read_from(self, number: int) -> Sequence[LinkEvent]:
        element = self._element
        if number == self._number:
            return self._read_router()
        if number in element.dialbacks:
            return self._read_dialback(number)
        if number == element.server.fileno():
            element.accept()
        else:
            element.drain()
        return []

    def _read_dialback(self, number: int) -> list[Event]:
        connection, codec = self._element.dialbacks[number]
        try:
            events = self._decode(connection, codec)
            if self._element.acks:
                for event in events:
                    if _wants_ack(event):
                        connection.write(codec.encode(wire.Ack()))
        except LinkError as error:  # the Router connects again when it needs to
            self._counters.last_error = str(error)
            self._element.drop(number)
            return []
        for event in events:
            self._look_for_restart(event, number)
        return events

    def _look_for_restart(self, event: Event, number: int) -> None:
        """A Router that has restarted says that it is unavailable: it has forgotten that we are there."""
        if isinstance(event, wire.Unavailable) and event.id == wire.ROUTER and number not in self._stale:
            self._lost = f"{self.peer}: the Router has restarted"
        self._stale.discard(number)

    def _decode(self, connection: TcpClient, codec: Codec) -> list[Event]:
        data = connection.read(0.0)
        self._counters.bytes_in += len(data)
        self._heard = self.arrived if data else self._heard
        return codec.feed(data)

    def _read_router(self) -> list[LinkEvent]:
        """Read our own connection: answers, in ack mode; the first one is for the login."""
        try:
            events = self._decode(self._router, self._codec)
        except LinkError as error:
            self._lost = str(error)
            return []
        found: list[LinkEvent] = []
        for event in events:
            if isinstance(event, wire.Ok) and not self._logged_in and self._element.acks:
                self._logged_in = True
                found.append(LoggedIn())
            elif isinstance(event, wire.Failed) and (not self._logged_in or "<from>" in event.reason):
                self._lost = f"{self.peer}: the Router refused: {event.reason}"
            else:
                found.append(event)
        return found

    def _check_silence(self) -> None:
        limit = self._element.silence
        if limit and self.arrived - self._heard > limit:
            told = self._element.login()
            silent = f"nothing heard from the Router for {limit:g} s"
            self._lost = f"{self.peer}: {silent}; can it dial {told.host}:{told.port}?"

    @override
    def write(self, commands: Iterable[Command]) -> bool:
        """All commands go out in one write, to the Router."""
        data = b"".join(map(self._encode, commands))
        if data:
            self._router.write(data)
            self._counters.bytes_out += len(data)
        return bool(data)

    def _encode(self, command: Command) -> bytes:
        try:
            return self._codec.encode(command)
        except CommandError as error:
            self._counters.refuse(error)
            return b""

    @override
    def close(self) -> None:
        """Close the connection to the Router; those from it stay open."""
        with contextlib.suppress(KeyError, ValueError):
            self._element.poll.unregister(self._number)
        self._router.close()


def _wants_ack(event: Event) -> bool:
    match event:
        case wire.Message(last=last):
            return last
        case wire.Available() | wire.Unavailable() | wire.NewMessages() | wire.BatchEnd():
            return True
    return isinstance(event, Malformed) and "NO_MORE_MESSAGES" in event.reason


def _addresses(host: str) -> set[str]:
    try:
        return {str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError) as error:  # UnicodeError: a name that cannot be one, such as "a..b"
        raise LinkError(f"the Router's host {host!r} is unknown: {error}") from error
