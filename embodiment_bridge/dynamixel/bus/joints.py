# SPDX-License-Identifier: Apache-2.0
"""Converts between raw values of a servo (counts) and values of its joint (rad, rad/s, Nm), and limits its goals.

As in transmission_interface/SimpleTransmission: horn angle = reduction * (joint angle - offset), horn speed =
reduction * joint speed, joint torque = reduction * horn torque.
"""

from dataclasses import dataclass
from math import isfinite, sqrt, tau

from embodiment_bridge.dynamixel.config.servo_config import MODE_NUMBERS, ServoConfig
from embodiment_bridge.dynamixel.tables.control_table import ControlTable

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
OLD_SIZE = OLD_SIGN - 1  # bits of the speed or load itself


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibrates a joint: shift of its angle, rad, and whole turns of the horn."""

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
        """Return the joint angle, rad."""
        return (ticks - self._zero) / self._per_rad

    def ticks(self, position: float) -> int:
        """Return the count nearest to a joint angle (rad)."""
        return round(position * self._per_rad + self._zero)

    def velocity(self, raw: int) -> float:
        """Return the joint speed, rad/s."""
        return self._signed(raw) * self._speed / self._reduction

    def raw_velocity(self, velocity: float) -> int:
        """Return the count nearest to a joint speed (rad/s)."""
        return round(velocity * self._reduction / self._speed)

    def effort(self, raw: int) -> float:
        """Return the joint torque, Nm, from the current.

        A rough estimate from the load where the servo does not sense current.
        """
        return self._signed(raw) * self._torque * self._reduction

    def raw_current(self, effort: float) -> int:
        """Return the count of current nearest to a joint torque (Nm)."""
        return round(effort / self._reduction / self._torque)

    def current(self, raw: int) -> float:
        """Return the current in A, or nan where the servo does not sense it."""
        return raw * self._ampere if self.has_current else float("nan")

    def _signed(self, raw: int) -> int:
        if not self._old:
            return raw
        size = raw & OLD_SIZE
        return -size if raw & OLD_SIGN else size


LONGEST_STEP_S = 0.1  # s; a longer time between cycles counts as this
CREEP = 0.02  # share of the full speed at which a soft start begins
# A joint that would run on can brake so before its end, rad/s2, and begins so late, s, besides the time of a cycle.
BRAKE, REACTION_S = 6.0, 0.1
# Share of the torque that drives with which a joint that is too fast is braked, less in cycles longer than STEADY_S:
# what is known of its speed is a cycle old, and a stronger brake makes a light joint shake.
BRAKE_SHARE, STEADY_S = 0.5, 0.01
SPEED_LAG_S = 0.25  # s by which the speed of a servo follows its goal velocity late


class GoalFilter:
    """Limits the goals of one joint to its range and speed, with a soft start after torque comes on.

    fastest, strongest: rad/s and Nm of the joint where the description has no limit.
    """

    def __init__(self, config: ServoConfig, fastest: float, strongest: float) -> None:
        self._lower, self._upper = config.lower, config.upper
        self._fastest = min(config.velocity, fastest)
        self._strongest = min(config.effort, strongest)
        self._full = config.effort if isfinite(config.effort) else 1.0  # what PWM at its limit counts as
        self._soft_s = config.soft_start_s
        self._share = 0.0
        self.goal = 0.0

    def start(self, position: float) -> None:
        """Start with torque coming on at ``position`` (rad): this is the first goal, and a soft start follows."""
        self.goal = position
        self._share = 0.0 if self._soft_s > 0.0 else 1.0

    def position(self, target: float, dt: float, *, fresh: bool = True) -> float:
        """Return the next goal (rad) on the way to ``target`` after ``dt`` s.

        Without fresh commands it does not change.
        """
        share = self._share if self._share >= 1.0 else self._grow(dt)
        if not fresh or not isfinite(target):
            return self.goal
        reach = self._fastest * share * (dt if dt < LONGEST_STEP_S else LONGEST_STEP_S)
        # A joint that was beyond an end when torque came on stays there until it is asked to be inside.
        if target <= self._lower:
            target = self._lower if self.goal > self._lower else self.goal
        elif target >= self._upper:
            target = self._upper if self.goal < self._upper else self.goal
        way = target - self.goal
        if way > reach:
            way = reach
        elif way < -reach:
            way = -reach
        self.goal += way
        return self.goal

    def velocity(self, target: float, position: float, dt: float, *, fresh: bool = True) -> float:
        """Return the next speed (rad/s), from which the joint stops before the end of its range.

        Without fresh commands that is 0.
        """
        share = self._grow(dt)
        if not fresh or not isfinite(target):
            return 0.0
        lowest, highest = self._speeds(position, self._fastest * share, dt + SPEED_LAG_S)
        return min(max(target * share, lowest), highest)

    def effort(self, target: float, position: float, speed: float, dt: float, *, fresh: bool = True) -> float:
        """Return the next torque (Nm) of a joint with this ``speed`` (rad/s); 0 without fresh commands.

        It falls with the speed, as that of a motor does: to 0 at the speed limit, or at the speed from which the joint
        can still stop before the end of its range. A faster joint is braked, as far as its torque allows it.
        """
        return self._push(target, self._strongest, position, speed, dt, fresh=fresh)

    def share_of_full(
        self, target: float, position: float, speed: float, dt: float, *, fresh: bool = True
    ) -> float:
        """Return the next torque as a share (-1..1) of the joint's limit; for PWM. Else as ``effort``."""
        return self._push(target, self._full, position, speed, dt, fresh=fresh) / self._full

    def _push(
        self, target: float, most: float, position: float, speed: float, dt: float, *, fresh: bool
    ) -> float:
        share = self._grow(dt)
        if not fresh or not isfinite(target):
            return 0.0
        lowest, highest = self._speeds(position, self._fastest, dt)
        brake = BRAKE_SHARE * STEADY_S / max(dt, STEADY_S)
        least, greatest = (lowest - speed) / self._fastest, (highest - speed) / self._fastest
        least, greatest = min(least, brake * least), max(greatest, brake * greatest)
        return min(max(target * share, most * max(least, -1.0)), most * min(greatest, 1.0))

    def _speeds(self, position: float, fastest: float, late_s: float) -> tuple[float, float]:
        """Return the lowest and highest speed (rad/s) from which a joint at ``position`` stops within its range."""
        lowest = -min(fastest, _stoppable(position - self._lower, late_s))
        return lowest, min(fastest, _stoppable(self._upper - position, late_s))

    def _grow(self, dt: float) -> float:
        if self._share < 1.0:
            self._share = min(self._share + min(dt, LONGEST_STEP_S) / self._soft_s, 1.0)
        return max(self._share, CREEP)


def _stoppable(room: float, late_s: float) -> float:
    """Return the speed (rad/s) from which a joint stops within ``room`` (rad); 0 where that is not known."""
    if not room > 0.0:
        return 0.0
    late_s += REACTION_S
    return BRAKE * (sqrt(late_s**2 + 2.0 * room / BRAKE) - late_s)
