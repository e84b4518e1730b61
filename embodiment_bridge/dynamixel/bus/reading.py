# SPDX-License-Identifier: Apache-2.0
"""The read of each cycle: all servos at once, and then each servo that did not answer once more, alone."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from embodiment_bridge.dynamixel.bus.answers import Answer, Combined, fault_text
from embodiment_bridge.dynamixel.bus.client import BusClient
from embodiment_bridge.dynamixel.bus.layout import CombinedLayout, ReadPlan, combined_layout
from embodiment_bridge.dynamixel.bus.servo import NEVER, Servo

FAST_TRIES = 3  # fast reads that fail in a row before ordinary reads are used
FAST_AGAIN_S, FAST_LATEST_S = 2.0, 60.0  # s until a fast read is tried again, doubled each time
QUIET = 2  # after so many servos in a row that do not answer alone either, the others wait for the next cycle
MISSES = 3  # cycles in a row without an answer before a servo is taken out of the list


class ReadResult(NamedTuple):
    """The result of a read: ``raw`` is the combined status of ``together``; ``answers`` has those of ``others``.

    A servo that was left for the next cycle is in neither of them: it did not miss anything.
    """

    raw: bytes
    together: Sequence[Servo]
    others: Sequence[Servo]
    answers: Mapping[int, Answer]
    now: float


NO_RESULT = ReadResult(b"", (), (), {}, 0.0)


class ServoGroups(NamedTuple):
    """Servos by protocol: ``new`` speak 2.0 and ``old`` 1.0; ``ids`` are those of the ``new``."""

    servos: Sequence[Servo]
    new: Sequence[Servo]
    old: Sequence[Servo]
    ids: tuple[int, ...]


def _grouped(servos: Sequence[Servo]) -> ServoGroups:
    new = [servo for servo in servos if servo.table.protocol == 2]
    old = [servo for servo in servos if servo.table.protocol == 1]
    return ServoGroups(servos, new, old, tuple(servo.config.id for servo in new))


class Reader:
    """Reads servos by ``plan``; ``fast``: all servos support fast reads."""

    def __init__(self, client: BusClient, plan: ReadPlan, *, fast: bool) -> None:
        self._client = client
        self.plan = plan
        self._fast = fast and plan.kind != "bulk"
        self._failures = 0
        self._again_at = 0.0
        self._again_s = FAST_AGAIN_S
        self._result = NO_RESULT
        self._groups = _grouped(())
        self._in_vain: dict[int, float] = {}  # by id: when it was last asked alone and did not answer, s
        self._layout: tuple[Sequence[Servo], CombinedLayout] | None = None  # of the servos that answered last

    @property
    def kind(self) -> str:
        """How servos are read now, for diagnostics."""
        return f"fast {self.plan.kind}" if self._fast and not self._again_at else self.plan.kind

    def read(self, servos: Sequence[Servo], now: float) -> bool:
        """Ask all ``servos``, in the order of the bus; ``store`` then stores the values in them, as of ``now`` (s).

        Returns whether all answered.
        """
        groups = self._groups
        if groups.servos is not servos:
            groups = self._groups = _grouped(servos)
        raw, answers = self._together(groups.ids, now) if groups.ids else Combined(b"", {})
        others = groups.old if raw else servos
        complete = len(answers) == len(others)
        if not complete:
            left = self._alone([servo for servo in others if servo.id not in answers], answers, now)
            complete = len(answers) == len(others)
            if raw or answers:  # else the whole bus is silent, and nobody knows how long until all were asked
                others = [servo for servo in others if servo not in left]
                for servo in left:  # none is taken out before it was asked while others answer
                    servo.misses = min(servo.misses, MISSES - 1)
        self._result = ReadResult(raw, groups.new, others, answers, now)
        return complete

    def answered(self, servo: Servo) -> bool:
        """Whether a servo answered the last ``read``, whose result has not been stored yet."""
        return servo.config.id in self._result.answers or (
            bool(self._result.raw) and servo in self._result.together
        )

    def store(self) -> None:
        """Store the last result in the servos. A servo that did not answer keeps its last values, which age.

        So does a servo that was marked as silent since.
        """
        result, self._result = self._result, NO_RESULT
        if result.raw:
            self._store_combined(result)
        for servo in result.others:
            if not servo.silent:
                self.store_one(servo, result.answers.get(servo.config.id), result.now)

    def read_one(self, servo: Servo, now: float) -> bool:
        """Ask one servo; whether it answered."""
        block = self.plan.blocks[servo.id]
        return self.store_one(servo, self._client.read(servo.id, block.address, block.size), now)

    def store_one(self, servo: Servo, answer: Answer | None, now: float) -> bool:
        """Store the answer of one servo in it; whether it has values."""
        if answer is None:
            servo.misses += 1
            return False
        error = answer.error
        servo.alert = error > 127
        servo.reported = answer.hardware
        if error & 127 or not answer.data:
            servo.misses += 1
            servo.reason = f"refuses to be read: {fault_text(answer.fault)}"
            return False
        servo.ticks, servo.speed, servo.load = self.plan.blocks[servo.config.id].unpack(answer.data)
        servo.heard = now
        servo.misses = 0
        return True

    def _store_combined(self, result: ReadResult) -> None:
        """Like ``store_one`` for many servos at once, because this is done a thousand times a second."""
        if self._layout is None or self._layout[0] is not result.together:
            blocks = [self.plan.blocks[servo.config.id] for servo in result.together]
            self._layout = result.together, combined_layout(blocks)
        layout, now = self._layout[1], result.now
        values = layout.layout.unpack(result.raw)
        for servo, (error, ticks, speed, load) in zip(result.together, layout.places, strict=True):
            if servo.silent:
                continue
            if values[error]:
                servo.alert = values[error] > 127
                if values[error] & 127:
                    self.store_one(servo, Answer(values[error], b""), now)
                    continue
            else:
                servo.alert = False
            servo.ticks, servo.speed, servo.load = values[ticks], values[speed], values[load]
            servo.heard = now
            servo.misses = 0
            servo.counters.answers += 1

    def _together(self, ids: tuple[int, ...], now: float) -> Combined:
        blocks = self.plan.blocks
        if self.plan.kind == "bulk":
            return Combined(
                b"", self._client.bulk_read([(id, blocks[id].address, blocks[id].size) for id in ids])
            )
        block = blocks[ids[0]]
        if not self._fast or now < self._again_at:
            return Combined(b"", self._client.sync_read(block.address, block.size, ids))
        combined = self._client.fast_sync_read(block.address, block.size, ids)
        if combined.raw:
            self._failures, self._again_at, self._again_s = 0, 0.0, FAST_AGAIN_S
            return combined
        self._failures += 1
        if self._failures >= FAST_TRIES:
            self._again_at = now + self._again_s
            self._again_s = min(2.0 * self._again_s, FAST_LATEST_S)
            self._failures = FAST_TRIES - 1  # after one more failure it waits again
        return combined

    def _alone(self, servos: Sequence[Servo], answers: dict[int, Answer], now: float) -> Sequence[Servo]:
        """Ask servos one by one; returns those that are left for the next cycle, which is to stay short.

        Those that were silent last are asked last: the dead ones do not hide the others, and each has its turn.
        """
        quiet = 0
        servos = sorted(servos, key=lambda servo: self._in_vain.get(servo.id, NEVER))
        for number, servo in enumerate(servos):
            if quiet >= QUIET:
                return servos[number:]
            block = self.plan.blocks[servo.id]
            answer = self._client.read(servo.id, block.address, block.size)
            if answer is None:
                quiet += 1
                self._in_vain[servo.id] = now
            else:
                quiet = 0
                answers[servo.id] = answer
        return ()
