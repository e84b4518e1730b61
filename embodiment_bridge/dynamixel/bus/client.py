# SPDX-License-Identifier: Apache-2.0
"""Sends instructions to the servos of one bus and collects their answers, in the thread that owns the port.

Answers have one form for both protocols.
A servo that does not answer, or whose answer is damaged, is missing from the result: every value was sent by a servo.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import NamedTuple

from embodiment_bridge.dynamixel.bus.port import Port
from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.decoder import Packet, PacketDecoder, fast_blocks
from embodiment_bridge.dynamixel.wire.instructions import (
    ALERT,
    BROADCAST,
    HIGHEST_ID,
    Error1,
    Fault,
    Instruction,
)

OLD_FAULTS = (
    (Error1.RANGE | Error1.ANGLE_LIMIT, Fault.DATA_RANGE),
    (Error1.INSTRUCTION, Fault.INSTRUCTION),
    (Error1.CHECKSUM, Fault.CRC),
)
OLD_HARDWARE = Error1.VOLTAGE | Error1.OVERHEATING | Error1.OVERLOAD  # bits as in HardwareError


class Answer(NamedTuple):
    """Represents the answer of one servo. ``error`` is the whole byte of the status; see ``fault`` and ``alert``."""

    error: int
    data: bytes
    hardware: int = 0  # bits of HardwareError, from servos of Protocol 1.0, which have no register for them

    @property
    def fault(self) -> int:
        """A ``Fault``: why the instruction was not carried out; 0 when it was."""
        return self.error & ~ALERT

    @property
    def alert(self) -> bool:
        """Whether the servo has a hardware error."""
        return bool(self.error & ALERT)


class Combined(NamedTuple):
    """Represents the answer to a fast read: ``raw`` if complete and correct, else the ``answers`` of single servos."""

    raw: bytes
    answers: dict[int, Answer]


@dataclass(slots=True)
class Counters:
    """Counts the answers of one servo: received, missing and damaged."""

    answers: int = 0
    timeouts: int = 0
    damaged: int = 0


def answer_of(item: Packet) -> Answer:
    """Return the answer in a status of either protocol."""
    if item.protocol == 2:
        return Answer(item.error, b"" if item.error & ~ALERT else item.parameters)
    fault = next((number for bits, number in OLD_FAULTS if item.error & bits), 0)
    hardware = item.error & OLD_HARDWARE
    return Answer(fault | (ALERT if hardware else 0), b"" if fault else item.parameters, hardware)


BITS = 10  # per byte on the wire: start, eight, stop
STATUS = 11  # bytes of a 2.0 status without data
FAST_HEAD, FAST_BLOCK = 8, 4  # bytes of a combined status, and of each block in it, without data
COLLIDE = "its answers come damaged: do several servos have this id, or is a wire loose?"
SLOT_S = 0.003  # s for each id to answer a broadcast ping, as dynamixel-sdk 4.1.0 allows
# s: the margin is extended to this at most after late answers, when the computer is busy.
PATIENT_S = 0.05
CALMING = 0.998  # factor on an extended margin after each question that is answered in time


class GivenWay(Exception):  # noqa: N818 - not an error
    """Reports a question that was dropped for something urgent: see ``BusClient.give_way``."""


_fast_question = lru_cache(maxsize=64)(packet.fast_sync_read)


class BusClient:
    """Asks servos over ``wire``; ``margin_s`` is how long after its time on the wire an answer may come, s.

    After late answers it waits longer, up to ``PATIENT_S``, until answers are in time again.

    protocols: id -> 1 for servos that speak Protocol 1.0; all others speak 2.0.
    """

    def __init__(
        self,
        wire: Port,
        baud_rate: int,
        *,
        margin_s: float = 0.01,
        protocols: Mapping[int, int] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wire = wire
        self._byte_s = BITS / baud_rate
        self.margin_s = self._usual_margin_s = margin_s
        self._clock = clock
        self._old = {id for id, protocol in (protocols or {}).items() if protocol == 1}
        self._decoder = PacketDecoder("status", (2, 1) if self._old else (2,))
        self.counters: dict[int, Counters] = defaultdict(Counters)
        self._held = b""  # packets that are sent with the next question
        self._busy = 0  # bytes that were sent before the question
        self._missed = False  # a servo did not answer the last question
        # Called before each question; if it returns True, ``GivenWay`` is raised instead.
        self.give_way: Callable[[], bool] | None = None
        self.meanwhile: Callable[[], None] | None = None  # called once, while the next answer is on the wire
        self.rejected = 0  # damaged packets, from any sender

    def ping(self, id: int) -> tuple[int, int] | None:
        """Return model number and firmware version; None when no servo answers."""
        if id in self._old:
            answer = self.read(id, 0, 3)
            data = answer.data if answer else b""
        else:
            got = self._ask(packet.ping(id), {id: 3})
            data = got[id].data if id in got else b""
        return (data[0] | data[1] << 8, data[2]) if len(data) >= 3 else None

    def ping_all(self) -> dict[int, tuple[int, int]]:
        """Return model number and firmware version of all servos of Protocol 2.0 that answer a broadcast, by id.

        It takes 0.8 s, because each id has its own time slot for the answer.
        """
        self._send(packet.ping())
        deadline = self._clock() + SLOT_S * (HIGHEST_ID + 1) + self.margin_s
        found = {}
        while (left := deadline - self._clock()) > 0.0:
            for item in self._decoder.feed(self._wire.read(left)):
                if not isinstance(item, Packet):
                    self.rejected += 1
                elif item.instruction == Instruction.STATUS and len(item.parameters) == 3:
                    data = item.parameters
                    found[item.id] = (data[0] | data[1] << 8, data[2])
        return found

    def read(self, id: int, address: int, size: int, least_s: float = 0.0) -> Answer | None:
        """Read bytes of a control table; the data are empty when the servo refuses. least_s: of the margin, s."""
        return self._ask(packet.read(id, address, size, self._protocol(id)), {id: size}, least_s).get(id)

    def write(self, id: int, address: int, data: bytes, least_s: float = 0.0) -> Answer | None:
        """Write bytes of a control table, and wait for the confirmation of the servo. least_s: of the margin, s."""
        return self._ask(packet.write(id, address, data, self._protocol(id)), {id: 0}, least_s).get(id)

    def reboot(self, id: int) -> Answer | None:
        """Restart a servo; it answers first, and is then silent for about 0.3 s."""
        return self._ask(packet.reboot(id), {id: 0}, PATIENT_S).get(id)  # it must not be asked twice

    def backup(self, id: int, *, restore: bool) -> Answer | None:
        """Store the control table in the servo, or restore the stored one."""
        return self._ask(packet.backup(id, "restore" if restore else "store"), {id: 0}).get(id)

    def sync_read(self, address: int, size: int, ids: Sequence[int]) -> dict[int, Answer]:
        """Read the same bytes of several servos; each answers with a status of its own."""
        return self._ask(packet.sync_read(address, size, ids), dict.fromkeys(ids, size))

    def bulk_read(self, items: Sequence[tuple[int, int, int]]) -> dict[int, Answer]:
        """Read (id, address, size) of each servo."""
        return self._ask(packet.bulk_read(items), {id: size for id, _, size in items})

    def fast_sync_read(self, address: int, size: int, ids: tuple[int, ...]) -> Combined:
        """Like ``sync_read``, with one combined status; one that breaks off gives the answers before the break."""
        self._send(_fast_question(address, size, ids))
        rejected = self.rejected
        wanted = FAST_HEAD + (FAST_BLOCK + size) * len(ids)
        deadline, latest = self._deadline(wanted), inf
        while True:
            now = self._clock()
            data = self._wire.read(deadline - now)
            raw = self._fast_raw(data) if data else None
            if raw is not None or not data or now > latest:
                break
            latest = min(latest, self._latest(deadline, len(ids)))
            # Fewer bytes are missing now, so that there is less to wait for.
            missing = max(wanted - len(self._decoder.pending), STATUS)
            deadline = min(max(deadline, self._deadline(missing)), latest)
        if raw is not None and len(raw) == wanted and raw[FAST_HEAD + 1 :: FAST_BLOCK + size] == bytes(ids):
            self._all_answered()  # `Reader` counts the answers when it stores them
            return Combined(raw, {})
        blocks = fast_blocks(raw or self._decoder.pending, [(id, size) for id in ids])
        found = {block.id: Answer(block.error, block.data) for block in blocks}
        self._count(ids, found, damaged=self.rejected > rejected)
        return Combined(b"", found)

    def _fast_raw(self, data: bytes) -> bytes | None:
        raw = None
        for item in self._decoder.feed(data):
            if isinstance(item, Packet) and item.id == BROADCAST and item.instruction == Instruction.STATUS:
                raw = item.raw
            elif not isinstance(item, Packet):
                self.rejected += 1
        return raw

    def sync_write(self, address: int, size: int, data: Mapping[int, bytes]) -> None:
        """Write to several servos, without answers."""
        self.hold(self.sync_write_packets(address, size, data))
        self.flush()

    def sync_write_packets(self, address: int, size: int, data: Mapping[int, bytes]) -> bytes:
        """Return the packets of ``sync_write``, one for each protocol."""
        if not self._old:
            return packet.sync_write(address, size, data)
        new = {id: value for id, value in data.items() if id not in self._old}
        old = {id: value for id, value in data.items() if id in self._old}
        groups = ((2, new), (1, old))
        return b"".join(packet.sync_write(address, size, own, protocol) for protocol, own in groups if own)

    def hold(self, data: bytes) -> None:
        """Keep packets to be sent before the next question."""
        self._held += data

    def flush(self) -> None:
        """Send the packets that were kept."""
        if self._held:
            self._wire.write(self._held)
            self._held = b""

    def settle(self) -> None:
        """Wait for late answers and throw them away, so that they are not taken for answers to the next question."""
        end = self._clock() + self.margin_s
        while (left := end - self._clock()) > 0.0:
            self._wire.read(left)

    def _protocol(self, id: int) -> int:
        return 1 if id in self._old else 2

    def _send(self, request: bytes) -> None:
        if self.give_way is not None and self.give_way():
            raise GivenWay
        if (self._missed or self._old) and self._wire.discard() and self._missed:
            self._extend_margin()
        self._decoder.reset()
        self._wire.write(self._held + request)
        self._busy = len(self._held)
        self._held = b""
        if self.meanwhile is not None:
            work, self.meanwhile = self.meanwhile, None
            work()

    def _extend_margin(self) -> None:
        """Extend the margin after a late answer."""
        if self.margin_s < PATIENT_S:
            self.margin_s = min(2.0 * self.margin_s, PATIENT_S)

    def _deadline(self, answer_bytes: int) -> float:
        busy, self._busy = self._busy, 0
        return self._clock() + (busy + answer_bytes) * self._byte_s + self.margin_s

    def _latest(self, deadline: float, answers: int, answer_bytes: int = 0) -> float:
        """Return when a question ends at the latest: foreign bytes must not hold up an emergency stop."""
        return deadline + PATIENT_S + answers * (answer_bytes * self._byte_s + self._usual_margin_s)

    def _ask(self, request: bytes, sizes: Mapping[int, int], least_s: float = 0.0) -> dict[int, Answer]:
        """Send, and collect answers (``sizes``: bytes of data by id) until all are there or the next one is too late.

        least_s: lower limit of the margin, s.
        """
        echo, begun = self._held + request if self._old else b"", b""
        self._send(request)
        waiting = dict(sizes)
        found: dict[int, Answer] = {}
        longest = STATUS + max(sizes.values())
        rejected = self.rejected
        deadline = self._deadline(len(request) + longest) + max(least_s - self.margin_s, 0.0)
        latest = self._latest(deadline, len(sizes), longest)
        while waiting:
            now = self._clock()
            data = self._wire.read(deadline - now)
            if not data:
                break
            if echo:  # some adapters receive what they send, and a 1.0 instruction looks like a status
                begun += data  # until it differs it may be the beginning of either
                data = b"" if echo.startswith(begun) else begun.removeprefix(echo)
                echo = b"" if data else echo
            if self._collect(data, waiting, found) or echo:
                deadline = min(max(deadline, self._deadline(longest)), latest)
            if now > latest:
                break
        self._count(sizes, found, damaged=self.rejected > rejected)
        return found

    def _collect(self, data: bytes, waiting: dict[int, int], found: dict[int, Answer]) -> bool:
        """Move answers from ``data`` into ``found``; whether there was one, or the beginning of one."""
        before = len(found)
        for item in self._decoder.feed(data):
            if not isinstance(item, Packet):
                self.rejected += 1
            elif item.instruction == Instruction.STATUS and item.id in waiting:
                answer = answer_of(item)
                # An answer of another length is the late answer to another question.
                if answer.fault or len(answer.data) == waiting[item.id]:
                    del waiting[item.id]
                    found[item.id] = answer
            elif item.instruction == Instruction.STATUS and self._missed:
                self._extend_margin()
        return len(found) > before or bool(self._decoder.pending)

    def _count(self, ids: Iterable[int], found: Container[int], *, damaged: bool = False) -> None:
        self._missed = False
        for id in ids:
            counters = self.counters[id]
            if id in found:
                counters.answers += 1
                continue
            self._missed = True
            if damaged:
                counters.damaged += 1
            else:
                counters.timeouts += 1
        if not self._missed:
            self._all_answered()

    def _all_answered(self) -> None:
        self._missed = False
        if self.margin_s > self._usual_margin_s:
            self.margin_s = max(CALMING * self.margin_s, self._usual_margin_s)
