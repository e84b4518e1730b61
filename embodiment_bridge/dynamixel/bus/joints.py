# SPDX-License-Identifier: Apache-2.0
"""Converts between raw values of a servo (counts) and values of its joint (rad, rad/s, Nm).

As in transmission_interface/SimpleTransmission: horn angle = reduction * (joint angle - offset), horn speed =
reduction * joint speed, joint torque = reduction * horn torque.
"""

from dataclasses import dataclass
from math import tau

from embodiment_bridge.dynamixel.config.servo_config import ServoConfig
from embodiment_bridge.dynamixel.tables.control_table import ControlTable

MODE_NUMBERS = {
    "current": 0,
    "velocity": 1,
    "position": 3,
    "extended_position": 4,
    "current_based_position": 5,
    "pwm": 16,
}
MODE_NAMES = {number: name for name, number in MODE_NUMBERS.items()}
GOAL_ITEMS = {
    "current": "goal_current",
    "velocity": "goal_velocity",
    "position": "goal_position",
    "extended_position": "goal_position",
    "current_based_position": "goal_position",
    "pwm": "goal_pwm",
}
OLD_SIGN = 1 << 10  # bit for the other direction in speeds and loads of Protocol 1.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """The calibration of a joint: shift of its angle, rad, and whole turns of the horn."""

    shift: float = 0.0
    turns: int = 0


class JointScale:
    """Converts values between one servo and its joint."""

    def __init__(
        self, config: ServoConfig, table: ControlTable, calibration: Calibration | None = None
    ) -> None:
        self._reduction = config.reduction
        self._offset = config.offset
        self._centre = table.centre
        self.ticks_per_turn = table.ticks_per_turn
        self._per_rad = config.reduction * table.ticks_per_turn / tau  # counts
        self._zero = 0.0  # counts at a joint angle of 0
        self.calibration = Calibration()
        self.calibrate(calibration or self.calibration)
        self._old = table.protocol == 1
        speed = table.items.get("present_velocity") or table.item("present_speed")
        self._speed = speed.factor
        motor = table.motor
        if table.has_current:
            constant = config.torque_constant or motor.stall_torque_nm / motor.stall_current_a
            self._ampere = table.item("present_current").factor
            self._torque = self._ampere * constant
        else:
            self._ampere = 0.0
            self._torque = table.item("present_load").factor * motor.stall_torque_nm
        self.has_current = table.has_current

    def calibrate(self, calibration: Calibration) -> None:
        """Set another calibration."""
        self.calibration = calibration
        away = (self._offset + calibration.shift) * self._per_rad
        self._zero = self._centre - away - calibration.turns * self.ticks_per_turn

    def position(self, ticks: int) -> float:
        """Joint angle, rad."""
        return (ticks - self._zero) / self._per_rad

    def ticks(self, position: float) -> int:
        """The count nearest to a joint angle (rad)."""
        return round(position * self._per_rad + self._zero)

    def velocity(self, raw: int) -> float:
        """Joint speed, rad/s."""
        return self._signed(raw) * self._speed / self._reduction

    def raw_velocity(self, velocity: float) -> int:
        """The count nearest to a joint speed (rad/s)."""
        return round(velocity * self._reduction / self._speed)

    def effort(self, raw: int) -> float:
        """Joint torque, Nm, from the current; a rough estimate from the load where the servo does not sense current."""
        return self._signed(raw) * self._torque * self._reduction

    def raw_current(self, effort: float) -> int:
        """The count of current nearest to a joint torque (Nm)."""
        return round(effort / self._reduction / self._torque)

    def current(self, raw: int) -> float:
        """A, or nan where the servo does not sense it."""
        return raw * self._ampere if self.has_current else float("nan")

    def _signed(self, raw: int) -> int:
        if not self._old:
            return raw
        size = raw & (OLD_SIGN - 1)
        return -size if raw & OLD_SIGN else size
