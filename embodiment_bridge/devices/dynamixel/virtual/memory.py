# SPDX-License-Identifier: Apache-2.0
"""The bytes of a servo's control table, items in them, and the detour of the indirect addresses."""

from embodiment_bridge.devices.dynamixel.control_items import ControlTable, Item

Run = tuple[int, int]  # (physical address, size)


class Memory:
    """A control table with its bytes."""

    def __init__(self, table: ControlTable) -> None:
        self.table = table
        self.bytes = table.initial()
        self._item_at = {item.address: item for item in table.items.values()}
        self._inside = {a for item in table.items.values() for a in range(item.address, item.end)}
        self._runs: dict[Run, list[Run] | None] = {}
        self._entry_of = {
            data + k: address + 2 * k for _, count, address, data in table.indirect for k in range(count)
        }
        self._entries = set(self._entry_of.values())
        self.used = max(self._inside) + 1

    def get(self, name: str) -> int:
        """The value of an item."""
        item = self.table.items[name]
        return int.from_bytes(self.bytes[item.address : item.end], "little", signed=item.signed)

    def set(self, name: str, value: int) -> None:
        """Set an item; what does not fit is cut to the item's size."""
        item = self.table.items[name]
        self.bytes[item.address : item.end] = (value & ((1 << 8 * item.size) - 1)).to_bytes(
            item.size, "little"
        )

    def has(self, name: str) -> bool:
        """Whether the model has such an item."""
        return name in self.table.items

    def reset(self, keep: tuple[str, ...] = ()) -> None:
        """All as it left the factory, but some items."""
        kept = {name: self.get(name) for name in keep if self.has(name)}
        self.bytes[:] = self.table.initial()
        for name, value in kept.items():
            self.set(name, value)
        self._runs.clear()

    def lose_ram(self) -> None:
        """What a power cut leaves: the EEPROM."""
        fresh = self.table.initial()
        for item in self.table.items.values():
            if not item.eeprom:
                self.bytes[item.address : item.end] = fresh[item.address : item.end]
        self._runs.clear()

    def runs(self, address: int, size: int) -> list[Run] | None:
        """Where the bytes really are, indirect data followed to what they stand for; None: outside the table."""
        key = (address, size)
        if key not in self._runs:
            if len(self._runs) > 500:
                self._runs.clear()
            self._runs[key] = self._find_runs(address, size)
        return self._runs[key]

    def forget_runs(self) -> None:
        """The indirect addresses have changed."""
        self._runs.clear()

    def is_indirect_address(self, address: int) -> bool:
        """Whether an entry of the detour begins there."""
        return address in self._entries

    def items(self, run: Run) -> list[Item] | None:
        """The items that fill a run exactly; None: it begins or ends inside one, or has a gap."""
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
        """Whether an item has a byte there."""
        return address in self._inside

    def _find_runs(self, address: int, size: int) -> list[Run] | None:
        if size < 1 or address + size > self.used:
            return None
        if not self._entry_of:
            return [(address, size)]
        runs: list[Run] = []
        for each in range(address, address + size):
            here = self._behind(each)
            if runs and sum(runs[-1]) == here:
                runs[-1] = (runs[-1][0], runs[-1][1] + 1)
            else:
                runs.append((here, 1))
        return runs

    def _behind(self, address: int) -> int:
        entry = self._entry_of.get(address)
        if entry is None:
            return address
        target = int.from_bytes(self.bytes[entry : entry + 2], "little")
        # An entry that points to another is not followed on: a servo would not either, and a circle must end.
        return target if target < self.used else address
