# SPDX-License-Identifier: Apache-2.0
"""Reads all servos in each cycle.

Plans the bytes of each servo and how they are requested, and asks a servo that did not answer once more, alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from struct import Struct
from typing import NamedTuple

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.bus.client import Answer, BusClient, Combined
from embodiment_bridge.dynamixel.bus.servo import NEVER, Servo
from embodiment_bridge.dynamixel.tables.control_table import ControlTable, Item
from embodiment_bridge.dynamixel.wire.instructions import fault_name

# The bytes that are read from each servo in every cycle, and how they are requested.

COMBINED_HEAD = 8  # bytes before the first block of a combined status
VALUES = 5  # of each block in it: error, id, and the three of a ``Block``
LONGEST = 24  # bytes: a wider span is read through indirect addresses
FORMATS = {(1, False): "B", (1, True): "b", (2, False): "H", (2, True): "h", (4, False): "I", (4, True): "i"}


@dataclass(frozen=True, slots=True)
class Block:
    """Represents a block of bytes read at once; ``entries``: addresses to write to the indirect addresses first.

    order: the indices of position, speed and load in the values of ``layout``.
    """

    address: int
    size: int
    layout: Struct
    order: tuple[int, int, int]
    entries: tuple[int, ...] = ()
    entries_at: int = 0

    def unpack(self, data: bytes) -> tuple[int, int, int]:
        """Return position, speed and load as the servo counts them."""
        values = self.layout.unpack(data)
        ticks, speed, load = self.order
        return values[ticks], values[speed], values[load]


@dataclass(frozen=True, slots=True)
class CombinedLayout:
    """Describes the combined status of several servos. ``places``: of error, position, speed and load of each."""

    layout: Struct
    places: tuple[tuple[int, int, int, int], ...]


def combined_layout(blocks: Sequence[Block]) -> CombinedLayout:
    """Return the layout of a combined status with these blocks: each has an error, an id, the bytes, a checksum."""
    text = "".join(f"BB{block.layout.format[1:]}2x" for block in blocks)
    places = []
    for number, block in enumerate(blocks):
        at = number * VALUES
        ticks, speed, load = block.order
        places.append((at, at + 2 + ticks, at + 2 + speed, at + 2 + load))
    return CombinedLayout(Struct(f"<{COMBINED_HEAD}x{text}"), tuple(places))


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """Plans the reads of a bus. ``kind``: ``sync``, ``indirect`` or ``bulk``, for those of Protocol 2.0."""

    kind: str
    blocks: Mapping[int, Block] = field(default_factory=dict)


def plan_reads(tables: Mapping[int, ControlTable]) -> ReadPlan:
    """Choose how to read servos with these control tables (by id).

    One sync read if all have the same items at the same addresses; else a sync read of indirect addresses; one
    bulk read if some have no indirect addresses, or have them elsewhere.

    Raises:
        ConfigError: a model has no register of position, speed or load.
    """
    direct = {id: _direct(table) for id, table in tables.items()}
    new = [id for id, table in tables.items() if table.protocol == 2]
    places = {(direct[id].address, direct[id].size) for id in new}
    if len(places) <= 1 and all(direct[id].size <= LONGEST for id in new):
        return ReadPlan("sync", direct)
    indirect = {id: _indirect(tables[id]) for id in new}
    found = [block for block in indirect.values() if block is not None]
    if len(found) == len(new) and len({(block.address, block.size) for block in found}) == 1:
        return ReadPlan(
            "indirect", direct | {id: block for id, block in indirect.items() if block is not None}
        )
    return ReadPlan("bulk", direct)


def _items(table: ControlTable) -> tuple[Item, Item, Item]:
    """Return the items for position, speed and load."""

    def first(*names: str) -> Item:
        found = table.first(*names)
        if found is None:
            raise ConfigError(f"{table.model} has no {' or '.join(names)} in its control table")
        return found

    return (
        first("present_position"),
        first("present_velocity", "present_speed"),
        first("present_current", "present_load"),
    )


def _direct(table: ControlTable) -> Block:
    items = _items(table)
    ordered = sorted(items, key=lambda item: item.address)
    text, at = "<", ordered[0].address
    for item in ordered:
        text += f"{item.address - at}x" if item.address > at else ""
        text += FORMATS[item.size, item.signed]
        at = item.end
    return Block(ordered[0].address, at - ordered[0].address, Struct(text), _order(items, ordered))


def _indirect(table: ControlTable) -> Block | None:
    items = _items(table)
    ordered = sorted(items, key=lambda item: item.address)
    entries = tuple(address for item in ordered for address in range(item.address, item.end))
    for first, count, addresses, data in table.indirect:
        if table.item(f"indirect_address_{first}").eeprom:
            continue  # it would be written at each start, and wears out
        if count >= len(entries):
            layout = Struct("<" + "".join(FORMATS[item.size, item.signed] for item in ordered))
            return Block(data, len(entries), layout, _order(items, ordered), entries, addresses)
    return None


def _order(items: Sequence[Item], ordered: Sequence[Item]) -> tuple[int, int, int]:
    ticks, speed, load = (ordered.index(item) for item in items)
    return ticks, speed, load


FAST_TRIES = 3  # fast reads that fail in a row before ordinary reads are used
FAST_AGAIN_S, FAST_LATEST_S = 2.0, 60.0  # s until a fast read is tried again, doubled each time
QUIET = 2  # after so many servos in a row that do not answer alone either, the others wait for the next cycle
MISSES = 3  # cycles in a row without an answer before a servo is taken out of the list


class ReadResult(NamedTuple):
    """Holds the result of a read: ``raw`` is the status of ``together``; ``answers`` has those of ``others``.

    A servo that was left for the next cycle is in neither of them: it did not miss anything.
    """

    raw: bytes
    together: Sequence[Servo]
    others: Sequence[Servo]
    answers: Mapping[int, Answer]
    now: float


NO_RESULT = ReadResult(b"", (), (), {}, 0.0)


class ServoGroups(NamedTuple):
    """Groups servos by protocol: ``new`` speak 2.0 and ``old`` 1.0; ``ids`` are those of the ``new``."""

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
        """The kind of read that is used now, for diagnostics."""
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
        """Return whether a servo answered the last ``read``, whose result has not been stored yet."""
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
            servo.reason = f"refuses to be read: {fault_name(answer.fault)}"
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
