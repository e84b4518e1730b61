# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the made-up pan-tilt head of the tutorial (docs/dummy.md has its protocol)."""

import contextlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.core.closed_on_exit import OwnThread
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link.transports.tcp import TcpClient, TcpServer
from embodiment_bridge.wire.framing import Line, LineFramer

LIMITS_DEG: Final = (90.0, 45.0)  # of pan and tilt
SPEED_DEG_S: Final = 300.0
ACCEPT_POLL: Final = 0.2  # s between two checks for the end while there is no client
MAX_LINE: Final = 200  # bytes

_SET: Final = re.compile(rb"set pan (-?[0-9.]{1,20}) tilt (-?[0-9.]{1,20})")


@dataclass(slots=True)
class Axis:
    """One joint that goes to its target at a constant speed; all in degrees."""

    position: float = 0.0
    target: float = 0.0

    def step(self, dt: float) -> None:
        """Advance by ``dt`` s."""
        reach = SPEED_DEG_S * dt
        self.position += min(max(self.target - self.position, -reach), reach)


class DummyHead(OwnThread):
    """The head: listens after construction, serves one client at a time on its own thread, ends with ``close``.

    port 0 takes a free one, see ``port``. rate: of its percepts, Hz. pan, tilt: initial angles, degrees.

    Raises:
        LinkError: it cannot listen there.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        rate: float = 50.0,
        pan: float = 0.0,
        tilt: float = 0.0,
    ) -> None:
        super().__init__()
        # the host decides which clients can connect
        self._server = TcpServer(host, port, allowed=lambda _: True)
        self.host, self.port = self._server.host, self._server.port
        self.pan, self.tilt = Axis(pan, pan), Axis(tilt, tilt)
        self._period = 1.0 / rate
        self._switched_on = self._now = time.monotonic()
        self._start("dummy head")

    def close(self) -> None:
        """Close the connection and stop listening; returns when both are done."""
        super().close()
        self._server.close()

    def _serve(self) -> None:
        while not self._closing.is_set():
            # A client that is gone or does not read is replaced by the next one.
            with contextlib.suppress(LinkError):
                self._serve_one_client()

    def _serve_one_client(self) -> None:
        client = self._server.accept(ACCEPT_POLL)
        if client is not None:
            with contextlib.closing(client):
                self._talk(client)

    def _talk(self, client: TcpClient) -> None:
        """Read commands and send the joint angles once per period, until the client or this server ends."""
        lines = LineFramer(MAX_LINE)
        greeted = False
        while not self._closing.is_set():
            for line in _lines_until(client, lines, self._now + self._period):
                if line.startswith(b"hello ") and not greeted:
                    greeted = True
                    client.write(b"hello head\n")
                elif found := _SET.fullmatch(line):
                    self._aim(found[1], found[2])
            self._step()
            if greeted:
                client.write(self._percept())

    def _aim(self, *words: bytes) -> None:
        try:
            goals = [float(word) for word in words]
        except ValueError:  # such as 1.2.3
            return
        for axis, goal, limit in zip((self.pan, self.tilt), goals, LIMITS_DEG, strict=True):
            axis.target = min(max(goal, -limit), limit)

    def _step(self) -> None:
        now = time.monotonic()
        for axis in (self.pan, self.tilt):
            axis.step(now - self._now)
        self._now = now

    def _percept(self) -> bytes:
        seconds = self._now - self._switched_on
        return b"joint pan %.3f tilt %.3f t %.3f\n" % (self.pan.position, self.tilt.position, seconds)


def _lines_until(client: TcpClient, lines: LineFramer, deadline: float) -> Iterator[bytes]:
    """The lines that a client sends up to ``deadline`` (monotonic s); those that are too long are ignored.

    Raises:
        LinkError: the client has disconnected.
    """
    while (left := deadline - time.monotonic()) > 0.0:
        yield from (line.text for line in lines.feed(client.read(left)) if isinstance(line, Line))
