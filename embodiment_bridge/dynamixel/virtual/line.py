# SPDX-License-Identifier: Apache-2.0
"""Simulates the line of a virtual bus, and writes a transcript of it.

It has a clock, the times of wire, servos and adapter, and the replies, in their order and with the effects of faults.
"""

import json
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Protocol

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.virtual.execute import Execution, Reply
from embodiment_bridge.dynamixel.virtual.faults import Faults
from embodiment_bridge.dynamixel.virtual.servo import Servo
from embodiment_bridge.dynamixel.wire import packet as packets
from embodiment_bridge.dynamixel.wire.codec import Codec
from embodiment_bridge.dynamixel.wire.decoder import Packet
from embodiment_bridge.dynamixel.wire.instructions import Instruction
from embodiment_bridge.dynamixel.wire.packet import crc16
from embodiment_bridge.wire.json_text import event_to_json


class Clock(Protocol):
    """Gives a monotonic time in s."""

    def now(self) -> float:
        """Return the time, s."""

    def wall_time_until(self, moment: float) -> float:
        """Return the real seconds to wait until ``moment``; infinite if waiting does not bring it nearer."""


class WallClock(Clock):
    """Gives real time times ``scale``, from 0."""

    def __init__(self, scale: float = 1.0) -> None:
        self._scale = scale
        self._start = time.monotonic()

    @override
    def now(self) -> float:
        return (time.monotonic() - self._start) * self._scale

    @override
    def wall_time_until(self, moment: float) -> float:
        return max(0.0, moment / self._scale - (time.monotonic() - self._start))


class VirtualClock(Clock):
    """Gives a time that only ``advance`` moves: a test needs no sleep and is repeatable."""

    def __init__(self) -> None:
        self._now = 0.0
        self.on_advance: list[Callable[[], None]] = []  # called after each ``advance``

    @override
    def now(self) -> float:
        return self._now

    @override
    def wall_time_until(self, moment: float) -> float:
        return 0.0 if moment <= self._now else float("inf")

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass."""
        self._now += max(0.0, seconds)
        for notify in self.on_advance:
            notify()


BITS_PER_BYTE: Final = 10  # start, eight, stop
BURST_S: Final = 0.001  # a frame of USB at full speed
USB_PACKET: Final = 62  # bytes with which an FTDI adapter does not wait for its latency timer


@dataclass(slots=True)
class Pacing:
    """Names the delays that are simulated. Without any, every answer is there at once.

    baud: of the wire, 1/s; 0 for no limit. return_delay: whether servos wait as their register says.
    usb_latency: s for which the adapter collects received bytes.
    """

    baud: int = 0
    return_delay: bool = False
    usb_latency: float = 0.0


class Line:
    """Simulates wire and adapter: gives answers to the host when they are due."""

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
        """Return the time at which the next bytes reach the host; infinite if there are none."""
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
        """Return the bytes that have reached the host."""
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


PREDECESSOR_TIMEOUT_S: Final = 0.002  # for which a servo waits for the one before it, with chain ``continue``

Block = tuple[int, int, bytes]  # id, error byte, data


class Answers:
    """Turns replies into bytes. ``chain``: what the servos behind a silent one do, ``wait`` or ``continue``."""

    def __init__(self, faults: Faults, line: Line, chain: str) -> None:
        self._faults, self._line = faults, line
        self._continues = chain == "continue"

    def send(self, packet: Packet, execution: Execution, now: float) -> list[bytes]:
        """Send all replies to ``packet``; gives the bytes of each."""
        if not execution.replies:
            return []
        if execution.fast:
            return self._send_fast(execution.replies, now)
        sent = []
        continues = self._continues or self._faults.hit("chain_continues", None, now) is not None
        for servo, fault, data in execution.replies:
            status = b""
            if servo is not None and self._faults.rules:
                status = self._with_faults(packet.protocol, servo, fault, data, now)
            elif servo is not None:
                status = _status(packet.protocol, servo, fault, data)
            if servo is not None and status:
                self._line.send(status, servo.return_delay_s)
                sent.append(status)
            elif execution.chained and not continues:
                break
            elif execution.chained and self._line.pacing.return_delay:
                self._line.delay(PREDECESSOR_TIMEOUT_S)
        return sent

    def _with_faults(self, protocol: int, servo: Servo, fault: int, data: bytes, now: float) -> bytes:
        """Return the status of one servo as it is sent; empty if it is not sent."""
        hit, id = self._faults.hit, servo.id
        if hit("drop_status", id, now):
            return b""
        if rule := hit("empty_status", id, now):
            fault, data = int(rule.number("error")) & 0x7F, b""
        unstuffed = protocol == 2 and hit("unstuffed_status", id, now)
        status = _unstuffed(servo, fault, data) if unstuffed else _status(protocol, servo, fault, data)
        if hit("corrupt_crc", id, now):
            status = _flipped(status, len(status) - 1)
        return self._disturbed(status, id, now)

    def _disturbed(self, status: bytes, id: int, now: float) -> bytes:
        """Return the status of one servo after delays, collisions, truncation and noise."""
        hit = self._faults.hit
        if rule := hit("delay_status", id, now):
            self._line.delay(rule.number("seconds"))
        if rule := hit("slow", id, now):
            self._line.delay(self._faults.random.uniform(0.0, rule.number("seconds")))
        if hit("duplicate_id", id, now):
            status = _collision(status)
        if rule := hit("truncate", id, now):
            status = status[: -max(1, int(rule.number("bytes")))]
        if rule := hit("noise", id, now):
            noise = self._faults.random.randbytes
            status = noise(int(rule.number("leading"))) + status + noise(int(rule.number("trailing")))
        return status

    def _send_fast(self, replies: list[Reply], now: float) -> list[bytes]:
        """Send one combined packet; each servo adds its block, up to the first silent one."""
        blocks = [_block(reply) for reply in replies]
        if sum(len(data) + 4 for _, _, data in blocks) > packets.MAX_PACKET - packets.OVERHEAD - 1:
            return []  # the packet would be too long for a servo
        whole = packets.fast_status(blocks)
        limit = next((k for k, reply in enumerate(replies) if reply.servo is None), len(replies))
        if self._faults.rules:
            limit = self._blocks_left(blocks, limit, now)
        if not limit:
            return []
        end = packets.OVERHEAD + 1 + sum(len(data) + 4 for _, _, data in blocks[:limit])
        whole = whole[:end]
        if self._faults.rules:
            whole = self._disturbed_fast(whole, blocks[:limit], now)
        first = replies[0].servo
        self._line.send(whole, first.return_delay_s if first else 0.0)
        return [whole]

    def _blocks_left(self, blocks: list[Block], limit: int, now: float) -> int:
        """Return the number of servos that answer before the first silent one."""
        if rule := self._faults.hit("partial_fast", None, now):
            limit = min(limit, int(rule.number("blocks")))
        return next((k for k in range(limit) if self._faults.hit("drop_status", blocks[k][0], now)), limit)

    def _disturbed_fast(self, whole: bytes, blocks: list[Block], now: float) -> bytes:
        end = packets.OVERHEAD + 1
        for id, _, data in blocks:
            end += len(data) + 4
            if self._faults.hit("corrupt_crc", id, now):
                whole = _flipped(whole, end - 1)
        for id, _, _ in blocks:
            whole = self._disturbed(whole, id, now)
        return whole


def _block(reply: Reply) -> Block:
    """Return the block of a servo in a fast answer; for a missing servo, the space that the others leave for it."""
    servo, fault, data = reply
    return (servo.id, servo.error_byte(fault), data) if servo is not None else (0, 0, data)


def _status(protocol: int, servo: Servo, fault: int, data: bytes) -> bytes:
    error = servo.error_byte(fault)
    if protocol == 1:
        return packets.status(servo.id, error, data, 1)
    return packets.quick_status(servo.id, error, data)


def _unstuffed(servo: Servo, fault: int, data: bytes) -> bytes:
    """Return the status of a firmware without byte stuffing."""
    body = packets.HEADER + bytes((servo.id,)) + (len(data) + 4).to_bytes(2, "little")
    body += bytes((Instruction.STATUS, servo.error_byte(fault))) + data
    return body + crc16(body).to_bytes(2, "little")


def _flipped(data: bytes, place: int) -> bytes:
    """Return the data with one byte inverted."""
    return data[:place] + bytes((data[place] ^ 0xFF,)) + data[place + 1 :]


def _collision(status: bytes) -> bytes:
    """Return the bytes of two servos that send at once, one a byte later: the wire is 0 where either sends 0."""
    return bytes(a & b for a, b in zip(status + b"\xff", b"\xff" + status, strict=True))


class Transcript:
    """Writes packets of one or more buses to ``path``; ``of(name)`` is the hook for ``VirtualBus.on_packet``.

    Raises:
        ConfigError: the file cannot be written.
    """

    def __init__(self, path: str) -> None:
        try:
            self._file: IO[str] = Path(path).open("w", encoding="utf-8")  # noqa: SIM115 - closed by __exit__
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror or error}") from error

    def __enter__(self) -> "Transcript":
        """Return the transcript itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def of(self, bus: str) -> "BusTranscript":
        """Return the hook of one bus."""
        return BusTranscript(bus, self._file)


class BusTranscript:
    """Writes the packets of one bus: ``{"t": s, "bus": name, "dir": "rx" or "tx", "hex": ..., "packet": {...}}``."""

    def __init__(self, bus: str, file: IO[str]) -> None:
        self._bus, self._file = bus, file
        self._codec = Codec()  # for both directions: an answer is recognised by the order of packets

    def __call__(self, time: float, direction: str, raw: bytes) -> None:
        """Write one packet."""
        events = [event_to_json(event) for event in self._codec.feed(raw)]
        for event in events:
            event.pop("offset", None)
        row = {"t": round(time, 6), "bus": self._bus, "dir": direction, "hex": raw.hex(" "), "packet": events}
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()
