# SPDX-License-Identifier: Apache-2.0
"""Serves a virtual bus on a pseudo terminal and on TCP, on a thread of its own that sleeps while nothing happens."""

import contextlib
import ctypes
import math
import os
import select
import threading
from typing import Any, Final

from embodiment_bridge.core.closing import ClosedOnExit
from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.clock import VirtualClock
from embodiment_bridge.dynamixel.virtual.pty_port import PtyPort
from embodiment_bridge.dynamixel.virtual.tcp_port import TcpPort

HOUSEKEEPING_S: Final = 0.05  # how often servos that move are brought to the present while nobody asks
LONGEST_S: Final = 3600.0
SPIN_S: Final = 0.00005  # before a paced answer is due: a sleep may last that much longer
PR_SET_TIMERSLACK: Final = 29


class VirtualPort(ClosedOnExit):
    """A bus that can be opened. ``name``: the terminal; ``link``: a stable name of it; ``host``, ``port``: of TCP.

    Raises:
        ConfigError: neither a terminal nor TCP is wanted.
        LinkError: it cannot be had.
    """

    def __init__(
        self,
        bus: VirtualBus,
        *,
        link: str | None = None,
        listen: tuple[str, int] | None = None,
        pty: bool = True,
    ) -> None:
        if not pty and listen is None:
            raise ConfigError("a virtual bus needs a terminal or a TCP port to be reached by")
        self.bus, self.link = bus, link
        self._want_pty = pty
        self._tcp = TcpPort(*listen) if listen else None
        try:
            self._pty = PtyPort(link) if pty else None
        except LinkError:
            if self._tcp:
                self._tcp.close()
            raise
        self.name = self._pty.name if self._pty else ""
        self.host: str = self._tcp.host if self._tcp else ""
        self.port: int = self._tcp.port if self._tcp else 0
        self.problem = ""  # why it could not be plugged in again
        self.lost = 0  # bytes that a client did not take
        self.rounds = 0  # how often the thread has woken
        self._client: PtyPort | TcpPort | None = None  # who spoke last
        self._closing = False
        self._alarm, self._ring = os.pipe()
        os.set_blocking(self._ring, False)
        bus.on_change = self.wake
        if isinstance(bus.clock, VirtualClock):
            bus.clock.on_advance.append(self.wake)
        self._thread = threading.Thread(
            target=self._serve, name=f"virtual bus {link or self.name}", daemon=True
        )
        self._thread.start()

    @property
    def plugged(self) -> bool:
        """Whether there is a terminal to open."""
        return self._pty is not None

    def close(self) -> None:
        """Unplug it for good."""
        if self._closing:
            return
        self._closing = True
        self.wake()
        self._thread.join()
        self.bus.on_change = None
        if isinstance(self.bus.clock, VirtualClock):
            self.bus.clock.on_advance.remove(self.wake)
        for port in (self._pty, self._tcp):
            if port is not None:
                port.close()
        os.close(self._alarm)
        os.close(self._ring)

    def wake(self) -> None:
        """Look at the bus now: it has been changed, or its time has passed."""
        with contextlib.suppress(OSError):  # it has been rung often enough, or is gone
            os.write(self._ring, b"!")

    def _serve(self) -> None:
        _sleep_exactly()
        moving = True
        while not self._closing:
            wait = self._wait(moving)
            ready = self._select(wait)
            self.rounds += 1
            if self._alarm in ready:
                os.read(self._alarm, 4096)
            self._plug()
            if self._tcp is not None and self._tcp.listener in ready:
                self._tcp.accept()
            heard = self._hear(ready)
            data = self.bus.transmit()
            if data and self._client is not None:
                self.lost += len(data) - self._client.write(data)
            if heard:
                moving = True
            elif not data and wait >= HOUSEKEEPING_S:
                moving = self.bus.update()

    def _wait(self, moving: bool) -> float:
        """How long to sleep, s."""
        due = self.bus.due()
        wait = self.bus.clock.wall_time_until(due) if due < math.inf else LONGEST_S
        if wait < HOUSEKEEPING_S:
            return max(0.0, wait - SPIN_S)
        return HOUSEKEEPING_S if moving or self.bus.has_plans else min(wait, LONGEST_S)

    def _select(self, wait: float) -> list[Any]:
        watched: list[Any] = [self._alarm]
        if self._pty is not None:
            watched.append(self._pty)
        if self._tcp is not None:
            watched.append(self._tcp.listener)
            if self._tcp.client is not None:
                watched.append(self._tcp.client)
        ready, _, _ = select.select(watched, (), (), wait)
        return ready

    def _hear(self, ready: list[Any]) -> bool:
        heard = False
        if self._pty is not None and self._pty in ready and (data := self._pty.read()):
            self._take(self._pty, data, self._pty.baud)
            heard = True
        if self._tcp is not None and self._tcp.client in ready and (data := self._tcp.read()):
            self._take(self._tcp, data, 0)
            heard = True
        return heard

    def _take(self, client: PtyPort | TcpPort, data: bytes, baud: int) -> None:
        self._client = client
        self.bus.host_baud = baud
        self.bus.receive(data)

    def _plug(self) -> None:
        """Pull the cable out or put it back, as the fault ``unplug`` says."""
        out = self.bus.unplugged
        if out and self._pty is not None:
            self._pty.close()
            self._pty = None
        if out and self._tcp is not None:
            self._tcp.hang_up()
        if out:
            self._client = None
            self.bus.drop()
        elif self._want_pty and self._pty is None:
            try:
                self._pty = PtyPort(self.link)
            except LinkError as error:  # tried again at every look
                self.problem = str(error)
            else:
                self.name, self.problem = self._pty.name, ""


def _sleep_exactly() -> None:
    """Have Linux wake this thread when it asked, not up to 50 us later; elsewhere that cannot be had."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
