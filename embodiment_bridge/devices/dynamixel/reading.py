# SPDX-License-Identifier: Apache-2.0
"""The read of each cycle: all servos at once, as fast as they can, and whoever did not answer once more, alone."""

from collections.abc import Sequence

from embodiment_bridge.devices.dynamixel.client import Answer, BusClient, fault_text
from embodiment_bridge.devices.dynamixel.layout import ReadPlan
from embodiment_bridge.devices.dynamixel.servo import Servo

FAST_TRIES = 3  # fast reads in a row that fail, until ordinary ones take over
FAST_AGAIN_S, FAST_LATEST_S = 2.0, 60.0  # s until fast is tried again, doubled each time
QUIET = 2  # servos in a row that do not answer alone either: those behind them wait for the next cycle
MISSES = 3  # cycles in a row without an answer, until a servo is taken out of the list


class Reader:
    """Reads servos by ``plan``; ``fast``: all of them can answer together."""

    def __init__(self, client: BusClient, plan: ReadPlan, *, fast: bool) -> None:
        self._client = client
        self.plan = plan
        self._fast = fast and plan.kind != "bulk"
        self._failures = 0
        self._again_at = 0.0
        self._again_s = FAST_AGAIN_S

    @property
    def kind(self) -> str:
        """How servos are read now, for people."""
        return f"fast {self.plan.kind}" if self._fast and not self._again_at else self.plan.kind

    def read(self, servos: Sequence[Servo], now: float) -> None:
        """Ask all ``servos``, in the order of the bus; what they say is in them then, as of ``now`` (s)."""
        new = [servo for servo in servos if servo.table.protocol == 2]
        answers = self._together(new, now) if new else {}
        if len(answers) < len(servos):
            self._alone([servo for servo in servos if servo.id not in answers], answers)
        for servo in servos:
            self.take(servo, answers.get(servo.config.id), now)

    def read_one(self, servo: Servo, now: float) -> bool:
        """Ask one servo; whether it answered."""
        block = self.plan.blocks[servo.id]
        return self.take(servo, self._client.read(servo.id, block.address, block.size), now)

    def take(self, servo: Servo, answer: Answer | None, now: float) -> bool:
        """Put what a servo said into it. Whoever said nothing keeps its last values, and they age."""
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

    def _together(self, servos: Sequence[Servo], now: float) -> dict[int, Answer]:
        ids = [servo.config.id for servo in servos]
        blocks = self.plan.blocks
        if self.plan.kind == "bulk":
            return self._client.bulk_read([(id, blocks[id].address, blocks[id].size) for id in ids])
        block = blocks[ids[0]]
        if not self._fast or now < self._again_at:
            return self._client.sync_read(block.address, block.size, ids)
        answers = self._client.fast_sync_read(block.address, block.size, ids)
        if len(answers) == len(ids):
            self._failures, self._again_at, self._again_s = 0, 0.0, FAST_AGAIN_S
            return answers
        self._failures += 1
        if self._failures >= FAST_TRIES:
            self._again_at = now + self._again_s
            self._again_s = min(2.0 * self._again_s, FAST_LATEST_S)
            self._failures = FAST_TRIES - 1  # one failure more, and it waits again
        return answers

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
