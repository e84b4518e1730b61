# SPDX-License-Identifier: Apache-2.0
"""Serves the stand-in on a TCP port while the world advances in cycles, with the faults that were asked for."""

import time
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Final

from embodiment_bridge.core.closed_on_exit import OwnThread
from embodiment_bridge.core.errors import ConfigError, LinkError, unknown
from embodiment_bridge.link.transports.tcp import SHARED_WRITE_TIMEOUT, TcpClient, TcpServer
from embodiment_bridge.standins.maeden.cycle import Simulation
from embodiment_bridge.standins.maeden.world import World, read_world, rules_of
from embodiment_bridge.wire.framing import Line, LineFramer

# Faults of the stand-in on request: those of the simulator, and those of a bad network.

FAULTS: Final = ("none", "doubled", "mixed", "silent", "halves", "hang_up")


class Faults:
    """One fault for all agents.

    doubled: the first packet is sent twice. mixed: also, with alternating lines of both copies. silent: every
    ``every``-th answer is not sent. halves: each answer is sent in two pieces, the second a cycle later. hang_up: the
    link of an agent ends in place of its ``every``-th answer.

    Raises:
        ConfigError: no such fault.
    """

    def __init__(self, fault: str = "none", every: int = 10) -> None:
        if fault not in FAULTS:
            raise ConfigError(unknown("fault", fault, FAULTS))
        self._fault = fault
        self._every = every

    def first(self, lines: list[str]) -> list[str]:
        """The id line and the first packet."""
        agent, packet = lines[:1], lines[1:]
        if self._fault == "doubled":
            return [*agent, *packet, *packet]
        if self._fault == "mixed":
            late = [None, None, *packet]
            return [*agent, *(line for line in chain(*zip_longest(packet, late)) if line is not None)]
        return lines

    def drops(self, number: int) -> bool:
        """Whether the answer with this number (from 1) is not sent."""
        return self._fault == "silent" and number % self._every == 0

    def hangs_up(self, number: int) -> bool:
        """Whether the link ends in place of the answer with this number."""
        return self._fault == "hang_up" and number >= self._every

    def pieces(self, data: bytes) -> tuple[bytes, bytes]:
        """The bytes to send now, and those to send a cycle later."""
        middle = len(data) // 2 if self._fault == "halves" else len(data)
        return data[:middle], data[middle:]


MAX_LINE: Final = 4096  # bytes
MAX_WAITING: Final = 100  # commands of one agent; a cycle does one
MAX_GUESTS: Final = 64
MAX_LEFT: Final = 100  # agents in the world whose connections are gone
ROLES: Final = ("base", "helper")
OWN_WORLD: Final = "stand-in\n7 5\n*******\n*  K  *\n*     *\n* + B *\n*******\n"


@dataclass(slots=True)
class _Guest:
    """One connection. ``id`` is None before the agent is in the world; ``waiting``: commands, oldest first.

    answers: number so far; held: bytes to send a cycle later.
    """

    link: TcpClient
    lines: LineFramer = field(default_factory=lambda: LineFramer(MAX_LINE))
    id: int | None = None
    waiting: list[str] = field(default_factory=list)
    answers: int = 0
    held: bytes = b""


class MaedenServer(OwnThread):
    """Listens after construction, serves on its own thread, ends with ``close``.

    world: path of a world file; empty takes a small world of its own. build: of ``rules.BUILDS``, or a dialect.
    period: of a cycle, s. eating_ends: whether a meal ends the run. fault, fault_every: see ``faults.Faults``.

    Raises:
        LinkError: it cannot listen there.
        ConfigError: there is no such world, build or fault.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        world: str = "",
        build: str = "json2018",
        period: float = 0.05,
        eating_ends: bool = True,
        fault: str = "none",
        fault_every: int = 10,
    ) -> None:
        super().__init__()
        self._faults = Faults(fault, fault_every)
        rules = rules_of(build)
        text = read_world(world) if world else OWN_WORLD
        self.simulation = Simulation(World(text, rules, eating_ends=eating_ends))
        self._asks_role = rules.dialect == "T"
        self._period = period
        # the host decides which clients can connect
        self._server = TcpServer(host, port, allowed=lambda _: True, write_timeout=SHARED_WRITE_TIMEOUT)
        self.host, self.port = self._server.host, self._server.port
        self._guests: list[_Guest] = []
        self._start("maeden")

    def close(self) -> None:
        """Close all connections and stop listening; returns when both are done."""
        super().close()
        for guest in self._guests:
            guest.link.close()
        self._server.close()

    def _serve(self) -> None:
        while not self._closing.is_set():
            # As the simulator does, it waits for a whole period after each cycle: an agent that answers at once acts in
            # the next cycle.
            due = time.monotonic() + self._period
            while (left := due - time.monotonic()) > 0.0:
                self._admit(left)
            for guest in list(self._guests):
                self._hear(guest)
            self._cycle()

    def _admit(self, within: float) -> None:
        try:
            link = self._server.accept(within)
        except LinkError:  # who came has gone again
            return
        if link is None:
            return
        if len(self._guests) >= MAX_GUESTS:
            link.close()
            return
        guest = _Guest(link)
        self._guests.append(guest)
        if not self._asks_role:
            self._join(guest, ROLES[0])

    def _join(self, guest: _Guest, role: str) -> None:
        agent, lines = self.simulation.join(role)
        guest.id = agent.id
        self._forget()
        self._tell(guest, self._faults.first(lines))

    def _hear(self, guest: _Guest) -> None:
        try:
            data = guest.link.read(0.0)
        except LinkError:  # the agent stays in the world, because the simulator does not notice disconnects
            self._part(guest)
            return
        for line in guest.lines.feed(data):
            if isinstance(line, Line):
                self._take(guest, line.text.decode("utf-8", "replace"))

    def _forget(self) -> None:
        """Take agents out of the world whose clients are long gone: else each that comes would make it larger."""
        agents = self.simulation.world.agents
        here = {guest.id for guest in self._guests}
        left = [id_ for id_ in agents if id_ not in here]
        for id_ in left[:-MAX_LEFT]:
            del agents[id_]

    def _take(self, guest: _Guest, line: str) -> None:
        if guest not in self._guests:  # hung up on because of a line before
            return
        if guest.id is not None:
            if len(guest.waiting) < MAX_WAITING:
                guest.waiting.append(line)
        elif line.strip().lower() in ROLES:
            self._join(guest, line.strip().lower())
        else:
            self._part(guest)

    def _cycle(self) -> None:
        lines = {g.id: g.waiting.pop(0) for g in self._guests if g.waiting and g.id is not None}
        sent = self.simulation.cycle(lines)
        for guest in list(self._guests):
            if guest.id is not None:
                self._answer(guest, sent.get(guest.id, []))
                if guest.id in self.simulation.closed:
                    self._part(guest)
        self.simulation.closed.clear()

    def _answer(self, guest: _Guest, lines: list[str]) -> None:
        guest.answers += bool(lines)
        if lines and self._faults.hangs_up(guest.answers):
            self._part(guest)
        elif lines and self._faults.drops(guest.answers):
            return
        else:
            self._tell(guest, lines)

    def _tell(self, guest: _Guest, lines: list[str]) -> None:
        data, later = self._faults.pieces("".join(f"{line}\n" for line in lines).encode())
        data, guest.held = guest.held + data, later
        if not data:
            return
        try:
            guest.link.write(data)
        except LinkError:  # gone, or it does not read: the world must not stand still for it once more
            self._part(guest)

    def _part(self, guest: _Guest) -> None:
        if guest in self._guests:
            self._guests.remove(guest)
            guest.link.close()
