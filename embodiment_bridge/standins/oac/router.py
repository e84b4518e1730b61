# SPDX-License-Identifier: Apache-2.0
"""A Router, the broker that elements of an OpenCog network log in to, with the behaviour of the real one.

Elements are other programs, or functions in this one (``attach``). It runs on the thread that calls ``step``.
"""

import contextlib
import select
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link.transports.tcp import SHARED_WRITE_TIMEOUT, TcpClient, TcpServer
from embodiment_bridge.protocols.opencog.router import wire
from embodiment_bridge.standins.oac.router_lines import Incoming, RouterLines

ACK_WITHIN: Final = 2.0  # s; the real Router waits for ever
MAX_QUEUE: Final = 1000  # messages that wait for one element; the real Router has no limit
MAX_WAITING: Final = 8 << 20  # bytes of them
MAX_ELEMENTS: Final = 32  # that are known, those included that somebody only writes to
MAX_CLIENTS: Final = 64

TOO_MANY: Final = f"FAILED - more than {MAX_ELEMENTS} elements"
Handler = Callable[[Incoming], None]


@dataclass(slots=True)
class Member:
    """An element that has logged in, or that has waiting messages."""

    id: str
    host: str = ""
    port: int = 0
    handler: Handler | None = None
    available: bool = False
    logged_in: bool = False
    queue: deque[Incoming] = field(default_factory=lambda: deque(maxlen=MAX_QUEUE))
    control: TcpClient | None = None
    data: TcpClient | None = None


class Router:
    """Listens after construction; port 0 takes a free one.

    acks: ack mode, with two OKs for a delivered message, as from the real one. heartbeat: s between notices of its own
    availability. answers: False accepts connections and never sends anything.

    Raises:
        LinkError: it cannot listen there.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        acks: bool = False,
        heartbeat: float = 15.0,
        answers: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        # the host decides which clients can connect
        self._server = TcpServer(host, port, allowed=lambda _: True, write_timeout=SHARED_WRITE_TIMEOUT)
        self.host, self.port = self._server.host, self._server.port
        self.members: dict[str, Member] = {}
        self.missing_acks = self.beats = 0
        self.log: deque[str] = deque(maxlen=1000)
        self._acks, self._answers, self._heartbeat, self._clock = acks, answers, heartbeat, clock
        self._clients: dict[int, tuple[TcpClient, RouterLines]] = {}
        self._poll = select.poll()
        self._poll.register(self._server, select.POLLIN)
        self._next_beat = clock() + heartbeat

    def attach(self, name: str, handler: Handler) -> None:
        """Add an element of this program: ``handler`` gets its messages."""
        self.members[name] = Member(name, handler=handler, available=True, logged_in=True)

    def step(self, timeout: float) -> None:
        """Serve waiting data, or wait for some up to ``timeout`` s."""
        for number, _ in self._poll.poll(timeout * 1000.0):
            if number == self._server.fileno():
                self._accept()
            elif number in self._clients:
                self._read(number)
        if self._clock() >= self._next_beat:
            self._next_beat = self._clock() + self._heartbeat
            self.beat()

    def beat(self) -> None:
        """Announce the Router to all elements; those that cannot be reached become unavailable."""
        self.beats += 1
        for member in self._others():
            told = self._notify(member, f"AVAILABLE_ELEMENT {wire.ROUTER}")
            if told and not member.available:
                self._set_available(member, True)

    def forget_connections(self) -> None:
        """Simulate a restart: close all connections, make all elements unavailable and announce it; keep the table."""
        for number in list(self._clients):
            self._hang_up(number)
        for member in self._others():
            _close(member)
            member.available = False
        for member in self._others():
            self._notify(member, f"UNAVAILABLE_ELEMENT {wire.ROUTER}")

    def close(self) -> None:
        """Close all connections and stop listening."""
        for number in list(self._clients):
            self._hang_up(number)
        for member in self.members.values():
            _close(member)
        self._server.close()

    def send(self, sender: str, to: str, kind: int, payload: bytes) -> str:
        """Send a message from one element to another; returns the answer for the sender."""
        return self._route(Incoming(sender, to, kind, payload))[0]

    def announce(self, name: str, available: bool) -> None:
        """Set an element available or unavailable, and announce it."""
        self._set_available(self.members[name], available)

    def _accept(self) -> None:
        connection = None
        with contextlib.suppress(LinkError):  # who came may have gone again
            connection = self._server.accept(0.1)
        if connection is None:
            return
        if len(self._clients) >= MAX_CLIENTS:
            connection.close()
            return
        self._clients[connection.fileno()] = (connection, RouterLines())
        self._poll.register(connection, select.POLLIN)

    def _read(self, number: int) -> None:
        connection, lines = self._clients[number]
        try:
            for command in lines.feed(connection.read(0.0)):
                for answer in self._obey(command):
                    if self._acks and self._answers:
                        connection.write(answer.encode() + b"\n")
        except LinkError:
            if number in self._clients:
                self._hang_up(number)

    def _hang_up(self, number: int) -> None:
        connection, _ = self._clients.pop(number)
        self._poll.unregister(connection)
        connection.close()

    def _obey(self, command: Incoming | list[str]) -> list[str]:
        """Carry out one command; returns the answers."""
        if isinstance(command, Incoming):
            self.log.append(f"NEW_MESSAGE {command.sender} {command.to} {command.type}")
            return self._route(command) if self._answers else []
        self.log.append(" ".join(command))
        match command:
            case ["LOGIN", name, host, port] if _is_port(port):
                return self._log_in(name, host, int(port))
            case ["LOGOUT", name] if name in self.members:
                _close(self.members.pop(name))
                return ["OK"]
            case ["REQUEST_UNREAD_MESSAGES", name, limit]:
                return self._fetch(name, limit)
            case ["CLEAR_MESSAGE_QUEUE", wire.SPAWNER, name] if name in self.members:
                self.members[name].queue.clear()
                return ["OK"]
        return []  # a real Router logs and ignores

    def _log_in(self, name: str, host: str, port: int) -> list[str]:
        member = self._known(name)
        if member is None:
            return [TOO_MANY]
        if (member.host, member.port) != (host, port):
            _close(member)
        member.host, member.port = host, port
        first = not member.logged_in
        member.logged_in = True
        if first:
            member.available = True
        elif not member.available:
            self._set_available(member, True)
        waited = bool(member.queue)
        self._deliver(member)
        return ["OK", "OK"] if waited else ["OK"]

    def _fetch(self, name: str, limit: str) -> list[str]:
        member = self.members.get(name)
        if member is None:
            return [f"FAILED - could not send messages. Unknown ID: {name}"]
        self._deliver(member)
        return ["OK"]

    def _route(self, message: Incoming) -> list[str]:
        if message.sender not in self.members:
            return [f"FAILED - Unknown <from> ID: {message.sender}"]
        member = self.members.get(message.to)
        if member is None or not member.logged_in:
            member = self._known(message.to)
            if member is None:
                return [TOO_MANY]
            _store(member, message)
            self._broadcast(f"UNAVAILABLE_ELEMENT {message.to}", message.to)
            return ["OK"]
        if not member.available:
            return [f"FAILED - Element unavailable: {message.to}"]
        _store(member, message)
        self._deliver(member)
        return ["OK", "OK"]  # stored, and delivered: the real one answers both

    def _known(self, name: str) -> Member | None:
        """The element with this id, or a new one; None where there is no room for one more."""
        if name not in self.members and len(self.members) >= MAX_ELEMENTS:
            return None
        return self.members.setdefault(name, Member(name))

    def _deliver(self, member: Member) -> None:
        if member.handler is not None:
            while member.queue:
                member.handler(member.queue.popleft())
        elif member.queue:
            batch = b"".join(_lines_of(message) for message in member.queue) + b"cNO_MORE_MESSAGES\n"
            member.queue.clear()
            if not self._tell(member, "data", batch):
                self._set_available(member, False)

    def _notify(self, member: Member, text: str) -> bool:
        if not self._answers or not self._tell(member, "control", f"c{text}\n".encode()):
            if member.available:
                member.available = False
            return False
        return True

    def _tell(self, member: Member, which: str, data: bytes) -> bool:
        """Write to an element; connect to it first if needed."""
        connection: TcpClient | None = getattr(member, which)
        try:
            if connection is None:
                connection = TcpClient(
                    member.host, member.port, timeout=1.0, write_timeout=SHARED_WRITE_TIMEOUT
                )
                setattr(member, which, connection)
            connection.write(data)
            if self._acks and connection.read(ACK_WITHIN) == b"":
                self.missing_acks += 1
        except LinkError:
            if connection is not None:
                connection.close()
            setattr(member, which, None)
            return False
        return True

    def _set_available(self, member: Member, available: bool) -> None:
        member.available = available
        self._broadcast(f"{'' if available else 'UN'}AVAILABLE_ELEMENT {member.id}", member.id)

    def _broadcast(self, text: str, subject: str) -> None:
        for member in self._others():
            if member.available and member.id != subject:
                self._notify(member, text)

    def _others(self) -> list[Member]:
        """Elements of other programs."""
        return [one for one in list(self.members.values()) if one.handler is None and one.port]


def _is_port(text: str) -> bool:
    return text.isdecimal() and len(text) <= 5 and int(text) <= 65535


def _store(member: Member, message: Incoming) -> None:
    """Let a message wait for its element; the oldest make room."""
    member.queue.append(message)
    while sum(len(one.payload) for one in member.queue) > MAX_WAITING:
        member.queue.popleft()


def _close(member: Member) -> None:
    for connection in (member.control, member.data):
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.close()
    member.control = member.data = None


def _lines_of(message: Incoming) -> bytes:
    head = f"cSTART_MESSAGE {message.sender} {message.to} {message.type}\n".encode()
    if not message.payload:
        return head
    return head + b"".join(b"d%s\n" % line for line in message.payload.split(b"\n"))
