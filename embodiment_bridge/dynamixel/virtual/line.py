# SPDX-License-Identifier: Apache-2.0
"""How long bytes are on their way: the wire at its baud rate, the servos' delay, the adapter's latency."""

import math
from collections import deque
from dataclasses import dataclass
from typing import Final

BITS_PER_BYTE: Final = 10  # start, eight, stop
BURST_S: Final = 0.001  # a frame of USB at full speed
USB_PACKET: Final = 62  # bytes, after which an FTDI adapter does not wait for its latency timer


@dataclass(slots=True)
class Pacing:
    """What is imitated. All off: every answer is there at once.

    baud: of the wire, 1/s; 0 for no limit. return_delay: whether servos wait as their register says.
    usb_latency: s, for which the adapter collects what it receives.
    """

    baud: int = 0
    return_delay: bool = False
    usb_latency: float = 0.0


class Line:
    """The wire and the adapter: says when an instruction has arrived and gives answers when they are due."""

    def __init__(self, pacing: Pacing) -> None:
        self.pacing = pacing
        self._free = 0.0  # when the wire is free again
        self._heard = 0.0  # when the last instruction ended
        self._out: deque[tuple[float, bytes]] = deque()  # on the wire, by the moment of the last byte

    def hear(self, size: int, now: float) -> None:
        """``size`` bytes come from the host."""
        self._heard = self._free = max(self._free, now) + self._duration(size)

    def say(self, data: bytes, delay: float) -> None:
        """A servo answers, ``delay`` s after what it answers to."""
        if self.pacing.return_delay:
            self._free += delay
        self._free += self._duration(len(data))
        self._out.append((self._free, data))

    def delay(self, seconds: float) -> None:
        """The next answer is late."""
        self._free += seconds

    def echo(self, data: bytes, now: float) -> None:
        """The adapter hears its own sending."""
        self._out.append((self._heard if self.pacing.baud else now, data))

    def due(self) -> float:
        """When the next bytes reach the host; infinite if none are on their way."""
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
        """Bytes that follow closely are handed over together, as adapters do: it costs the host one wake-up."""
        first = last = self._out[0][0]
        for moment, _ in self._out:
            if moment > first + BURST_S:
                break
            last = moment
        return last

    def take(self, now: float) -> bytes:
        """What has reached the host."""
        out = self._out
        if not out or self.due() > now:
            return b""
        parts = []
        while out and out[0][0] <= now:
            parts.append(out.popleft()[1])
        return b"".join(parts)

    def clear(self) -> None:
        """Nothing is on its way any more."""
        self._out.clear()

    def _duration(self, size: int) -> float:
        return size * BITS_PER_BYTE / self.pacing.baud if self.pacing.baud else 0.0
