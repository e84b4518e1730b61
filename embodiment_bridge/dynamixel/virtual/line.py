# SPDX-License-Identifier: Apache-2.0
"""Times on the line: the wire at its baud rate, the delay of the servos, the latency of the adapter."""

import math
from collections import deque
from dataclasses import dataclass
from typing import Final

BITS_PER_BYTE: Final = 10  # start, eight, stop
BURST_S: Final = 0.001  # a frame of USB at full speed
USB_PACKET: Final = 62  # bytes with which an FTDI adapter does not wait for its latency timer


@dataclass(slots=True)
class Pacing:
    """The delays that are simulated. Without any, every answer is there at once.

    baud: of the wire, 1/s; 0 for no limit. return_delay: whether servos wait as their register says.
    usb_latency: s for which the adapter collects received bytes.
    """

    baud: int = 0
    return_delay: bool = False
    usb_latency: float = 0.0


class Line:
    """The wire and the adapter: gives answers to the host when they are due."""

    def __init__(self, pacing: Pacing) -> None:
        self.pacing = pacing
        self._free = 0.0  # time at which the wire is free again
        self._received = 0.0  # time at which the last instruction ended
        self._out: deque[tuple[float, bytes]] = deque()  # (time of the last byte, bytes) on the wire

    def receive(self, size: int, now: float) -> None:
        """Receive ``size`` bytes from the host."""
        self._received = self._free = max(self._free, now) + self._duration(size)

    def send(self, data: bytes, delay: float) -> None:
        """Send the answer of a servo, ``delay`` s after the instruction."""
        if self.pacing.return_delay:
            self._free += delay
        self._free += self._duration(len(data))
        self._out.append((self._free, data))

    def delay(self, seconds: float) -> None:
        """Delay the next answer."""
        self._free += seconds

    def echo(self, data: bytes, now: float) -> None:
        """Send the bytes of the host back to it, as some adapters do."""
        self._out.append((self._received if self.pacing.baud else now, data))

    def due(self) -> float:
        """Time at which the next bytes reach the host; infinite if there are none."""
        if not self._out:
            return math.inf
        if not self.pacing.usb_latency:
            return self._end_of_burst()
        full = self._out[0][0] + self.pacing.usb_latency
        size = 0
        for moment, data in self._out:
            size += len(data)
            if moment > full:
                break
            if size >= USB_PACKET:
                return moment
        return full

    def _end_of_burst(self) -> float:
        """Join bytes that follow closely, as adapters do, so that the host wakes up once."""
        first = last = self._out[0][0]
        for moment, _ in self._out:
            if moment > first + BURST_S:
                break
            last = moment
        return last

    def take(self, now: float) -> bytes:
        """The bytes that have reached the host."""
        out = self._out
        if not out or self.due() > now:
            return b""
        parts = []
        while out and out[0][0] <= now:
            parts.append(out.popleft()[1])
        return b"".join(parts)

    def clear(self) -> None:
        """Drop all bytes on the wire."""
        self._out.clear()

    def _duration(self, size: int) -> float:
        return size * BITS_PER_BYTE / self.pacing.baud if self.pacing.baud else 0.0
