# SPDX-License-Identifier: Apache-2.0
"""The registers of an AX-12 or of an MX with older firmware, which speak protocol 1.0."""

import math
from typing import Final

from typing_extensions import override

from embodiment_bridge.dynamixel.tables.control_table import ControlTable
from embodiment_bridge.dynamixel.virtual import drive as drives
from embodiment_bridge.dynamixel.virtual.drive import Control, Drive
from embodiment_bridge.dynamixel.virtual.servo import Servo, Supply
from embodiment_bridge.dynamixel.wire.instructions import Error1, Fault, HardwareError

FULL: Final = 1023  # of torque, load and speed
FAST_BAUDS: Final = {250: 2_250_000, 251: 2_500_000, 252: 3_000_000}  # of an MX, by the value of baud_rate
CLOCKWISE: Final = 1024  # direction bit
P_UNIT, D_UNIT = 1 / 8, 4 / 1000  # of the gains of an MX: torque (of FULL) per pulse, and per pulse/s
PRESENT: Final = (
    "present_position", "present_speed", "present_load", "present_input_voltage", "present_temperature",
    "registered_instruction", "moving", "realtime_tick",
)  # fmt: skip
BITS: Final = {  # of HardwareError and of Error1
    HardwareError.VOLTAGE: Error1.VOLTAGE,
    HardwareError.OVERHEATING: Error1.OVERHEATING,
    HardwareError.OVERLOAD: Error1.OVERLOAD,
}
FAULTS: Final = {
    Fault.NONE: 0,
    Fault.RESULT: Error1.INSTRUCTION,
    Fault.INSTRUCTION: Error1.INSTRUCTION,
    Fault.CRC: Error1.CHECKSUM,
    Fault.DATA_RANGE: Error1.RANGE,
    Fault.DATA_LENGTH: Error1.RANGE,
    Fault.DATA_LIMIT: Error1.ANGLE_LIMIT,
    Fault.ACCESS: Error1.RANGE,
}


class AxServo(Servo):
    """Simulates an AX-12A, or an MX with firmware for protocol 1.0 (in joint or wheel mode)."""

    protocol = 1

    def __init__(self, table: ControlTable, id: int, supply: Supply, drive: Drive | None = None) -> None:
        self._pulse = table.items["present_position"].factor
        self._speed_unit = table.items["moving_speed"].factor
        self._highest = table.items["goal_position"].upper
        self._names = tuple(name for name in PRESENT if name in table.items)
        super().__init__(table, id, supply, drive)

    @override
    def booted(self) -> None:
        self.torque = False
        self.cache_limits()
        self.memory.set("torque_limit", self.memory.get("max_torque"))
        self.memory.set("goal_position", self.position())
        self._steer()

    @override
    def torque_off(self) -> None:
        self.torque = False
        self.memory.set("torque_enable", 0)
        self.memory.set("torque_limit", 0 if self.shut_down else self.memory.get("torque_limit"))
        self._steer()

    @property
    @override
    def baud_rate(self) -> int:
        value = self.memory.get("baud_rate")
        return FAST_BAUDS.get(value, 2_000_000 // (value + 1))

    @override
    def error_byte(self, fault: int) -> int:
        hardware = sum(bit for error, bit in BITS.items() if self.errors & error)
        return int(FAULTS[Fault(fault)] | hardware)

    def position(self) -> int:
        """Return ``present_position``: within the limits of a goal, also in an AX's gap, where it has no meaning."""
        pulses = math.floor(self.drive.position / self._pulse + 0.5) + self.table.centre
        return min(max(pulses % round(self.table.ticks_per_turn), 0), self._highest)

    @override
    def is_eeprom_locked(self) -> bool:
        return bool(self.memory.get("eeprom_lock"))

    @override
    def refusal(self, name: str, value: int) -> int:
        get = self.memory.get
        if name == "goal_position" and not self.is_wheel:
            return (
                Fault.NONE if get("cw_angle_limit") <= value <= get("ccw_angle_limit") else Fault.DATA_LIMIT
            )
        if name == "eeprom_lock" and not value and get("eeprom_lock"):
            return Fault.DATA_RANGE  # only a power cut unlocks it
        return Fault.NONE

    @property
    def is_wheel(self) -> bool:
        """Whether it is in wheel mode."""
        return self.memory.get("cw_angle_limit") == self.memory.get("ccw_angle_limit") == 0

    @override
    def wrote(self, name: str, value: int) -> None:
        """Write an item; writing a goal position switches the torque on."""
        if name == "torque_enable" and not value:
            self.torque_off()
            return
        if name == "torque_enable" and self.shut_down:
            self._recover()
        if name in ("torque_enable", "goal_position") and not self.shut_down:
            self.torque = True
            self.memory.set("torque_enable", 1)
        if name in ("id", "baud_rate"):
            self.readdressed = True
        if name in ("temperature_limit", "min_voltage_limit", "max_voltage_limit"):
            self.cache_limits()
        if self.torque:
            self._steer()

    def _recover(self) -> None:
        """End a shutdown, as 1 in ``torque_enable`` does (manual of the AX-12, address 18)."""
        self.errors, self.shut_down = 0, False
        self.memory.set("torque_limit", self.memory.get("max_torque"))

    def _steer(self) -> None:
        if not self.torque:
            self.drive.control(Control())
            return
        get = self.memory.get
        control = Control(pwm_limit=get("torque_limit") / FULL)
        speed = get("moving_speed")
        if self.is_wheel:
            control.kind = drives.PWM
            control.goal = (speed & FULL) / FULL * (-1 if speed & CLOCKWISE else 1)
        else:
            control.kind = drives.POSITION
            control.goal = (get("goal_position") - self.table.centre) * self._pulse
            control.p, control.d = self._gains()
            control.speed = (speed & FULL) * self._speed_unit or math.inf
        self.drive.control(control)

    def _gains(self) -> tuple[float, float]:
        """Return the share of the full torque per rad, and per rad/s."""
        get = self.memory.get
        if not self.memory.has("p_gain"):
            return 1 / (get("cw_compliance_slope") * self._pulse), 0.0
        per_rad = 1 / (FULL * self._pulse)
        return get("p_gain") * P_UNIT * per_rad, get("d_gain") * D_UNIT * per_rad

    def clear_turns(self) -> int:
        """Refuse: an AX has no such instruction."""
        return Fault.INSTRUCTION

    store_backup = restore_backup = clear_turns

    @override
    def present_names(self) -> tuple[str, ...]:
        return self._names

    @override
    def present(self) -> tuple[int, ...]:
        drive = self.drive
        values = (
            self.position(),
            _signed(drive.velocity / self._speed_unit),
            _signed(-drive.pwm * FULL),
            round(self.supply.voltage * 10),
            max(0, round(self.temperature)),
            self.registered is not None,
            abs(drive.velocity) > self._speed_unit,
            round((self.time - self._started) * 1000) % 32768,
        )
        return values[: len(self._names)]


def baud_value(baud: int) -> int:
    """Return the value of ``baud_rate`` for a baud rate."""
    return next((value for value, fast in FAST_BAUDS.items() if fast == baud), round(2_000_000 / baud) - 1)


def _signed(value: float) -> int:
    """Return size and direction bit."""
    size = min(round(abs(value)), FULL)
    return size | CLOCKWISE if value < 0 and size else size
