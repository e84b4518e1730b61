# SPDX-License-Identifier: Apache-2.0
"""The parts of a control table."""

from collections.abc import Mapping
from dataclasses import dataclass

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown


@dataclass(frozen=True, slots=True)
class Item:
    """Describes one item of a control table.

    address, size: bytes. access: ``r`` or ``rw``. eeprom: kept without power, and locked while torque is on.
    factor: value of 1 in ``unit``, which is SI (``rad rad/s rad/s2 A V s``), ``degC``, ``share`` (1 is all) or empty.
    lower, upper, initial: in the units of the manual; limits within which a value may be written, and factory value.
    """

    name: str
    address: int
    size: int
    access: str
    eeprom: bool
    signed: bool
    unit: str
    factor: float
    lower: int
    upper: int
    initial: int

    @property
    def end(self) -> int:
        """The address after the item."""
        return self.address + self.size

    def encode(self, value: int) -> bytes:
        """Return the bytes of a value.

        Raises:
            CommandError: the value is outside the item's limits.
        """
        if not isinstance(value, int) or not self.lower <= value <= self.upper:
            raise CommandError(f"{self.name} is {value!r}; it must be from {self.lower} to {self.upper}")
        return value.to_bytes(self.size, "little", signed=self.signed)

    def decode(self, data: bytes) -> int:
        """Return the value of bytes of the item's size, with its sign."""
        return int.from_bytes(data, "little", signed=self.signed)


@dataclass(frozen=True, slots=True)
class Motor:
    """Holds the data sheet of a model's drive, at the rated voltage and at the output of the gear."""

    stall_torque_nm: float
    stall_current_a: float
    rated_voltage_v: float
    no_load_speed_rad_s: float
    gear_ratio: float


@dataclass(frozen=True, slots=True)
class ControlTable:
    """Describes one model of servo.

    name: of its file; aliases: other names. manual: URL of its page. firmware: the version that this table is for.
    fast_read_firmware: the first version with fast reads; 0: none has them. modes: values of ``operating_mode``
    (an AX has 1 as wheel and 3 as joint). centre: the tick at 0 rad. indirect: (number of the first entry,
    count, address of addresses, address of data) of each run. keeps_turns: the position counts whole turns also in
    position mode, and survives a power cut. watchdog_stops: whether the motor stands still after
    the servo's Bus Watchdog has fired.
    """

    name: str
    model: str
    aliases: tuple[str, ...]
    number: int
    protocol: int
    manual: str
    firmware: int
    fast_read_firmware: int
    modes: tuple[int, ...]
    ticks_per_turn: float
    centre: int
    motor: Motor
    items: Mapping[str, Item]
    indirect: tuple[tuple[int, int, int, int], ...]
    keeps_turns: bool = False
    watchdog_stops: bool = True

    @property
    def has_current(self) -> bool:
        """Whether the servo senses its current (else ``present_load`` is an estimate)."""
        return "present_current" in self.items

    @property
    def size(self) -> int:
        """Bytes of the whole table."""
        return max(item.end for item in self.items.values())

    def first(self, *names: str) -> Item | None:
        """Return the first of these items that the model has; what is the same has several names in the manuals."""
        return next((self.items[name] for name in names if name in self.items), None)

    def within_turn(self, ticks: int) -> int:
        """Return the position without whole turns, as in position mode: at most half a turn from the centre."""
        if self.keeps_turns:
            return ticks
        turn = round(self.ticks_per_turn)
        lowest = self.centre - turn // 2
        return (ticks - lowest) % turn + lowest

    def item(self, name: str) -> Item:
        """Return an item by name.

        Raises:
            ConfigError: the model has no item of that name; the text names the nearest.
        """
        found = self.items.get(name)
        if found is None:
            raise ConfigError(unknown(f"register of {self.model}", name, self.items))
        return found

    def initial(self) -> bytearray:
        """Return the bytes of the whole table with factory values."""
        image = bytearray(self.size)
        for item in self.items.values():
            image[item.address : item.end] = item.initial.to_bytes(item.size, "little", signed=item.signed)
        return image
