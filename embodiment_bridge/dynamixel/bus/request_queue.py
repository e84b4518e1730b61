# SPDX-License-Identifier: Apache-2.0
"""The requests to a bus that wait for their turn, and those that are being carried out."""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from embodiment_bridge.core.errors import BridgeError, CommandError
from embodiment_bridge.dynamixel.bus.client import GivenWay
from embodiment_bridge.dynamixel.bus.requests import BusRequest, Done
from embodiment_bridge.dynamixel.bus.servo import Servo
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor

LIMIT = 256  # requests that may wait; further ones are refused


class Request:
    """Represents a request that waits, or is being carried out. ``done`` is called when it has ended."""

    def __init__(self, work: BusRequest, done: Done) -> None:
        self._work = work
        self._done = done
        self._look: Callable[[float], tuple[str, int] | None] | None = None

    def step(self, supervisor: Supervisor, servos: Sequence[Servo], now: float, *, stopped: bool) -> bool:
        """Begin the request, unless it drives and there is an emergency stop, or look at it; whether it has ended.

        Raises:
            GivenWay: an emergency stop came in between; the request has failed.
        """
        try:
            result = (
                self._look(now) if self._look is not None else self._begin(supervisor, servos, now, stopped)
            )
        except GivenWay:
            self.fail("an emergency stop was pressed or released meanwhile: ask again")
            raise
        except BridgeError as error:
            self.fail(str(error))
            return True
        if result is not None:
            self._done(True, *result)
        return result is not None

    def _begin(
        self, supervisor: Supervisor, servos: Sequence[Servo], now: float, stopped: bool
    ) -> tuple[str, int] | None:
        if stopped and self._work.drives:
            raise CommandError("emergency stop: release it first")
        result = self._work.begin(supervisor, servos, now)
        if isinstance(result, tuple):
            return result
        self._look = result
        return None

    def fail(self, why: str) -> None:
        """End it without success; the answer also says what it has changed."""
        self._done(False, "; ".join(text for text in (why, self._work.effect) if text), 0)


class RequestQueue:
    """Holds requests in the order in which they came.

    ``add`` and ``refuse_new`` may be called by any thread, the rest by that of the bus.
    """

    def __init__(self) -> None:
        self._new: deque[Request] = deque()
        self._begun: list[Request] = []

    def __bool__(self) -> bool:
        """Return whether there is anything to do."""
        return bool(self._new or self._begun)

    def add(self, work: BusRequest, done: Done) -> None:
        """Queue a request, or refuse it if too many wait."""
        if len(self._new) >= LIMIT:
            done(False, "too many requests are waiting for this bus", 0)
        else:
            self._new.append(Request(work, done))

    def step(self, supervisor: Supervisor, servos: Sequence[Servo], now: float, *, stopped: bool) -> None:
        """Look at what was begun, and begin one more. stopped: there is an emergency stop.

        Raises:
            GivenWay: an emergency stop came in between.
        """
        self._begun = [
            work for work in self._begun if not work.step(supervisor, servos, now, stopped=stopped)
        ]
        work = self._next()
        if work is not None and not work.step(supervisor, servos, now, stopped=stopped):
            self._begun.append(work)

    def refuse(self, why: str) -> None:
        """End all requests without success."""
        self.refuse_new(why)
        for work in self._begun:
            work.fail(why)
        self._begun.clear()

    def refuse_new(self, why: str) -> None:
        """End the requests that have not begun, without success."""
        while (work := self._next()) is not None:
            work.fail(why)

    def _next(self) -> Request | None:
        """Take the next request, so that no other thread has it; None: there is none."""
        with suppress(IndexError):  # another thread may take it between a look and this
            return self._new.popleft()
        return None
