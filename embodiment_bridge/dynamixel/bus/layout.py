# SPDX-License-Identifier: Apache-2.0
"""The bytes that are read from each servo in every cycle, and how they are requested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from struct import Struct

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.tables.control_table import ControlTable, Item

COMBINED_HEAD = 8  # bytes before the first block of a combined status
VALUES = 5  # of each block in it: error, id, and the three of a ``Block``
LONGEST = 24  # bytes: a wider span is read through indirect addresses
FORMATS = {(1, False): "B", (1, True): "b", (2, False): "H", (2, True): "h", (4, False): "I", (4, True): "i"}


@dataclass(frozen=True, slots=True)
class Block:
    """Bytes that are read at once; ``entries``: addresses that must first be written to the indirect addresses.

    order: the indices of position, speed and load in the values of ``layout``.
    """

    address: int
    size: int
    layout: Struct
    order: tuple[int, int, int]
    entries: tuple[int, ...] = ()
    entries_at: int = 0

    def unpack(self, data: bytes) -> tuple[int, int, int]:
        """Position, speed and load as the servo counts them."""
        values = self.layout.unpack(data)
        ticks, speed, load = self.order
        return values[ticks], values[speed], values[load]


@dataclass(frozen=True, slots=True)
class CombinedLayout:
    """The combined status of several servos. ``places``: indices of error, position, speed and load of each."""

    layout: Struct
    places: tuple[tuple[int, int, int, int], ...]


def combined_layout(blocks: Sequence[Block]) -> CombinedLayout:
    """The layout of a combined status with these blocks: each has an error, an id, the bytes, a checksum."""
    text = "".join(f"BB{block.layout.format[1:]}2x" for block in blocks)
    places = []
    for number, block in enumerate(blocks):
        at = number * VALUES
        ticks, speed, load = block.order
        places.append((at, at + 2 + ticks, at + 2 + speed, at + 2 + load))
    return CombinedLayout(Struct(f"<{COMBINED_HEAD}x{text}"), tuple(places))


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """How the servos of a bus are read. ``kind``: ``sync``, ``indirect`` or ``bulk``, for those of Protocol 2.0."""

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
    """Position, speed and load."""

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
