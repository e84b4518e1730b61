# SPDX-License-Identifier: Apache-2.0
"""One virtual servo: memory, time, power supply and errors.

``x_servo`` and ``ax_servo`` have the meaning of the registers.

A servo is simulated lazily: it is brought to the present time (``advance``) when it is accessed.
"""

from abc import ABC, abstractmethod
from struct import Struct
from typing import Final

from embodiment_bridge.dynamixel.tables.control_table import ControlTable, Item
from embodiment_bridge.dynamixel.virtual.drive import STEP, Drive, MotorDrive
from embodiment_bridge.dynamixel.virtual.memory import Memory
from embodiment_bridge.dynamixel.wire.instructions import Fault, HardwareError

# The power supply of a bus, whose voltage sags with the current of all servos.

RESISTANCE: Final = 0.05  # ohm, of a supply with some cable


class Supply:
    """Represents a supply of ``nominal`` V without load, with ``resistance`` ohm in series."""

    def __init__(self, nominal: float, resistance: float = RESISTANCE) -> None:
        self.nominal = nominal
        self.resistance = resistance
        self._currents: dict[object, float] = {}
        self._total = 0.0

    @property
    def voltage(self) -> float:
        """The voltage at the servos now, V."""
        return max(0.0, self.nominal - self.resistance * self._total)

    def draw(self, who: object, current: float) -> None:
        """Set the current of a servo, A; its sign does not matter."""
        current = abs(current)
        self._total += current - self._currents.get(who, 0.0)
        self._currents[who] = current


BOOT_S: Final = 0.3  # without answers after a reboot (a real servo: 0.2 to 0.5 s)
OVERLOAD_S: Final = 2.0  # with more than OVERLOAD_SHARE and without motion, until it is an overload
OVERLOAD_SHARE: Final = 0.8
WATCH_S: Final = 0.01  # between checks of temperature, load and supply
SLOW: Final = 0.05  # rad/s
AIR_DEGC: Final = 25.0
HEAT_CAPACITY: Final = 15.0  # J/K per Nm of stall torque
COOLING: Final = 0.12  # W/K per Nm of stall torque
ALL_ERRORS: Final = 0xFF
OBJECT: Final = {1: "B", 2: "H", 4: "I"}


class Servo(ABC):
    """Simulates what all models have in common. ``id``: at which it answers; ``supply`` is shared by a bus."""

    protocol = 2

    def __init__(self, table: ControlTable, id: int, supply: Supply, drive: Drive | None = None) -> None:
        self.table = table
        self.memory = Memory(table)
        self.drive: Drive = MotorDrive(table.motor) if drive is None else drive
        self.supply = supply
        self.time = 0.0  # up to which it is simulated, s of the clock
        self.silent_until = 0.0
        self.registered: tuple[int, bytes] | None = None
        self.errors = 0  # HardwareError bits
        self.shut_down = False
        self.torque = False  # whether the motor is driven
        self.temperature = AIR_DEGC
        self.stuck_items: set[str] = set()  # writes to these are accepted without effect
        self.eeprom_refused = False
        self.last_heard = 0.0  # time of the last instruction on the bus, s of the clock
        self.readdressed = False  # its id, shadow id or baud rate may have changed
        self._overload_s = 0.0
        self._unwatched_s = 0.0
        self._dirty = True
        self._runs = self._present_runs()
        self.memory.set("model_number", table.number)
        self.memory.set("firmware_version", table.firmware)
        self.memory.set("id", id)
        self.boot()

    @property
    def id(self) -> int:
        """The id at which it answers."""
        return self.memory.bytes[self._id_address]

    @property
    def armed(self) -> bool:
        """Whether its bus watchdog is active."""
        return False

    @property
    def identity(self) -> bytes:
        """The answer to a ping: model number and firmware version."""
        return bytes(self.memory.bytes[0:2] + self.memory.bytes[6:7])

    @property
    def level(self) -> int:
        """The instructions that it answers: 0 ping, 1 also reads, 2 all."""
        return self.memory.get("status_return_level")

    @property
    def dangerous(self) -> int:
        """The HardwareError bits that switch its torque off; all, where the model does not let one choose."""
        return self.memory.get("shutdown") if self.memory.has("shutdown") else ALL_ERRORS

    @property
    def return_delay_s(self) -> float:
        """Time before it answers, s."""
        return self.memory.get("return_delay_time") * 2e-6

    def boot(self) -> None:
        """Start, as when power is switched on."""
        self._id_address = self.table.items["id"].address
        self.memory.lose_ram()
        self.registered = None
        self.errors, self.shut_down, self._overload_s = 0, False, 0.0
        self._started = self.time
        self._dirty = True
        self.readdressed = True
        self.booted()

    def reboot(self) -> None:
        """Restart: RAM is lost, and it does not answer for ``BOOT_S``."""
        self.boot()
        self.silent_until = self.time + BOOT_S

    def factory_reset(self, keep: tuple[str, ...]) -> None:
        """Set the whole table to factory values, except ``keep``, and restart."""
        keep = ("model_number", "firmware_version", *keep)
        self.memory.reset(keep)
        self.reboot()

    def raise_error(self, bits: int, *, shut_down: bool | None = None) -> None:
        """Raise a hardware error; ``shut_down`` None: as the shutdown register says."""
        self.errors |= bits
        self._dirty = True
        if shut_down if shut_down is not None else bits & self.dangerous:
            self.shut_down = True
            self.torque_off()

    # -- time

    def advance(self, now: float) -> None:
        """Simulate up to ``now`` s."""
        steps = int((now - self.time) / STEP + 1e-6)
        if steps > 0:
            self._simulate(steps)

    def _simulate(self, steps: int) -> None:
        self.time += steps * STEP
        self._dirty = True
        drive = self.drive
        if not drive.settled:
            drive.run(steps, self.supply.voltage)
        self.supply.draw(self, drive.current)
        self._unwatched_s += steps * STEP
        if self._unwatched_s >= WATCH_S:
            self._warm(self._unwatched_s)
            self._watch(self._unwatched_s)
            self._unwatched_s = 0.0

    def _warm(self, seconds: float) -> None:
        size = self.table.motor.stall_torque_nm
        current = self.drive.current
        motor = self.table.motor
        heat = current * current * motor.rated_voltage_v / motor.stall_current_a
        rise = (heat / size - COOLING * (self.temperature - AIR_DEGC)) / HEAT_CAPACITY
        self.temperature += rise * min(seconds, 10.0)

    def _watch(self, seconds: float) -> None:
        """Raise the errors that a servo detects itself."""
        drive = self.drive
        if abs(drive.pwm) > OVERLOAD_SHARE and abs(drive.velocity) < SLOW:
            self._overload_s += seconds
            if self._overload_s > OVERLOAD_S and not self.errors & HardwareError.OVERLOAD:
                self.raise_error(HardwareError.OVERLOAD)
        else:
            self._overload_s = 0.0
        if self.temperature > self._temperature_limit and not self.errors & HardwareError.OVERHEATING:
            self.raise_error(HardwareError.OVERHEATING)
        volts = self.supply.voltage
        if not self._least_volts <= volts <= self._most_volts and not self.errors & HardwareError.VOLTAGE:
            self.raise_error(HardwareError.VOLTAGE)

    def cache_limits(self) -> None:
        """Cache the limits that are compared in every check."""
        name = "temperature_limit" if self.memory.has("temperature_limit") else "inverter_temperature_limit"
        self._temperature_limit = self.memory.get(name)
        self._least_volts = self.memory.get("min_voltage_limit") * 0.1 - 0.05
        self._most_volts = self.memory.get("max_voltage_limit") * 0.1 + 0.05

    # -- registers

    def read(self, address: int, size: int) -> bytes | None:
        """Return bytes of the table as they are now; None outside the table."""
        runs = self.memory.runs(address, size)
        if runs is None:
            return None
        if self._dirty:
            self._refresh()
        memory = self.memory.bytes
        if len(runs) == 1:
            start, length = runs[0]
            return bytes(memory[start : start + length])
        return b"".join(memory[start : start + length] for start, length in runs)

    def write(self, address: int, data: bytes) -> int:
        """Write whole items, all or none; returns a ``Fault``, 0 if they are written."""
        plan = self.memory.plan(address, len(data))
        if isinstance(plan, int):
            return plan
        values = [(item, int.from_bytes(data[a:b], "little", signed=item.signed)) for item, a, b in plan]
        for item, value in values:
            fault = self._refusal(item, value)
            if fault:
                return fault
        for item, value in values:
            self._set(item, value)
        self._dirty = True
        return 0

    def _set(self, item: Item, value: int) -> None:
        if item.name in self.stuck_items:
            return
        self.memory.set(item.name, value)
        if self.memory.is_indirect_address(item.address):
            self.memory.forget_runs()
        self.wrote(item.name, value)

    def _refusal(self, item: Item, value: int) -> int:
        if item.access == "r":
            return Fault.ACCESS
        if item.eeprom and (self.is_eeprom_locked() or self.eeprom_refused):
            return Fault.ACCESS
        if not item.lower <= value <= item.upper and not self.may_exceed(item.name, value):
            return Fault.DATA_RANGE
        return self.refusal(item.name, value)

    def snapshot(self) -> dict[str, int]:
        """Return the values of all items by name, without the indirect ones."""
        self._refresh()
        return {name: self.memory.get(name) for name in self.table.items if not name.startswith("indirect_")}

    def _present_runs(self) -> list[tuple[Struct, int, slice]]:
        """Return structs for the items that ``present`` gives.

        Few are needed, as most tables have them side by side.
        """
        runs: list[tuple[str, int, int, int]] = []  # format, address, end, index of the first
        for index, name in enumerate(self.present_names()):
            item = self.table.items[name]
            letter = OBJECT[item.size]
            letter = letter.lower() if item.signed else letter
            if runs and runs[-1][2] == item.address:
                form, address, _, first = runs[-1]
                runs[-1] = (form + letter, address, item.end, first)
            else:
                runs.append((letter, item.address, item.end, index))
        return [
            (Struct("<" + form), address, slice(first, first + len(form))) for form, address, _, first in runs
        ]

    def _refresh(self) -> None:
        """Write the sensed values into the registers."""
        values = self.present()
        for struct, address, part in self._runs:
            struct.pack_into(self.memory.bytes, address, *values[part])
        self._dirty = False

    def touch(self) -> None:
        """Note that sensed values have changed without time passing."""
        self._dirty = True

    # -- what each kind of servo implements

    @abstractmethod
    def present_names(self) -> tuple[str, ...]:
        """Return the items that the servo writes itself, in the order of addresses."""

    @abstractmethod
    def present(self) -> tuple[int, ...]:
        """Return the values of ``present_names``."""

    @abstractmethod
    def booted(self) -> None:
        """Handle a start, when RAM has its initial values."""

    @abstractmethod
    def torque_off(self) -> None:
        """Switch the torque off."""

    @abstractmethod
    def is_eeprom_locked(self) -> bool:
        """Return whether writing EEPROM is refused now."""

    @abstractmethod
    def refusal(self, name: str, value: int) -> int:
        """Return the ``Fault`` with which a value of an item is refused now; 0 if it is accepted."""

    @abstractmethod
    def wrote(self, name: str, value: int) -> None:
        """Handle the write of an item."""

    def may_exceed(self, name: str, value: int) -> bool:
        """Return whether a value outside the item's range is allowed because it has a special meaning."""
        return False

    @abstractmethod
    def error_byte(self, fault: int) -> int:
        """Return the error byte of a status that reports ``fault``."""

    @property
    @abstractmethod
    def baud_rate(self) -> int:
        """The baud rate at which it listens, 1/s."""
