# SPDX-License-Identifier: Apache-2.0
"""Puts the replies of servos on the wire: in their order, with their delays, and with the effects of faults."""

from collections.abc import Iterator
from typing import Final

from embodiment_bridge.dynamixel.virtual.execute import Execution, Reply
from embodiment_bridge.dynamixel.virtual.faults import Faults
from embodiment_bridge.dynamixel.virtual.line import Line
from embodiment_bridge.dynamixel.virtual.servo import Servo
from embodiment_bridge.dynamixel.wire import packet as packets
from embodiment_bridge.dynamixel.wire import packet1
from embodiment_bridge.dynamixel.wire.crc import crc16
from embodiment_bridge.dynamixel.wire.decoder import Packet

PREDECESSOR_TIMEOUT_S: Final = 0.002  # for which a servo waits for the one before it, with chain ``continue``

Block = tuple[int, int, bytes]  # id, error byte, data


class Answers:
    """Turns replies into bytes. ``chain``: what the servos behind a silent one do, ``wait`` or ``continue``."""

    def __init__(self, faults: Faults, line: Line, chain: str) -> None:
        self._faults, self._line = faults, line
        self._continues = chain == "continue"

    def send(self, packet: Packet, execution: Execution, now: float) -> Iterator[bytes]:
        """Send all replies to ``packet``; gives the bytes of each."""
        if not execution.replies:
            return iter(())
        if execution.fast:
            return iter(self._send_fast(execution.replies, now))
        if not self._faults.rules:
            return iter(self._send_plainly(packet, execution))
        return iter(self._send_with_faults(packet, execution, now))

    def _send_plainly(self, packet: Packet, execution: Execution) -> list[bytes]:
        sent = []
        for servo, fault, data in execution.replies:
            if servo is not None:
                status = _status(packet.protocol, servo, fault, data)
                self._line.send(status, servo.return_delay_s)
                sent.append(status)
            elif execution.chained and not self._continues:
                break
        return sent

    def _send_with_faults(self, packet: Packet, execution: Execution, now: float) -> list[bytes]:
        sent = []
        continues = self._continues or self._faults.hit("chain_continues", None, now) is not None
        for reply in execution.replies:
            status = self._with_faults(packet, reply, now) if reply.servo is not None else b""
            if status and reply.servo is not None:
                self._line.send(status, reply.servo.return_delay_s)
                sent.append(status)
            elif execution.chained and not continues:
                break
            elif execution.chained:
                self._line.delay(PREDECESSOR_TIMEOUT_S)
        return sent

    def _with_faults(self, packet: Packet, reply: Reply, now: float) -> bytes:
        """The status of one servo as it is sent; empty if it is not sent."""
        servo, fault, data = reply
        if servo is None:
            return b""
        hit, id = self._faults.hit, servo.id
        if hit("drop_status", id, now):
            return b""
        if rule := hit("empty_status", id, now):
            fault, data = int(rule.number("error")) & 0x7F, b""
        unstuffed = packet.protocol == 2 and hit("unstuffed_status", id, now)
        status = _unstuffed(servo, fault, data) if unstuffed else _status(packet.protocol, servo, fault, data)
        if hit("corrupt_crc", id, now):
            status = _flipped(status, len(status) - 1)
        return self._disturbed(status, id, now)

    def _disturbed(self, status: bytes, id: int, now: float) -> bytes:
        """The status of one servo after delays, collisions, truncation and noise."""
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
        """How many servos answer before the first silent one."""
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
    """The block of a servo in a fast answer; for a missing servo, the space that the others leave for it."""
    servo, fault, data = reply
    return (servo.id, servo.error_byte(fault), data) if servo is not None else (0, 0, data)


def _status(protocol: int, servo: Servo, fault: int, data: bytes) -> bytes:
    error = servo.error_byte(fault)
    return (
        packet1.status(servo.id, error, data)
        if protocol == 1
        else packets.quick_status(servo.id, error, data)
    )


def _unstuffed(servo: Servo, fault: int, data: bytes) -> bytes:
    """The status of a firmware without byte stuffing."""
    body = packets.HEADER + bytes((servo.id,)) + (len(data) + 4).to_bytes(2, "little")
    body += bytes((0x55, servo.error_byte(fault))) + data
    return body + crc16(body).to_bytes(2, "little")


def _flipped(data: bytes, place: int) -> bytes:
    """The data with one byte inverted."""
    return data[:place] + bytes((data[place] ^ 0xFF,)) + data[place + 1 :]


def _collision(status: bytes) -> bytes:
    """Two servos that send at once, one a byte later: the wire is 0 where either sends 0."""
    return bytes(a & b for a, b in zip(status + b"\xff", b"\xff" + status, strict=True))
