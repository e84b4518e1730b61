# SPDX-License-Identifier: Apache-2.0
"""The read of each cycle: all servos at once, as fast as they can, and whoever did not answer once more, alone."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from embodiment_bridge.dynamixel.bus.client import Answer, BusClient, Combined, fault_text
from embodiment_bridge.dynamixel.bus.layout import CombinedLayout, ReadPlan, combined_layout
from embodiment_bridge.dynamixel.bus.servo import Servo

FAST_TRIES = 3  # fast reads in a row that fail, until ordinary ones take over
FAST_AGAIN_S, FAST_LATEST_S = 2.0, 60.0  # s until fast is tried again, doubled each time
QUIET = 2  # servos in a row that do not answer alone either: those behind them wait for the next cycle
MISSES = 3  # cycles in a row without an answer, until a servo is taken out of the list


class Told(NamedTuple):
    """What was answered to a read: ``raw`` is the combined status of ``together``; the others are in ``answers``."""

    raw: bytes
    together: Sequence[Servo]
    others: Sequence[Servo]
    answers: Mapping[int, Answer]
    now: float


NOTHING = Told(b"", (), (), {}, 0.0)


class Asked(NamedTuple):
    """Servos by the protocol that they speak; ``ids`` are those of the ``new``."""

    servos: Sequence[Servo]
    new: Sequence[Servo]
    old: Sequence[Servo]
    ids: tuple[int, ...]


def _asked(servos: Sequence[Servo]) -> Asked:
    new = [servo for servo in servos if servo.table.protocol == 2]
    old = [servo for servo in servos if servo.table.protocol == 1]
    return Asked(servos, new, old, tuple(servo.config.id for servo in new))


class Reader:
    """Reads servos by ``plan``; ``fast``: all of them can answer together."""

    def __init__(self, client: BusClient, plan: ReadPlan, *, fast: bool) -> None:
        self._client = client
        self.plan = plan
        self._fast = fast and plan.kind != "bulk"
        self._failures = 0
        self._again_at = 0.0
        self._again_s = FAST_AGAIN_S
        self._told = NOTHING
        self._asked = _asked(())
        self._layout: tuple[Sequence[Servo], CombinedLayout] | None = None  # of the servos that answered last

    @property
    def kind(self) -> str:
        """How servos are read now, for people."""
        return f"fast {self.plan.kind}" if self._fast and not self._again_at else self.plan.kind

    def read(self, servos: Sequence[Servo], now: float) -> bool:
        """Ask all ``servos``, in the order of the bus; ``tell`` puts what they say into them, as of ``now`` (s).

        Whether all answered.
        """
        asked = self._asked
        if asked.servos is not servos:
            asked = self._asked = _asked(servos)
        raw, answers = self._together(asked.ids, now) if asked.ids else Combined(b"", {})
        others = asked.old if raw else servos
        if len(answers) < len(others):
            self._alone([servo for servo in others if servo.id not in answers], answers)
        self._told = Told(raw, asked.new, others, answers, now)
        return len(answers) == len(others)

    def answered(self, servo: Servo) -> bool:
        """Whether a servo said anything to the last ``read``, which was not told yet."""
        return servo.config.id in self._told.answers or (
            bool(self._told.raw) and servo in self._told.together
        )

    def tell(self) -> None:
        """Put what the servos said last into them. Whoever said nothing keeps its last values, and they age.

        So does whoever was found to be away since.
        """
        told, self._told = self._told, NOTHING
        if told.raw:
            self._take_combined(told)
        for servo in told.others:
            if not servo.silent:
                self.take(servo, told.answers.get(servo.config.id), told.now)

    def read_one(self, servo: Servo, now: float) -> bool:
        """Ask one servo; whether it answered."""
        block = self.plan.blocks[servo.id]
        return self.take(servo, self._client.read(servo.id, block.address, block.size), now)

    def take(self, servo: Servo, answer: Answer | None, now: float) -> bool:
        """Put what one servo said into it."""
        if answer is None:
            servo.misses += 1
            return False
        error = answer.error
        servo.alert = error > 127
        if error & 127 or not answer.data:
            servo.misses += 1
            servo.reason = f"refuses to be read: {fault_text(answer.fault)}"
            return False
        servo.ticks, servo.speed, servo.load = self.plan.blocks[servo.config.id].unpack(answer.data)
        servo.heard = now
        servo.misses = 0
        if answer.hardware:
            servo.error = answer.hardware
        return True

    def _take_combined(self, told: Told) -> None:
        """As ``take``, for many at once: this is done a thousand times a second."""
        if self._layout is None or self._layout[0] is not told.together:
            blocks = [self.plan.blocks[servo.config.id] for servo in told.together]
            self._layout = told.together, combined_layout(blocks)
        layout, now = self._layout[1], told.now
        values = layout.layout.unpack(told.raw)
        for servo, (error, ticks, speed, load) in zip(told.together, layout.places, strict=True):
            if servo.silent:
                continue
            if values[error]:
                servo.alert = values[error] > 127
                if values[error] & 127:
                    self.take(servo, Answer(values[error], b""), now)
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
            self._failures = FAST_TRIES - 1  # one failure more, and it waits again
        return combined

    def _alone(self, servos: Sequence[Servo], answers: dict[int, Answer]) -> None:
        quiet = 0
        for servo in servos:
            if quiet >= QUIET:
                break
            block = self.plan.blocks[servo.id]
            answer = self._client.read(servo.id, block.address, block.size)
            if answer is None:
                quiet += 1
            else:
                quiet = 0
                answers[servo.id] = answer
