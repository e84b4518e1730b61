# SPDX-License-Identifier: Apache-2.0
"""The link to a Maeden server: bytes with a conversation on them. It always has something to tell: time at least."""

import contextlib
from collections.abc import Callable, Iterable
from typing import Final

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, LinkError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.link.event_link import Counters, EventLink
from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.protocols.maeden.conversation import Closed, Conversation, LinkEvent, Options, Tick
from embodiment_bridge.protocols.maeden.events import Act, Action, Command, Event
from embodiment_bridge.wire.codec import Codec

TICK_S: Final = 0.05  # between looks at the time when nothing comes: a cycle of the usual server
KILL: Final = Act("kill")
SILENT_S: Final = 2.0  # after an answer was missed; a server that only dropped one answers the next command
SILENT: Final = "the server answers nothing"


def options_of(parameters: ParameterValues) -> Options:
    """The part of the protocol's parameters that shapes a conversation."""
    return Options(
        dialect=str(parameters["dialect"]),
        role=str(parameters["role"]),
        listen=parameters["pacing"] == "listen",
        listen_interval_s=float(parameters["listen_interval"]),
        settle_s=float(parameters["settle"]),
        reply_timeout_s=float(parameters["reply_timeout"]),
        rejoin=str(parameters["rejoin"]),
    )


def make_link(
    parameters: ParameterValues,
    transport: Transport,
    codec: Codec[Event, Command],
    counters: Counters,
    clock: Callable[[], float],
) -> "MaedenLink":
    """The link of one connection; see ``link`` of ``ProtocolSpec``."""
    kill = bool(parameters["kill_on_shutdown"])
    return MaedenLink(transport, codec, options_of(parameters), counters, clock, kill=kill)


class MaedenLink(EventLink[LinkEvent, Action]):
    """Commands go out one by one, each when the one before was answered; there is always something to read.

    kill: take the agent out of the world before hanging up; a server never notices otherwise.
    """

    def __init__(
        self,
        transport: Transport,
        codec: Codec[Event, Command],
        options: Options,
        counters: Counters,
        clock: Callable[[], float],
        *,
        kill: bool = False,
    ) -> None:
        self.arrived = clock()
        self._transport = transport
        self._codec = codec
        self._counters = counters
        self._clock = clock
        self._kill = kill
        self._conversation = Conversation(options, self.arrived)
        self._parting: LinkError | None = None
        self._told: list[LinkEvent] = []  # what is left to tell after a write that failed

    @property
    @override
    def peer(self) -> str:
        return self._transport.peer

    @property
    @override
    def silent(self) -> str:  # as when the server was stopped; it may go on yet
        return SILENT if self._conversation.lost_for(self._clock()) > SILENT_S else ""

    @override
    def read(self, timeout: float) -> list[LinkEvent]:
        """Return what came, or a ``Tick``; a ``Closed`` before the link ends without a word."""
        told, self._told = self._told, []
        if told:
            return told
        if self._parting is not None:
            raise self._parting
        try:
            self._flush()
            data = self._transport.read(min(timeout, TICK_S))
            self.arrived = self._clock()
            self._counters.bytes_in += len(data)
            # What has come counts first: after a pause of this process, an answer may lie there that is not late.
            told += self._conversation.take(self._codec.feed(data) if data else (), self.arrived)
            told += self._conversation.advance(self.arrived)
            self._flush()
        except LinkError as error:
            told += self._part(error)
        return told or [Tick(0, self.arrived)]

    @override
    def write(self, commands: Iterable[Action]) -> bool:
        any_sent = sum(self._submit(command) for command in commands) > 0
        if any_sent and self._parting is None:
            self._conversation.push(self._clock())
            try:
                self._flush()
            except LinkError as error:
                self._told = self._part(error)
        return any_sent

    def _submit(self, command: Action) -> bool:
        try:
            self._codec.encode(command)
            if not self._conversation.submit(command):
                raise CommandError(f"{command} is one too many: the server takes one a cycle")
        except CommandError as error:
            self._counters.refuse(error)
            return False
        return True

    @override
    def close(self) -> None:
        if self._kill and self._parting is None and self._conversation.alive:
            self._kill = False
            with contextlib.suppress(LinkError):
                self._transport.write(self._codec.encode(KILL))
        self._transport.close()

    def _flush(self) -> None:
        """Each command is a whole line in one write: half a line would stop the world for everybody."""
        commands, self._conversation.to_send = self._conversation.to_send, []
        for command in commands:
            data = self._codec.encode(command)
            self._transport.write(data)
            self._counters.bytes_out += len(data)

    def _part(self, error: LinkError) -> list[LinkEvent]:
        conversation = self._conversation
        over = type(error) is not LinkError
        self._parting = error if over else conversation.parting(str(error))
        if conversation.agent and not conversation.ending and not over:
            return [Closed(0, str(error), self._clock())]
        return []
