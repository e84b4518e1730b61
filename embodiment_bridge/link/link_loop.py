# SPDX-License-Identifier: Apache-2.0
"""One thread that serves all connections of a process, in place of one thread for each.

The percepts of a team come at the same instant. Threads that wake together spend their time on waiting for the
interpreter's lock; docs/architecture.md has numbers.
"""

import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from embodiment_bridge.core.errors import LinkError

LOOK_S: Final = 0.5  # s after which also connections on which nothing came are asked whether they go on


@dataclass(slots=True, eq=False)
class _Connection:
    number: int
    answer: Callable[[float], bool]
    tell: Callable[[], None]
    ended: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None


class LinkLoop:
    """Serves connections on a thread that exists as long as there are any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connections: dict[int, _Connection] = {}
        self._ready: select.epoll | None = None  # while the thread runs

    def serve(self, number: int, answer: Callable[[float], bool], tell: Callable[[], None]) -> None:
        """Serve the connection with this file number on the loop's thread; returns when it has ended.

        ``answer(woken)`` is called when something has come, and twice a second in any case; woken is when that was
        noticed, s of ``time.perf_counter``. The connection ends when it returns False. ``tell()`` is called after each
        answer, when all connections that had something to read were answered.

        Raises:
            LinkError: the connection is closed already, or was closed and its file number is that of a new one.
            Exception: what ``answer`` or ``tell`` raised, which ends only this connection.
        """
        connection = _Connection(number, answer, tell)
        with self._lock:
            if number in self._connections:
                self._end(self._connections[number], LinkError("the connection was closed"))
            ready = self._ready or select.epoll()
            try:
                ready.register(number, select.EPOLLIN)
            except (OSError, ValueError) as error:
                if self._ready is None:
                    ready.close()
                raise LinkError(f"the connection was closed: {error}") from error
            self._connections[number] = connection
            if self._ready is None:
                self._ready = ready
                threading.Thread(target=self._run, args=(ready,), name="links", daemon=True).start()
        connection.ended.wait()
        if connection.error is not None:
            raise connection.error

    def _run(self, ready: select.epoll) -> None:
        next_look = 0.0
        while self._has_work(ready):
            numbers = [number for number, _ in ready.poll(LOOK_S)]
            woken = time.perf_counter()
            with self._lock:
                if woken >= next_look:
                    numbers, next_look = list(self._connections), woken + LOOK_S
                came = [self._connections[number] for number in numbers if number in self._connections]
            answered = [one for one in came if self._try(one, partial(one.answer, woken))]
            for one in answered:
                self._try(one, one.tell)

    def _has_work(self, ready: select.epoll) -> bool:
        with self._lock:
            if not self._connections:
                self._ready = None
                ready.close()
        return not ready.closed

    def _try(self, connection: _Connection, step: Callable[[], object]) -> bool:
        """Whether the connection goes on."""
        error: Exception | None = None
        try:
            ended = step() is False
        except Exception as raised:  # noqa: BLE001 - it is raised where the connection is waited for
            ended, error = True, raised
        if ended:
            with self._lock:
                self._end(connection, error)
        return not ended

    def _end(self, connection: _Connection, error: Exception | None) -> None:
        if self._connections.get(connection.number) is connection:
            del self._connections[connection.number]
            with suppress(OSError):  # it was closed by another thread, which unregistered it
                if self._ready is not None:
                    self._ready.unregister(connection.number)
        connection.error = error
        connection.ended.set()


PROCESS: Final = LinkLoop()  # that of the robots of this process
