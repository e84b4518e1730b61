# SPDX-License-Identifier: Apache-2.0
"""What servos have to say, put on the wire: in their order, with their delays, and with what faults make of it."""

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

PATIENCE_S: Final = 0.002  # for which a servo waits for its predecessor where it does not wait for ever

Block = tuple[int, int, bytes]  # id, error byte, data


class Answers:
    """Turns replies into bytes. ``chain`` says what those behind a silent servo do: ``wait`` or ``continue``."""

    def __init__(self, faults: Faults, line: Line, chain: str) -> None:
        self._faults, self._line = faults, line
        self._continues = chain == "continue"

    def say(self, packet: Packet, execution: Execution, now: float) -> Iterator[bytes]:
        """Send all replies to ``packet``; gives what was sent."""
        if not execution.replies:
            return iter(())
        if execution.fast:
            return iter(self._say_fast(execution.replies, now))
        if not self._faults.rules:
            return iter(self._say_plainly(packet, execution))
        return iter(self._say_with_faults(packet, execution, now))

    def _say_plainly(self, packet: Packet, execution: Execution) -> list[bytes]:
        said = []
        for servo, fault, data in execution.replies:
            if servo is not None:
                status = _status(packet.protocol, servo, fault, data)
                self._line.say(status, servo.return_delay_s)
                said.append(status)
            elif execution.chained and not self._continues:
                break
        return said

    def _say_with_faults(self, packet: Packet, execution: Execution, now: float) -> list[bytes]:
        said = []
        continues = self._continues or self._faults.hit("chain_continues", None, now) is not None
        for reply in execution.replies:
            status = self._with_faults(packet, reply, now) if reply.servo is not None else b""
            if status and reply.servo is not None:
                self._line.say(status, reply.servo.return_delay_s)
                said.append(status)
            elif execution.chained and not continues:
                break
            elif execution.chained:
                self._line.delay(PATIENCE_S)
        return said

    def _with_faults(self, packet: Packet, reply: Reply, now: float) -> bytes:
        """The status of one servo as it goes out; empty if nothing does."""
        servo, fault, data = reply
        if servo is None:
            return b""
        hit, id = self._faults.hit, servo.id
        if hit("drop_status", id, now):
            return b""
        if rule := hit("empty_status", id, now):
            fault, data = int(rule.options["error"]) & 0x7F, b""
        unstuffed = packet.protocol == 2 and hit("unstuffed_status", id, now)
        status = _unstuffed(servo, fault, data) if unstuffed else _status(packet.protocol, servo, fault, data)
        if hit("corrupt_crc", id, now):
            status = _flipped(status, len(status) - 1)
        return self._spoilt(status, id, now)

    def _spoilt(self, status: bytes, id: int, now: float) -> bytes:
        """What delays, collisions, breaks and noise of one servo leave of what is said."""
        hit = self._faults.hit
        if rule := hit("delay_status", id, now):
            self._line.delay(float(rule.options["seconds"]))
        if rule := hit("slow", id, now):
            self._line.delay(self._faults.random.uniform(0.0, float(rule.options["seconds"])))
        if hit("duplicate_id", id, now):
            status = _collision(status)
        if rule := hit("truncate", id, now):
            status = status[: -max(1, int(rule.options["bytes"]))]
        if rule := hit("noise", id, now):
            noise = self._faults.random.randbytes
            status = noise(int(rule.options["leading"])) + status + noise(int(rule.options["trailing"]))
        return status

    def _say_fast(self, replies: list[Reply], now: float) -> list[bytes]:
        """One packet of all; each servo adds its block, those behind a silent one do not."""
        blocks = [_block(reply) for reply in replies]
        if sum(len(data) + 4 for _, _, data in blocks) > packets.MAX_PACKET - packets.OVERHEAD - 1:
            return []  # no servo has room for that
        whole = packets.fast_status(blocks)
        limit = next((k for k, reply in enumerate(replies) if reply.servo is None), len(replies))
        if self._faults.rules:
            limit = self._blocks_left(blocks, limit, now)
        if not limit:
            return []
        end = packets.OVERHEAD + 1 + sum(len(data) + 4 for _, _, data in blocks[:limit])
        whole = whole[:end]
        if self._faults.rules:
            whole = self._spoilt_fast(whole, blocks[:limit], now)
        first = replies[0].servo
        self._line.say(whole, first.return_delay_s if first else 0.0)
        return [whole]

    def _blocks_left(self, blocks: list[Block], limit: int, now: float) -> int:
        """How many servos speak before one is silent."""
        if rule := self._faults.hit("partial_fast", None, now):
            limit = min(limit, int(rule.options["blocks"]))
        return next((k for k in range(limit) if self._faults.hit("drop_status", blocks[k][0], now)), limit)

    def _spoilt_fast(self, whole: bytes, blocks: list[Block], now: float) -> bytes:
        end = packets.OVERHEAD + 1
        for id, _, data in blocks:
            end += len(data) + 4
            if self._faults.hit("corrupt_crc", id, now):
                whole = _flipped(whole, end - 1)
        for id, _, _ in blocks:
            whole = self._spoilt(whole, id, now)
        return whole


def _block(reply: Reply) -> Block:
    """What a servo adds to a fast answer; of one that is not there, what the others leave room for."""
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
    """What a firmware sends that knows nothing of stuffing."""
    body = packets.HEADER + bytes((servo.id,)) + (len(data) + 4).to_bytes(2, "little")
    body += bytes((0x55, servo.error_byte(fault))) + data
    return body + crc16(body).to_bytes(2, "little")


def _flipped(data: bytes, place: int) -> bytes:
    """With one byte wrong."""
    return data[:place] + bytes((data[place] ^ 0xFF,)) + data[place + 1 :]


def _collision(status: bytes) -> bytes:
    """Two servos at once, one a byte later: the wire carries a 0 where either does."""
    return bytes(a & b for a, b in zip(status + b"\xff", b"\xff" + status, strict=True))
