# SPDX-License-Identifier: Apache-2.0
"""The conversation with a Maeden server: greeting, settling, one command at a time, lost answers, endings.

Pure: time comes in, events and commands come out. What the server does, and the reasons for all this:

* It may send the first packet twice. Nothing is commanded before the line was quiet for ``settle_s``; only the last
  packet counts.
* Nothing in a packet names its command. So there is one command on its way, and when its answer is late, ``w`` is sent
  and the line left to settle again.
* It sends nothing to an agent that does nothing. With ``listen``, ``w`` is sent when nothing else is due.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, TypeAlias

from embodiment_bridge.core.errors import LinkError, LinkOverError
from embodiment_bridge.protocols.maeden.events import (
    Act,
    Action,
    AgentId,
    Ending,
    Event,
    Join,
    NoPacket,
    Percept,
)
from embodiment_bridge.wire.codec import Malformed

DETECT_S: Final = 1.0  # how long a server of a JSON dialect may take for its first line
PACKET_S: Final = 5.0  # how long the first packet may take after the id
GIVE_UP_S: Final = 30.0  # of silence after a command, in which w is sent again, each time after twice as long
HANG_UP_S: Final = 3.0  # how long a server may keep the link open after an ending
QUEUE_LIMIT: Final = 8
MOST_SETTLING: Final = 40  # times settle_s: a line that is never quiet is used as it is
WAIT: Final = Act("wait")

WORDS: Final = {
    "DIE": "the agent died",
    "SUCCESS": "the agent ate the food",
    "END": "another agent ate the food",
}


@dataclass(frozen=True, slots=True)
class Options:
    """dialect: as of the codec; role: of dialect T; rejoin: never, lost or always; times in s."""

    dialect: str = "auto"
    role: str = "base"
    listen: bool = False
    listen_interval_s: float = 0.0
    settle_s: float = 0.25
    reply_timeout_s: float = 5.0
    rejoin: str = "lost"


@dataclass(frozen=True, slots=True)
class Answer:
    """A packet and the command that it answers; None: it came by itself. time_s: when, on the link's clock."""

    offset: int
    percept: Percept
    command: Action | None
    time_s: float


@dataclass(frozen=True, slots=True)
class NoReply:
    """A command was not answered in time: whether it was done is not known, unless it was never ``sent``."""

    offset: int
    command: Action | None
    waited_s: float
    time_s: float
    sent: bool = True


@dataclass(frozen=True, slots=True)
class Tick:
    """Time went on, and nothing came."""

    offset: int
    time_s: float


@dataclass(frozen=True, slots=True)
class Closed:
    """The link ended without a word: the server stopped, or another agent ended the episode."""

    offset: int
    reason: str
    time_s: float


LinkEvent: TypeAlias = Event | Answer | NoReply | Tick | Closed
"""An event of a link: one that came, or one that a conversation makes of it."""


class State(Enum):
    """The states of a conversation."""

    GREETING = auto()  # the id has not come
    SETTLING = auto()  # waiting for the line to be quiet
    READY = auto()
    LOST = auto()  # an answer is missing; waiting for any packet
    OVER = auto()


class Conversation:
    """One connection, from ``now`` on. ``to_send`` are commands for the wire, in order; the caller empties it."""

    def __init__(self, options: Options, now: float) -> None:
        self.state = State.GREETING
        self.agent = ""
        self.ending = ""
        self.to_send: list[Join | Action] = []
        self.in_flight: Action | None = None
        self.answered_at = now
        self._options = options
        self._began = self._heard_at = self._sent_at = self._settling_since = now
        self._last: Percept | None = None
        self._settled: Percept | None = None  # the last packet of those that came while settling
        self._answering: Action | None = None  # what the packet after settling answers
        self._queue: deque[Action] = deque()
        self._lost_at = now
        self._retry_s = options.reply_timeout_s
        self._ended_at = now
        self._told_role = options.dialect == "text"
        if self._told_role:
            self.to_send.append(Join(options.role))

    @property
    def alive(self) -> bool:
        """Whether there is an agent in the world that takes commands."""
        return bool(self.agent) and not self.ending and self.state is not State.OVER

    def lost_for(self, now: float) -> float:
        """For how long nothing has come since an answer was missed, s; 0 when none is missing."""
        return now - self._lost_at if self.state is State.LOST else 0.0

    def submit(self, command: Action) -> bool:
        """Send a command as soon as none is on its way; False when too many wait.

        What waits when an answer is missed is never sent, and counts as not answered: it would come late.
        """
        if len(self._queue) >= QUEUE_LIMIT:
            return False
        self._queue.append(command)
        return True

    def take(self, events: Sequence[Event], now: float) -> list[LinkEvent]:
        """Take the events of the codec; return those of the link."""
        if events:
            self._heard_at = now
        made: list[LinkEvent] = []
        for event in events:
            match event:
                case Percept():
                    made += self._percept(event, now)
                case AgentId():
                    self.agent = event.id
                    self.state, self._settling_since = State.SETTLING, now
                    made.append(event)
                case Ending():
                    made += self._end(event.word, event, now)
                case Malformed() if self.state is State.READY and self.in_flight is not None:
                    made += [event, *self._lose(now)]
                case _:
                    made.append(event)
                    self._no_food(event)
        return made

    def advance(self, now: float) -> list[LinkEvent]:
        """Time went on up to ``now``: return the events that follow from that.

        Raises:
            LinkOverError: the episode is over, or there will never be one.
            LinkError: the server is silent.
        """
        if self.ending:
            if now - self._ended_at > HANG_UP_S:
                raise self.parting(f"the server keeps the link open after {self.ending}")
            return []
        match self.state:
            case State.GREETING:
                self._greet(now)
            case State.SETTLING:
                return self._settle(now)
            case State.READY:
                return self._work(now)
            case State.LOST:
                self._call(now)
        return []

    def parting(self, reason: str) -> LinkError:
        """The error with which the link ends: ``LinkOverError`` where no new agent is to follow this one."""
        if self.ending:
            text = f"{self.ending}: {WORDS[self.ending]}"
            return LinkError(text) if self._options.rejoin == "always" else LinkOverError(text)
        return LinkOverError(reason) if self.agent and self._options.rejoin == "never" else LinkError(reason)

    def _greet(self, now: float) -> None:
        if not self._told_role and self._options.dialect == "auto" and now - self._began >= DETECT_S:
            self._told_role = True
            self.to_send.append(Join(self._options.role))

    def _settle(self, now: float) -> list[LinkEvent]:
        since = self._settling_since
        if self._settled is None and now - max(since, self._sent_at) > PACKET_S:
            raise LinkOverError(
                "the server told an id and sends no packets; it does so in a world without food supply"
            )
        quiet = now - self._heard_at >= self._options.settle_s
        if not quiet and now - since < MOST_SETTLING * self._options.settle_s:
            return []
        if self._settled is None:
            if self.in_flight is None and now - since >= self._options.settle_s and self._heard_at > since:
                self._send(WAIT, now)  # what came was no whole packet: ask for another one
            return []
        percept, self._settled = self._settled, None
        self.state, self.in_flight = State.READY, None
        return [self._answer(percept, self._answering, now)]

    def _work(self, now: float) -> list[LinkEvent]:
        if self.in_flight is not None:
            return self._lose(now) if now - self._sent_at > self._options.reply_timeout_s else []
        self.push(now)
        if self.in_flight is None and self._options.listen and self._listening_due(now):
            self._send(WAIT, now)
        return []

    def push(self, now: float) -> None:
        """Send the command whose turn it is, if there is one."""
        if self.state is State.READY and self.in_flight is None and self._queue and not self.ending:
            self._send(self._queue.popleft(), now)

    def _listening_due(self, now: float) -> bool:
        return now - self.answered_at >= self._options.listen_interval_s

    def _lose(self, now: float) -> list[LinkEvent]:
        """The answer of what is on its way cannot be waited for, or read."""
        lost, waited = self.in_flight, now - self._sent_at
        self.state, self._lost_at, self._retry_s = State.LOST, now, self._options.reply_timeout_s
        unsent = list(self._queue)
        self._queue.clear()
        self._send(WAIT, now)
        late = (NoReply(0, command, 0.0, now, sent=False) for command in unsent)
        return [NoReply(0, lost, waited, now), *late]

    def _call(self, now: float) -> None:
        if now - self._lost_at > GIVE_UP_S:
            raise self.parting(f"no answer for {now - self._lost_at:.0f} s")
        if now - self._sent_at > self._retry_s:
            self._retry_s *= 2
            self._send(WAIT, now)

    def _send(self, command: Action, now: float) -> None:
        self.in_flight, self._sent_at = command, now
        self.to_send.append(command)

    def _percept(self, percept: Percept, now: float) -> list[LinkEvent]:
        if percept.status != "CONTINUE":
            return [self._answer(percept, self.in_flight, now), *self._end(percept.status, None, now)]
        if self.ending:
            return [self._answer(percept, self.in_flight, now)]
        match self.state:
            case State.READY if self.in_flight is not None:
                if self._last is not None and percept.world_time == self._last.world_time:
                    return []  # the packet before, once more
                command, self.in_flight = self.in_flight, None
                return [self._answer(percept, command, now)]
            case State.READY:
                return [self._answer(percept, None, now)]
            case State.LOST:
                self.state, self._settling_since, self._answering = State.SETTLING, now, WAIT
        self._settled = percept
        return []

    def _answer(self, percept: Percept, command: Action | None, now: float) -> Answer:
        self._last, self.answered_at = percept, now
        self._answering = None
        return Answer(percept.offset, percept, command, now)

    def _end(self, word: str, event: Ending | None, now: float) -> list[LinkEvent]:
        """The first word counts: END follows SUCCESS."""
        if self.ending:
            return []
        self.ending, self._ended_at = word, now
        self._queue.clear()
        return [] if event is None else [event]

    def _no_food(self, event: Event) -> None:
        if isinstance(event, NoPacket) and self._last is None and self._settled is None and self.agent:
            raise LinkOverError("the server has no packets to send; it is so in a world without food supply")
