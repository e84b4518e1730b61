# SPDX-License-Identifier: Apache-2.0
"""Messages that wait to be sent to elements of the network, from any thread."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from embodiment_bridge.protocols.opencog.router.wire import MessageType

MAX_EVENTS = 500  # letters of kind EVENT that wait for one destination


class Kind(Enum):
    """The treatment of a letter while it waits."""

    RESULT = "result"  # never lost: waits for a live connection and for its destination
    EVENT = "event"  # the oldest of too many is dropped; all are when the destination is gone
    STATE = "state"  # a newer one of the same topic replaces it; dropped when the destination is gone


@dataclass(slots=True)
class Letter:
    """A message to send. ``make`` gives the payload at the moment of writing, or None if there is nothing to send.

    topic: of a STATE. about: subject of a RESULT, for logs.
    """

    to: str
    make: Callable[[], bytes | None]
    kind: Kind = Kind.EVENT
    type: int = MessageType.STRING
    topic: str = ""
    about: str = ""


class Outbox:
    """Letters by destination. ``wake`` is called after each new one.

    Results are sent first, then events, then states, each kind in order. Time stamps ascend all the same: a letter gets
    its time when it is written.
    """

    def __init__(self, wake: Callable[[], None] = lambda: None) -> None:
        self.wake = wake
        self.dropped = 0
        self._lock = threading.Lock()
        self._results: deque[Letter] = deque()
        self._events: dict[str, deque[Letter]] = {}
        self._states: dict[tuple[str, str], Letter] = {}

    def put(self, letter: Letter) -> None:
        """Add a letter. From any thread."""
        with self._lock:
            if letter.kind is Kind.RESULT:
                self._results.append(letter)
            elif letter.kind is Kind.EVENT:
                queue = self._events.setdefault(letter.to, deque(maxlen=MAX_EVENTS))
                self.dropped += len(queue) == MAX_EVENTS
                queue.append(letter)
            else:
                self._states.pop((letter.to, letter.topic), None)
                self._states[letter.to, letter.topic] = letter
        self.wake()

    def take(self, reachable: Callable[[str], bool]) -> Letter | None:
        """The next letter to a reachable destination; undeliverable letters other than results are dropped."""
        with self._lock:
            for letter in self._results:
                if reachable(letter.to):
                    self._results.remove(letter)
                    return letter
            for to, queue in self._events.items():
                if reachable(to):
                    if queue:
                        return queue.popleft()
                else:
                    self.dropped += len(queue)
                    queue.clear()
            for key in list(self._states):
                letter = self._states.pop(key)
                if reachable(letter.to):
                    return letter
                self.dropped += 1
        return None

    def put_back(self, letter: Letter) -> None:
        """Return a letter that could not be written: a result comes first again, another is dropped."""
        with self._lock:
            if letter.kind is Kind.RESULT:
                self._results.appendleft(letter)
            else:
                self.dropped += 1

    def forget_events(self) -> None:
        """Drop all events: while there was no link, they have become old."""
        with self._lock:
            self.dropped += sum(map(len, self._events.values()))
            self._events.clear()

    def forget(self, to: str) -> int:
        """Drop all letters for a destination that is gone, also results; returns the number of results."""
        with self._lock:
            before = len(self._results)
            self._results = deque(letter for letter in self._results if letter.to != to)
            self._events.pop(to, None)
            self._states = {key: letter for key, letter in self._states.items() if letter.to != to}
            return before - len(self._results)

    def waiting(self, kind: Kind | None = None) -> int:
        """Number of waiting letters, of one kind or of all."""
        with self._lock:
            counts = {
                Kind.RESULT: len(self._results),
                Kind.EVENT: sum(map(len, self._events.values())),
                Kind.STATE: len(self._states),
            }
        return sum(counts.values()) if kind is None else counts[kind]
