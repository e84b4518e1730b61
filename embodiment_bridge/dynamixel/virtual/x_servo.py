# SPDX-License-Identifier: Apache-2.0
"""The registers of a servo of the X, P or Y series, or of an MX with firmware 2.0."""

import math

from typing_extensions import override

from embodiment_bridge.dynamixel.tables.control_table import ControlTable
from embodiment_bridge.dynamixel.virtual import drive as drives
from embodiment_bridge.dynamixel.virtual import x_numbers as x
from embodiment_bridge.dynamixel.virtual.drive import Control, Drive
from embodiment_bridge.dynamixel.virtual.servo import Servo, Supply
from embodiment_bridge.dynamixel.virtual.x_numbers import has_x_gains, set_position_gains, set_speed_gains
from embodiment_bridge.dynamixel.wire.instructions import ALERT, Fault, error_code


class XServo(Servo):
    """Simulates a servo whose registers mean what they mean in the X series; it speaks protocol 2.0."""

    def __init__(self, table: ControlTable, id: int, supply: Supply, drive: Drive | None = None) -> None:
        units = table.items
        self._pulse = units["present_position"].factor  # rad
        self._speed_unit = units["present_velocity"].factor  # rad/s
        self._acceleration_unit = units["profile_acceleration"].factor
        # A, or share of torque
        self._current_unit = units["present_current"].factor if table.has_current else 0.001
        self._watchdog_address = units["bus_watchdog"].address
        self._goal_address = units["goal_position"].address
        self._full_pwm = units["goal_pwm"].upper
        self._is_x = has_x_gains(table)
        self._has_error_bits = "hardware_error_status" in units
        self._volt_unit = units["present_input_voltage"].factor
        self._shown = [i for i, name in enumerate(x.PRESENT) if x.shown_name(table, name)]
        self._base = 0  # pulses of whole turns that have been forgotten
        self._backup: bytes | None = None
        self._has_plain_goal = False
        super().__init__(table, id, supply, drive)

    @override
    def booted(self) -> None:
        self.torque = False
        self.last_heard = self.time
        self._load_settings()
        for name in ("goal_pwm", "goal_current"):
            if self.memory.has(name):
                self.memory.set(name, self.memory.get(name.removeprefix("goal_") + "_limit"))
        self.count_one_turn()
        startup = self.memory.get("startup_configuration") if self.memory.has("startup_configuration") else 0
        if startup & x.RESTORE_AT_BOOT:
            self.restore_backup()
        self.memory.set("goal_position", self.position())
        self._steer()
        if startup & x.TORQUE_AT_BOOT:
            self._torque_on()

    @override
    def torque_off(self) -> None:
        self.torque = False
        self.memory.set("torque_enable", 0)
        self._steer()

    def _torque_on(self) -> None:
        if not self.torque:
            self.torque = True
            self.memory.set("torque_enable", 1)
            if self._mode == x.JOINT:
                self.count_one_turn()
            self.last_heard = self.time
            self._steer()

    @property
    @override
    def baud_rate(self) -> int:
        return x.BAUDS[min(self.memory.get("baud_rate"), len(x.BAUDS) - 1)]

    @override
    def error_byte(self, fault: int) -> int:
        return fault | (ALERT if self.errors else 0)

    def position(self) -> int:
        """Return ``present_position``, pulses."""
        return self._pulses(self.drive.position)

    def count_one_turn(self) -> None:
        """Forget whole turns: the position is within one turn again."""
        self._base = 0
        self._base = self.position() - self.table.within_turn(self.position())
        self.touch()

    def _pulses(self, angle: float) -> int:
        pulses = math.floor(angle / self._pulse + 0.5) * self._sign + self.table.centre
        return pulses + self._homing - self._base

    def _angle(self, pulses: int) -> float:
        return (pulses + self._base - self._homing - self.table.centre) * self._sign * self._pulse

    @override
    def is_eeprom_locked(self) -> bool:
        return self.torque

    @override
    def may_exceed(self, name: str, value: int) -> bool:
        """Return whether a value may exceed its limit: shadow id 255 means off."""
        return name == "shadow_id" and value == 255

    @override
    def refusal(self, name: str, value: int) -> int:
        if name in x.GOALS:
            if self.memory.bytes[self._watchdog_address] == x.FIRED & 0xFF:
                return Fault.DATA_RANGE
            return self._goal_refusal(name, value)
        if name == "torque_enable" and value and self.shut_down:
            return Fault.ACCESS
        if name == "operating_mode" and value not in self.table.modes:
            return Fault.DATA_RANGE
        if name == "shadow_id" and 253 <= value <= 254:
            return Fault.DATA_RANGE
        if name.startswith("indirect_address_") and not 64 <= value < self.memory.used:
            return Fault.DATA_RANGE
        return Fault.NONE

    def _goal_refusal(self, name: str, value: int) -> int:
        get = self.memory.get
        if name == "goal_position":
            inside = self._mode != x.JOINT or self._lowest <= value <= self._highest
        else:
            inside = abs(value) <= get(name.removeprefix("goal_") + "_limit")
        return Fault.NONE if inside else Fault.DATA_LIMIT

    @override
    def write(self, address: int, data: bytes) -> int:
        """Write an item, with a shortcut for a goal position, which a host writes in every cycle."""
        if address == self._goal_address and len(data) == 4 and self._has_plain_goal and not self.stuck_items:
            value = int.from_bytes(data, "little", signed=True)
            watching = self.memory.bytes[self._watchdog_address] != x.FIRED & 0xFF
            if self._lowest <= value <= self._highest and watching:
                self.memory.bytes[address : address + 4] = data
                self._goal = value
                self._steered.goal = self._angle(value)
                self.drive.control(self._steered)
                self.touch()
                return 0
        return super().write(address, data)

    @override
    def wrote(self, name: str, value: int) -> None:
        if name == "torque_enable":
            self._torque_on() if value else self.torque_off()
        elif name == "operating_mode":
            self._change_mode()
        elif name == "bus_watchdog":
            self.last_heard = self.time
        elif name in ("id", "shadow_id", "baud_rate"):
            self.readdressed = True
        elif name in x.SETTINGS:
            self._load_settings()
        elif (
            name in x.GOALS and not self.torque and self._drive_mode & x.TORQUE_BY_GOAL and not self.shut_down
        ):
            self.memory.set("torque_enable", 1)
            self._torque_on()
        self._steer()

    def _load_settings(self) -> None:
        self.cache_limits()
        get = self.memory.get
        self._mode = get("operating_mode")
        self._lowest, self._highest = get("min_position_limit"), get("max_position_limit")
        self._threshold = get("moving_threshold") * self._speed_unit
        self._drive_mode = self.memory.get("drive_mode")
        self._sign = -1 if self._drive_mode & x.REVERSE else 1
        homing = self.memory.get("homing_offset")
        ignored = self._is_x and self._mode == x.JOINT and abs(homing) > x.HOMING_LIMIT
        self._homing = 0 if ignored else homing

    def _change_mode(self) -> None:
        """Set the registers to the defaults of the new mode."""
        self._load_settings()
        for name in x.MODE_DEFAULTS:
            if self.memory.has(name):
                self.memory.set(name, self.table.items[name].initial)
        self.memory.set("goal_pwm", self.memory.get("pwm_limit"))
        if self.memory.has("goal_current"):
            self.memory.set("goal_current", self.memory.get("current_limit"))
        if self._mode == x.JOINT:
            self.count_one_turn()

    def _steer(self) -> None:
        """Set the control of the drive from the registers."""
        self._steered = self._control() if self.torque else Control()
        self._goal = self.memory.get("goal_position")
        self._profile = self._profile_kind() << 4
        plain = self._steered.kind == drives.POSITION and not self._drive_mode & x.TIME_PROFILE
        self._has_plain_goal = plain and self._mode == x.JOINT
        self.drive.control(self._steered)

    def _control(self) -> Control:
        get = self.memory.get
        limit = get("pwm_limit")
        if x.PWM in self.table.modes:  # else it is no limit of other modes
            limit = min(limit, abs(get("goal_pwm")))
        control = Control(pwm_limit=limit / self._full_pwm)
        mode = self._mode
        if mode in (x.JOINT, x.MULTI_TURN, x.CURRENT_JOINT):
            control.kind, control.goal = drives.POSITION, self._angle(get("goal_position"))
            set_position_gains(control, self.memory)
            if mode == x.CURRENT_JOINT:
                control.current_limit = abs(get("goal_current")) * self._current_unit
            self._set_profile(control, control.goal - self.drive.wanted)
        elif mode == x.VELOCITY:
            control.kind, control.goal = drives.VELOCITY, get("goal_velocity") * self._speed_unit * self._sign
            set_speed_gains(control, self.memory)
            if acceleration := get("profile_acceleration"):
                control.acceleration = acceleration * self._acceleration_unit
        elif mode == x.PWM:
            control.kind, control.goal = drives.PWM, get("goal_pwm") / self._full_pwm * self._sign
            control.pwm_limit = get("pwm_limit") / self._full_pwm
        else:
            control.kind, control.goal = drives.CURRENT, get("goal_current") * self._current_unit * self._sign
        return control

    def _set_profile(self, control: Control, way: float) -> None:
        speed, acceleration = self.memory.get("profile_velocity"), self.memory.get("profile_acceleration")
        if not speed:
            return
        if not self._drive_mode & x.TIME_PROFILE:
            control.speed = speed * self._speed_unit
            if acceleration:
                control.acceleration = acceleration * self._acceleration_unit
            return
        whole, ramp = speed / 1000, min(acceleration, speed / 2) / 1000  # s
        control.speed = max(abs(way) / (whole - ramp), 1e-6)
        if ramp:
            control.acceleration = control.speed / ramp

    @property
    def armed(self) -> bool:
        """Whether the bus watchdog is active."""
        return self.torque and 0 < self.memory.bytes[self._watchdog_address] < 128

    @property
    def watchdog_at(self) -> float:
        """Time at which the bus watchdog fires without further instructions, s; infinite while it is not active."""
        return self.last_heard + self.memory.get("bus_watchdog") * 0.02 if self.armed else math.inf

    @override
    def advance(self, now: float) -> None:
        """Advance the servo; stops at the time at which the watchdog fires, and then goes on."""
        if now > (moment := self.watchdog_at):
            super().advance(moment)
            self.trip_watchdog()
        super().advance(now)

    def trip_watchdog(self) -> None:
        """Stop because no instruction came for too long, and refuse goals until 0 is written to bus_watchdog."""
        self.memory.set("bus_watchdog", x.FIRED)
        for name in ("profile_velocity", "profile_acceleration", "goal_velocity"):
            self.memory.set(name, 0)
        self.memory.set("goal_position", self.position())
        if self._mode == x.PWM:
            self.memory.set("goal_pwm", 0)
        if self._mode == x.CURRENT:
            self.memory.set("goal_current", 0)
        self.touch()
        if self.torque:
            self._steer()

    def clear_turns(self) -> int:
        """Reduce the present position to one turn; refused while the axis turns."""
        if self._is_moving():
            return Fault.RESULT
        self.count_one_turn()
        self.memory.set("goal_position", self.position())
        if self.torque:
            self._steer()
        return Fault.NONE

    def store_backup(self) -> int:
        """Store the table; refused while torque is on."""
        if self.torque:
            return Fault.RESULT
        self._backup = bytes(self.memory.bytes)
        if self.memory.has("backup_ready"):
            self.memory.set("backup_ready", 1)
        return Fault.NONE

    def restore_backup(self) -> int:
        """Restore the stored table; refused while torque is on, or if none was stored."""
        if self.torque or self._backup is None:
            return Fault.RESULT
        keep = ("id", "hardware_error_status", "error_code", "torque_enable", "goal_position")
        kept = {name: self.memory.get(name) for name in keep if self.memory.has(name)}
        self.memory.bytes[:] = self._backup
        for name, value in kept.items():
            self.memory.set(name, value)
        self.memory.forget_runs()
        self._load_settings()
        self.touch()
        return Fault.NONE

    @override
    def present_names(self) -> tuple[str, ...]:
        return tuple(name for name in (x.shown_name(self.table, n) for n in x.PRESENT) if name)

    @override
    def present(self) -> tuple[int, ...]:
        drive, sign = self.drive, self._sign
        speed = round(drive.velocity * sign / self._speed_unit)
        position = self._pulses(drive.position)
        turning = self._is_moving()
        current = drive.current / self._current_unit if self.table.has_current else drive.pwm * 1000
        wanted = self._pulses(drive.wanted) if self.torque else position
        there = abs(position - self._goal) < x.NEAR
        ongoing = self.torque and drive.wanted_speed != 0.0
        values = (
            self.registered is not None,
            self.errors if self._has_error_bits else error_code(self.errors),
            round((self.time - self._started) * 1000) % 32768,
            turning,
            there | ongoing << 1 | self._profile,
            round(drive.pwm * self._full_pwm) * sign,
            round(min(max(current, -32767), 32767)) * sign,
            speed,
            (position + 0x80000000 & 0xFFFFFFFF) - 0x80000000,
            round(drive.wanted_speed * sign / self._speed_unit),
            (wanted + 0x80000000 & 0xFFFFFFFF) - 0x80000000,
            round(self.supply.voltage / self._volt_unit),
            max(0, round(self.temperature)),
        )
        return values if len(self._shown) == len(values) else tuple(values[i] for i in self._shown)

    def _is_moving(self) -> bool:
        return abs(self.drive.velocity) > self._threshold

    def _profile_kind(self) -> int:
        """Return 0 step, 1 rectangular, 3 trapezoid (2 would be a triangle)."""
        if not self.memory.get("profile_velocity"):
            return 0
        return 3 if self.memory.get("profile_acceleration") else 1
