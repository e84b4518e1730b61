# SPDX-License-Identifier: Apache-2.0
"""The proxy's part of the conversation: login, loading and presence of OACs, ticks, and sending of letters."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

from embodiment_bridge.protocols.opencog.network.element import Beat, Element, LinkEvent, LoggedIn
from embodiment_bridge.protocols.opencog.network.outbox import Kind, Letter, Outbox
from embodiment_bridge.protocols.opencog.router import wire

UNLOAD_WITHIN: Final = 0.5  # s; after that the proxy logs out without an answer
MAX_UNCONFIRMED: Final = 1000


class Presence(Enum):
    """Presence of an OAC."""

    UNKNOWN = "unknown"  # nothing: the link is down
    LOADING = "loading"  # the Spawner was asked for it
    PRESENT = "present"
    GONE = "gone"  # the Router says that it cannot be reached
    RETURNING = "returning"  # reachable again; it may still announce that it was loaded anew


@dataclass(frozen=True, slots=True)
class Loading:
    """Arguments of LOAD_AGENT: the owner of the agent, pet or humanoid, and a word for its character."""

    owner: str
    type: str = "pet"
    traits: str = "maxie"


@dataclass(slots=True)
class Oac:
    """One OAC: its id, which is also that of its agent, how to load it (None: it runs already), and its state."""

    id: str
    loading: Loading | None = None
    presence: Presence = Presence.UNKNOWN
    loaded: bool = False  # whether it has reported this since the request
    next_tick: float = 0.0
    deadline: float = 0.0  # of its loading, or of its return


class ProxyListener(Protocol):
    """Receives the events of a proxy, on the session's thread."""

    def hear(self, message: wire.Message) -> None:
        """An OAC has sent a message."""

    def met(self, oac: str, *, anew: bool) -> None:
        """An OAC can be reached; ``anew``: it has restarted and knows nothing of earlier messages."""

    def missed(self, oac: str) -> None:
        """An OAC cannot be reached any more."""

    def about_to_tick(self, oac: str) -> None:
        """A tick follows: the moment to send what the OAC needs for thinking."""


@dataclass(frozen=True, slots=True)
class Habits:
    """tick_period: s between ticks, 0 for none. load_timeout: s until an OAC is requested again.

    repeat_refused: send a result again that the Router refused in ack mode. return_time: s in which an OAC that was
    gone may announce that it is a new one; after that it counts as the old one, which gets its reports.
    """

    tick_period: float = 0.5
    load_timeout: float = 60.0
    repeat_refused: bool = False
    return_time: float = 3.0


class Proxy:
    """The agent of a session with the Router, over ``RouterLink``; ``listener`` receives its events.

    Everything but ``leave`` happens on the session's thread. clock: s, as the session's.
    """

    def __init__(
        self,
        element: Element,
        outbox: Outbox,
        oacs: Sequence[Oac],
        listener: ProxyListener,
        habits: Habits,
        clock: Callable[[], float],
    ) -> None:
        self.oacs = {oac.id: oac for oac in oacs}
        self.left = threading.Event()
        self.sent = self.refused = 0
        self.last_error = ""
        self._element = element
        self._outbox = outbox
        self._listener = listener
        self._habits = habits
        self._clock = clock
        self._writing: Letter | None = None
        self._unconfirmed: deque[Letter] = deque(maxlen=MAX_UNCONFIRMED)
        self._leaving = False
        self._leave_at: float | None = None

    def leave(self) -> None:
        """Send waiting results, unload loaded OACs, log out; ``left`` is set at the end. From any thread."""
        self._leaving = True
        self._element.wake()

    def handshake(self) -> Iterable[wire.Command]:
        """Log in."""
        return [self._element.login()]

    def batch_received(self, count: int) -> str:
        """A Router keeps no beat that it could miss."""
        return ""

    def perceive(self, event: LinkEvent) -> LinkEvent:
        """An event says all there is to know."""
        return event

    def ready(self, event: LinkEvent) -> bool:
        """Whether the Router has let us in."""
        return isinstance(event, LoggedIn)

    def respond(self, event: LinkEvent) -> Iterable[wire.Command]:
        """At each beat the next letter."""
        if not isinstance(event, Beat):
            return []
        now = self._clock()
        if self._leaving:
            return self._respond_leaving(now)
        for oac in self.oacs.values():
            self._look_after(oac, now)
        return self._next_letter()

    def observe(self, event: LinkEvent) -> None:
        """Tell the hearer what came, and note what was written."""
        match event:
            case Beat():
                self._written()
            case LoggedIn():
                self._logged_in()
            case wire.Message():
                self._hear(event)
            case wire.Available(id=name):
                self._met(name)
            case wire.Unavailable(id=name):
                self._missed(name)
            case wire.Ok():
                if self._unconfirmed:
                    self._unconfirmed.popleft()
            case wire.Failed(reason=reason):
                self._refused(reason)

    def lost(self, reason: str) -> None:
        """Put back the letter that was not written completely: it has not been said."""
        if self._writing is not None:
            self._outbox.put_back(self._writing)
            self._writing = None
        self._unconfirmed.clear()
        for oac in self.oacs.values():
            if oac.presence is not Presence.UNKNOWN:
                told = oac.presence is Presence.PRESENT and not self._leaving
                oac.presence = Presence.UNKNOWN
                if told:
                    self._listener.missed(oac.id)

    def reachable(self, to: str) -> bool:
        """Whether a message to this element can be sent now."""
        oac = self.oacs.get(to)
        return oac is None or oac.presence is Presence.PRESENT

    def _next_letter(self) -> Iterable[wire.Command]:
        letter = self._outbox.take(self.reachable)
        if letter is None:
            return []
        self._element.wake()  # perhaps there is another one
        self._writing = letter
        try:
            payload = letter.make()
        except Exception as error:  # noqa: BLE001 - one letter that cannot be made must not stop the others
            payload = None
            self.last_error = (
                f"{letter.about or letter.topic or 'a message'} for {letter.to} is lost: {error!r}"
            )
            self.refused += 1
        if payload is None:
            self._writing = None
            return []
        return [wire.NewMessage(self._element.address.id, letter.to, letter.type, payload)]

    def _written(self) -> None:
        letter, self._writing = self._writing, None
        if letter is not None:
            self.sent += 1
            if self._element.acks:
                self._unconfirmed.append(letter)

    def _refused(self, reason: str) -> None:
        """A command failed: the oldest one that fits. A Router answers some twice, so answers cannot be counted."""
        self.refused += 1
        self.last_error = f"the Router: {reason}"
        name = reason.rpartition(" ")[2]
        meant = next((one for one in self._unconfirmed if one.to == name or name not in self.oacs), None)
        if name in self.oacs:
            self._missed(name)
        if meant is not None:
            self._unconfirmed.remove(meant)
            if self._habits.repeat_refused and meant.kind is Kind.RESULT:
                self._outbox.put_back(meant)

    def _logged_in(self) -> None:
        self._outbox.forget_events()  # nobody could be told what was heard meanwhile, and it is not of now
        for oac in self.oacs.values():
            if oac.loading is None or oac.loaded:
                self._enter(oac, anew=False)
            else:
                self._load(oac)

    def _load(self, oac: Oac) -> None:
        loading = oac.loading
        if loading is None:
            return
        oac.presence = Presence.LOADING
        oac.deadline = self._clock() + self._habits.load_timeout
        text = f"LOAD_AGENT {oac.id} {loading.owner} {loading.type} {loading.traits}"
        self._outbox.put(Letter(wire.SPAWNER, text.encode))

    def _look_after(self, oac: Oac, now: float) -> None:
        period = self._habits.tick_period
        if oac.presence is Presence.LOADING and now > oac.deadline:
            self.last_error = (
                f"OAC {oac.id} was not loaded within {self._habits.load_timeout:g} s; asking again"
            )
            self._load(oac)
        elif oac.presence is Presence.RETURNING and now > oac.deadline:
            self._enter(oac, anew=False)
        elif oac.presence is Presence.PRESENT and period and now >= oac.next_tick:
            oac.next_tick = max(oac.next_tick + period, now)
            self._listener.about_to_tick(oac.id)
            tick = Letter(oac.id, lambda: wire.TICK, Kind.STATE, wire.MessageType.TICK, "tick")
            self._outbox.put(tick)

    def _enter(self, oac: Oac, *, anew: bool) -> None:
        oac.presence = Presence.PRESENT
        oac.next_tick = self._clock() + self._habits.tick_period
        self._listener.met(oac.id, anew=anew)

    def _met(self, name: str) -> None:
        oac = self.oacs.get(name)
        if oac is not None and oac.presence is Presence.GONE:
            oac.presence = Presence.RETURNING
            oac.deadline = self._clock() + self._habits.return_time

    def _missed(self, name: str) -> None:
        oac = self.oacs.get(name)
        if oac is None or oac.presence not in (Presence.PRESENT, Presence.RETURNING):
            return
        told = oac.presence is Presence.PRESENT
        oac.presence = Presence.GONE
        if told:
            self._listener.missed(name)

    def _hear(self, message: wire.Message) -> None:
        match wire.read_text(message.payload):
            case wire.AgentLoaded(element_id=name):
                self._loaded(name)
            case wire.AgentUnloaded(element_id=name):
                self._unloaded(name)
            case _ if message.sender in self.oacs:
                self._listener.hear(message)
            case _:
                self.last_error = (
                    f"message of type {message.type} from {message.sender!r}, which is not an OAC of ours"
                )

    def _loaded(self, name: str) -> None:
        oac = self.oacs.get(name)
        if oac is None:
            self.last_error = f"an OAC {name!r} was loaded, which is none of ours"
            return
        anew = oac.loaded or oac.presence in (Presence.PRESENT, Presence.GONE, Presence.RETURNING)
        oac.loaded = True
        self._enter(oac, anew=anew)

    def _unloaded(self, name: str) -> None:
        oac = self.oacs.get(name)
        if oac is not None:
            oac.loaded = False
            self._missed(name)

    def _respond_leaving(self, now: float) -> Iterable[wire.Command]:
        """Send results, then unload, then log out."""
        letter = list(self._next_letter())
        if letter or self.left.is_set():
            return letter
        loaded = [oac for oac in self.oacs.values() if oac.loading is not None and oac.loaded]
        if loaded and self._leave_at is None:
            self._leave_at = now + UNLOAD_WITHIN
            return [self._unload(oac) for oac in loaded]
        if loaded and self._leave_at is not None and now < self._leave_at:
            return []
        self.left.set()
        return [wire.Logout(self._element.address.id)]

    def _unload(self, oac: Oac) -> wire.NewMessage:
        text = f"UNLOAD_AGENT {oac.id}"
        return wire.NewMessage(self._element.address.id, wire.SPAWNER, wire.MessageType.STRING, text.encode())
