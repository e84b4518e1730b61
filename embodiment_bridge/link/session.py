# SPDX-License-Identifier: Apache-2.0
"""Keeps one link to a peer alive: connect, shake hands, serve, back off, for ever. No ROS, no protocol.

    CLOSED -> CONNECTING -> HANDSHAKE -> READY -> (lost) BACKOFF -> CONNECTING ...
                                                  (over) CLOSED
                                           READY <-> SILENT

All calls of the served agent happen on the session's own thread, or on the one thread of a ``LinkLoop`` while the
link is ready, when the session's own waits. The answer to an event is on the wire before anybody else hears of the
event, so nothing that listens can delay the peer.
"""

import math
import random
import threading
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, Protocol, TypeAlias, TypeVar

from embodiment_bridge.core.errors import BridgeError, LinkError, LinkOverError
from embodiment_bridge.link.event_link import CodecLink, Counters, EventLink
from embodiment_bridge.link.link_loop import LinkLoop
from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.wire.codec import Codec, Malformed, Unknown

Event = TypeVar("Event")
Command = TypeVar("Command")
Percept = TypeVar("Percept")
Event_contra = TypeVar("Event_contra", contravariant=True)
Command_co = TypeVar("Command_co", covariant=True)

FIRST_BACKOFF = 0.5  # s
LONGEST_BACKOFF = 1.5  # s; a server that comes back is joined within 2 s
JITTER = 0.2  # share of the back-off that is random, so that a team does not come back in one instant
HANDSHAKE_TIMEOUT = 15.0  # s
POLL = 0.5  # s; how long a stop may go unseen when nothing arrives
# s from the handshake that a stop leaves to a peer that makes a body: it takes 1 to 3 s, on a busy machine several
# times that.
STAY = 15.0


class Phase(IntEnum):
    """The states of a link; the numbers are those of LinkState.msg."""

    CLOSED = 0
    CONNECTING = 1
    HANDSHAKE = 2
    READY = 3
    BACKOFF = 4
    SILENT = 5


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """The status of the link: ``retry_in`` s until the next try, ``connects`` times READY since the start."""

    phase: Phase = Phase.CLOSED
    peer: str = ""
    reason: str = ""
    retry_in: float = 0.0
    connects: int = 0


class Agent(Protocol[Event_contra, Command_co, Percept]):
    """The interface that a session serves; called on one thread at a time.

    What an agent makes of an event is one value, a percept, which the session hands to the calls that follow.
    """

    def handshake(self) -> Iterable[Command_co]:
        """Commands that open the conversation of a new connection."""
        ...

    def batch_received(self, count: int) -> str:
        """Note that ``count`` events arrived at once and follow now; return why the peer is late, else empty."""
        ...

    def perceive(self, event: Event_contra) -> Percept:
        """Update the state of the agent by an event."""
        ...

    def respond(self, percept: Percept) -> Iterable[Command_co]:
        """Commands that answer; they are sent at once, in one write."""
        ...

    def ready(self, percept: Percept) -> bool:
        """Whether this completes the handshake."""
        ...

    def observe(self, percept: Percept) -> None:
        """Called after the answer is on the wire: the place to publish."""
        ...

    def lost(self, reason: str) -> None:
        """The link that was open is gone, and the status says so already, unless the session was stopped."""
        ...


OpenLink: TypeAlias = Callable[[Counters, Callable[[], float]], EventLink[Event, Command]]
MakeLink: TypeAlias = Callable[
    [Transport, Codec[Event, Command], Counters, Callable[[], float]], EventLink[Event, Command]
]


def linked(
    connect: Callable[[], Transport],
    codec: Callable[[], Codec[Event, Command]],
    make_link: MakeLink[Event, Command] = CodecLink,
) -> OpenLink[Event, Command]:
    """Open links by ``make_link(transport, codec, counters, clock)``, each with a fresh transport and codec."""

    def open_link(counters: Counters, clock: Callable[[], float]) -> EventLink[Event, Command]:
        made = codec()
        return make_link(connect(), made, counters, clock)

    return open_link


class Session(Generic[Event, Command, Percept]):
    """One thread that serves one agent over one link at a time.

    open_link opens a link, which counts with what it is given and has this clock, or raises LinkError; on_status
    hears every change of the link, on the session's thread. handshake_timeout s is the longest wait for the first
    sign of readiness; ``refusal`` explains a peer that closes before it. A peer that was READY and says nothing for
    ``quiet_after`` s is SILENT; 0: it may be quiet for as long as it likes. A peer that was told the handshake is not
    left before its first event if ``stay_for_answer``. wait(s) waits, True when the session is to end. ``loop`` serves
    the link together with others once it is ready, if it can be waited for.
    """

    def __init__(
        self,
        open_link: OpenLink[Event, Command],
        agent: Agent[Event, Command, Percept],
        on_status: Callable[[LinkStatus], None],
        *,
        peer: str = "",
        handshake_timeout: float = HANDSHAKE_TIMEOUT,
        refusal: str = "",
        quiet_after: float = 0.0,
        stay_for_answer: bool = False,
        clock: Callable[[], float] = time.perf_counter,
        wait: Callable[[float], bool] | None = None,
        jitter: Callable[[], float] = random.random,
        loop: LinkLoop | None = None,
    ) -> None:
        self.counters = Counters()
        self.status = LinkStatus(peer=peer)
        self._open_link = open_link
        self._agent = agent
        self._on_status = on_status
        self._handshake_timeout = handshake_timeout
        self._refusal = refusal
        self._quiet_after = quiet_after
        self._stay_for_answer = stay_for_answer
        self._heard = 0.0  # when the last event came
        self._clock = clock
        self._stop = threading.Event()  # of the newest run
        self._wait = wait
        self._jitter = jitter
        self._loop = loop
        self._answered: list[Percept] = []  # the last percept, until the agent has observed it
        self._link: EventLink[Event, Command] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to serve on a thread of the session's own."""
        # Another one: a run that still connected when ``stop`` gave up ends all the same.
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(self._stop,), name="session", daemon=True)
        self._thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        """End the link and the thread; returns when it has ended, or has not within ``timeout`` s.

        The thread itself hangs up, after what arrives next: a peer that is just sending to a closed socket may not
        survive it (rcssservermj 0.2.1 does not). A silent peer is hung up on after a moment; one that is first to
        answer the handshake (``stay_for_answer``) ``STAY`` s after the handshake began, or after ``timeout`` if that is
        longer.
        """
        self._stop.set()
        if self._thread is None or self._thread is threading.current_thread():
            return
        self._thread.join(min(2 * POLL, timeout))
        if self._stay_for_answer and self.status.phase is Phase.HANDSHAKE:
            self._thread.join(max(timeout, STAY - (self._clock() - self._heard)))
        link = self._link
        if self._thread.is_alive() and link is not None:
            link.close()
        self._thread.join(timeout)

    def run(self) -> None:
        """Serve until stopped (what the thread does; tests may call it themselves)."""
        self._serve(self._stop)

    def _serve(self, stop: threading.Event) -> None:
        delay, wait = FIRST_BACKOFF, self._wait or stop.wait
        while not stop.is_set():
            connects, pause = self.status.connects, 0.0
            reason, opened, over = self._serve_one_connection(stop)
            stopped = stop.is_set()
            if not stopped:
                delay = FIRST_BACKOFF if self.status.connects > connects else min(2 * delay, LONGEST_BACKOFF)
                pause = 0.0 if over else delay * (1.0 - JITTER * self._jitter())
                self.counters.last_error = reason
                # First the status, which refuses requests; then the agent fails those that it has accepted.
                self._enter(Phase.CLOSED if over else Phase.BACKOFF, reason, retry_in=pause)
            if opened:
                self._agent.lost(reason)
            if over and not stopped:
                return
            if stopped or wait(pause):
                break
        if stop is self._stop:
            self._enter(Phase.CLOSED, "")

    def _serve_one_connection(self, stop: threading.Event) -> tuple[str, bool, bool]:
        """Connect and serve until the link is lost.

        Returns:
            Why it was, whether it had been open, and whether the peer ended it for good.
        """
        self._enter(Phase.CONNECTING, self.counters.last_error)
        link: EventLink[Event, Command] | None = None
        over = False
        try:
            link = self._open_link(self.counters, self._clock)
            if stop.is_set():  # another run may serve by now, and this peer has not been told anything
                link.close()
                return "stopped", False, over
            self._link = link
            self._converse(link, stop)
            reason = "stopped"
        except BridgeError as error:
            reason = self._explain(str(error))
            over = isinstance(error, LinkOverError)
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this connection, never the session
            reason = f"internal error: {error!r}"
            self.counters.last_traceback = traceback.format_exc()
        if link is not None:
            link.close()
            self._link = None
        return reason, link is not None, over

    def _explain(self, reason: str) -> str:
        if self.status.phase is Phase.HANDSHAKE and self._refusal and "closed by the peer" in reason:
            return f"{reason} before it answered: {self._refusal}"
        return reason

    def _converse(self, link: EventLink[Event, Command], stop: threading.Event) -> None:
        self._enter(Phase.HANDSHAKE, "")
        self.counters.late = ""
        link.write(self._agent.handshake())
        self._heard = self._clock()
        deadline = self._heard + self._handshake_timeout
        self._answered.clear()
        while True:
            number = link.fileno() if self._loop and self.status.phase is Phase.READY else None
            if self._loop and number is not None:
                self._loop.serve(number, lambda woken: self._answer(link, stop, 0.0, woken), self._observe)
                return
            if not self._answer(link, stop, POLL):
                return
            self._observe()
            if self.status.phase is Phase.HANDSHAKE and link.arrived > deadline:
                raise LinkError(f"{link.peer}: no answer within {self._handshake_timeout:g} s")

    def _answer(
        self,
        link: EventLink[Event, Command],
        stop: threading.Event,
        timeout: float,
        woken: float = math.inf,
    ) -> bool:
        """Answer what comes within ``timeout`` s, or had come at ``woken`` on the clock; whether to go on."""
        events = link.read(timeout)
        unanswered = self._stay_for_answer and self.status.phase is Phase.HANDSHAKE and not events
        if stop.is_set() and not unanswered:
            return False  # and hang up: the peer waits for our answer now, and is not sending
        late = self._agent.batch_received(len(events)) if events else self.counters.late
        self._heard = link.arrived if events else self._heard
        self.counters.most_at_once = max(self.counters.most_at_once, len(events))
        if late != self.counters.late:
            self.counters.late = late
            if self.status.phase is Phase.READY:
                self._enter(Phase.READY, late)
        for event in events:
            self._observe()
            self._count(event)
            percept = self._agent.perceive(event)
            if link.write(self._agent.respond(percept)):
                self.counters.answer_times.append(self._clock() - min(link.arrived, woken))
            if self.status.phase is Phase.HANDSHAKE and self._agent.ready(percept):
                self._enter(Phase.READY, self.counters.late, connects=self.status.connects + 1)
            self._answered.append(percept)
        self._listen_for_silence(link)
        return True

    def _observe(self) -> None:
        """Let the agent observe what was answered last."""
        while self._answered:
            self._agent.observe(self._answered.pop())

    def _listen_for_silence(self, link: EventLink[Event, Command]) -> None:
        silent = link.silent or self._quiet(link)
        if self.status.phase is Phase.READY and silent:
            self._enter(Phase.SILENT, silent)
        elif self.status.phase is Phase.SILENT and not silent:
            self._enter(Phase.READY, self.counters.late)

    def _quiet(self, link: EventLink[Event, Command]) -> str:
        quiet = self._quiet_after and link.arrived - self._heard >= self._quiet_after
        return f"nothing has come for {self._quiet_after:g} s" if quiet else ""

    def _count(self, event: Event) -> None:
        self.counters.events += 1
        if isinstance(event, Malformed):
            self.counters.malformed += 1
            self.counters.last_error = f"malformed input at byte {event.offset}: {event.reason}"
        elif isinstance(event, Unknown):
            self.counters.unknown += 1

    def _enter(
        self, phase: Phase, reason: str, *, retry_in: float = 0.0, connects: int | None = None
    ) -> None:
        kept = self.status.connects if connects is None else connects
        self.status = LinkStatus(phase, self.status.peer, reason, retry_in, kept)
        self._on_status(self.status)
