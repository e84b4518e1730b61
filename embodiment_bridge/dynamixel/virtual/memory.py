# SPDX-License-Identifier: Apache-2.0
"""The bytes of a servo's control table, its items, and its indirect addresses."""

from typing import Final

from embodiment_bridge.dynamixel.tables.control_table import ControlTable, Item
from embodiment_bridge.dynamixel.wire.instructions import Fault

Run = tuple[int, int]  # (physical address, size)
Part = tuple[Item, int, int]  # item, begin and end of its bytes in the written data
PLANS: Final = 500  # that are cached, because a host repeats the same reads and writes


class Memory:
    """Holds a control table with its bytes."""

    def __init__(self, table: ControlTable) -> None:
        self.table = table
        self.bytes = table.initial()
        self._slots = {item.name: (item.address, item.end, item.signed) for item in table.items.values()}
        self._plans: dict[Run, list[Part] | int] = {}
        self._item_at = {item.address: item for item in table.items.values()}
        self._inside = {a for item in table.items.values() for a in range(item.address, item.end)}
        self._runs: dict[Run, list[Run] | None] = {}
        self._entry_of = {
            data + k: address + 2 * k for _, count, address, data in table.indirect for k in range(count)
        }
        self._entries = set(self._entry_of.values())
        self.used = max(self._inside) + 1

    def get(self, name: str) -> int:
        """Return the value of an item."""
        address, end, signed = self._slots[name]
        return int.from_bytes(self.bytes[address:end], "little", signed=signed)

    def set(self, name: str, value: int) -> None:
        """Set an item; the value is cut to the item's size."""
        item = self.table.items[name]
        self.bytes[item.address : item.end] = (value & ((1 << 8 * item.size) - 1)).to_bytes(
            item.size, "little"
        )

    def has(self, name: str) -> bool:
        """Return whether the model has such an item."""
        return name in self.table.items

    def reset(self, keep: tuple[str, ...] = ()) -> None:
        """Set all items to their factory values, except ``keep``."""
        kept = {name: self.get(name) for name in keep if self.has(name)}
        self.bytes[:] = self.table.initial()
        for name, value in kept.items():
            self.set(name, value)
        self.forget_runs()

    def lose_ram(self) -> None:
        """Reset all items that are not EEPROM, as a power cut does."""
        fresh = self.table.initial()
        for item in self.table.items.values():
            if not item.eeprom:
                self.bytes[item.address : item.end] = fresh[item.address : item.end]
        self.forget_runs()

    def runs(self, address: int, size: int) -> list[Run] | None:
        """Return the places of the bytes, with indirect data resolved; None: outside the table."""
        key = (address, size)
        if key not in self._runs:
            if len(self._runs) > PLANS:
                self.forget_runs()
            self._runs[key] = self._find_runs(address, size)
        return self._runs[key]

    def forget_runs(self) -> None:
        """Clear the caches, because indirect addresses have changed."""
        self._runs.clear()
        self._plans.clear()

    def is_indirect_address(self, address: int) -> bool:
        """Return whether an indirect address begins at ``address``."""
        return address in self._entries

    def plan(self, address: int, size: int) -> list[Part] | int:
        """Return the items in ``size`` bytes at ``address``, with their places in them.

        Return the ``Fault`` if there are none.
        """
        key = (address, size)
        found = self._plans.get(key)
        if found is None:
            if len(self._plans) > PLANS:
                self.forget_runs()
            found = self._plans[key] = self._make_plan(address, size)
        return found

    def _make_plan(self, address: int, size: int) -> list[Part] | int:
        runs = self.runs(address, size)
        if runs is None:
            return Fault.ACCESS
        parts: list[Part] = []
        at = 0
        for run in runs:
            items = self.items(run)
            if items is None:
                return Fault.DATA_LENGTH if self.knows(run[0]) else Fault.ACCESS
            for item in items:
                parts.append((item, at, at + item.size))
                at += item.size
        return parts

    def items(self, run: Run) -> list[Item] | None:
        """Return the items that fill a run exactly; None if it begins or ends inside an item, or has a gap."""
        address, size = run
        end = address + size
        found = []
        while address < end:
            item = self._item_at.get(address)
            if item is None or item.end > end:
                return None
            found.append(item)
            address = item.end
        return found

    def knows(self, address: int) -> bool:
        """Return whether an item has a byte at ``address``."""
        return address in self._inside

    def _find_runs(self, address: int, size: int) -> list[Run] | None:
        if size < 1 or address + size > self.used:
            return None
        if not self._entry_of:
            return [(address, size)]
        runs: list[Run] = []
        for each in range(address, address + size):
            here = self._resolved(each)
            if runs and sum(runs[-1]) == here:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1)
            else:
                runs.append((here, 1))
        return runs

    def _resolved(self, address: int) -> int:
        entry = self._entry_of.get(address)
        if entry is None:
            return address
        target = int.from_bytes(self.bytes[entry : entry + 2], "little")
        # An entry that points to another entry is not followed: a servo does not either, and a cycle would not end.
        return target if target < self.used else address
