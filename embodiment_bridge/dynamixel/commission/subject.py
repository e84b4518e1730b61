# SPDX-License-Identifier: Apache-2.0
"""The one servo that is checked: its registers in SI units, a gentle setting, and what it was before."""

import time
from collections.abc import Callable
from contextlib import suppress
from math import tau
from typing import Final, TypeVar

from embodiment_bridge.core.errors import BridgeError, LinkError
from embodiment_bridge.dynamixel.bus.joints import OLD_SIZE
from embodiment_bridge.dynamixel.bus.registers import Found, Registers
from embodiment_bridge.dynamixel.config.calibration import changed_registers, forget_changed, note_changed
from embodiment_bridge.dynamixel.tables.control_table import ControlTable
from embodiment_bridge.dynamixel.wire.instructions import error_bits

T = TypeVar("T")
TRIES: Final = 3
LEAVE_TRIES, LEAVE_S = 4, 2.0  # the guardian of a killed driver has the port for a moment
POSITION_MODE, VELOCITY_MODE = 3, 1
FORCES: Final = ("goal_pwm", "torque_limit")  # of RAM, that limit the force in position mode
SPEEDS: Final = ("profile_velocity", "moving_speed")
WATCHDOG: Final = "bus_watchdog"  # a servo refuses goals while it has fired, until 0 is written
TURNED: Final = (  # registers set back later
    WATCHDOG,
    "operating_mode",
    *FORCES,
    *SPEEDS,
    "profile_acceleration",
)


class Subject:
    """Represents a servo on an open port.

    Every method raises LinkError when the servo does not
    answer, and CommandError when it refuses.
    """

    def __init__(self, port: str, baud: int, wait_s: float, found: Found, registers: Registers) -> None:
        self.port, self.baud, self.found = port, baud, found
        self._wait_s = wait_s
        self._registers: Registers | None = registers
        self.table: ControlTable = registers.table(found.id)
        known = changed_registers(port, found.id, self.table.name)
        self._before: dict[str, int] = {name: value for name, value in known.items() if self.has(name)}

    @property
    def changed(self) -> list[str]:
        """Names of registers that are not as before, also before a checklist that was killed."""
        return list(self._before)

    @property
    def registers(self) -> Registers:
        """The open port.

        Raises:
            LinkError: it is closed, or cannot be opened again.
        """
        if self._registers is None:
            self._registers = Registers(self.port, self.baud, self._wait_s)
        return self._registers

    def close(self) -> None:
        """Close the port; the next access opens it again."""
        if self._registers is not None:
            self._registers.close()
            self._registers = None

    def has(self, name: str) -> bool:
        """Return whether the model has a register."""
        return name in self.table.items

    def read(self, name: str) -> int:
        """Return the raw value of a register."""
        return self._asked(lambda: self.registers.read(self.found.id, name))

    def value(self, *names: str) -> float:
        """Return the value, in SI units, of the first of these registers that the model has; nan if it has none."""
        item = self.table.first(*names)
        return float("nan") if item is None else self.read(item.name) * item.factor

    def write(self, name: str, value: int) -> None:
        """Write a raw value."""
        self._asked(lambda: self.registers.write(self.found.id, name, value))

    @staticmethod
    def _asked(ask: Callable[[], T]) -> T:
        """Return the answer; asked again when it does not come, because a packet may be lost."""
        for _ in range(TRIES - 1):
            with suppress(LinkError):
                return ask()
        return ask()

    @property
    def angle(self) -> float:
        """rad, from the centre of the range."""
        return (self.read("present_position") - self.table.centre) * self.pulse

    @property
    def pulse(self) -> float:
        """The angle of one count, rad."""
        return tau / self.table.ticks_per_turn

    def ticks(self, angle: float) -> int:
        """Return the count of an angle, rad."""
        return round(angle / self.pulse) + self.table.centre

    def range(self) -> tuple[float, float]:
        """Return the position limits of the servo, rad."""
        old = self.has("cw_angle_limit")
        names = ("cw_angle_limit", "ccw_angle_limit") if old else ("min_position_limit", "max_position_limit")
        lower, upper = (self.read(name) for name in names)
        return (lower - self.table.centre) * self.pulse, (upper - self.table.centre) * self.pulse

    def errors(self) -> int:
        """Return the bits of HardwareError; 0 where the model has no register for them."""
        if self.has("error_code"):
            return int(error_bits(self.read("error_code")))
        return self.read("hardware_error_status") if self.has("hardware_error_status") else 0

    def load(self) -> float:
        """Return the current, A, or the load as a share of the full torque where the model does not sense it."""
        item = self.table.first("present_current") or self.table.item("present_load")
        raw = self.read(item.name)
        return abs(raw if item.signed else raw & OLD_SIZE) * item.factor

    def make_gentle(self, force: float, speed: float, mode: int = POSITION_MODE) -> str:
        """Set a mode with little force and speed, torque off; says what limits the force."""
        self.torque_off()
        for name in TURNED:
            if self.has(name) and name not in self._before:
                self._before[name] = self.read(name)
        if self.has(WATCHDOG):
            self._before[WATCHDOG] = max(self._before[WATCHDOG], 0)  # that it had fired is not set back
        note_changed(self.port, self.found.id, self.table.name, self._before)
        if self.has(WATCHDOG):
            self.write(WATCHDOG, 0)
        if self.has("operating_mode"):
            self.write("operating_mode", mode)
        limit = self.table.first(*FORCES)
        if limit is not None and limit.name == "goal_pwm" and 16 not in self.table.modes:
            limit = None  # of the Y series: it does not limit the other modes
        if limit is not None:
            self.write(limit.name, round(limit.upper * force))
        pace = next(self.table.item(name) for name in SPEEDS if self.has(name))
        self.write(pace.name, max(round(speed / pace.factor), 1))
        return (
            f"{limit.name} at {force:.0%}" if limit else "no register limits the force: only the speed is low"
        )

    def torque_on_here(self) -> float:
        """Switch the torque on where the servo is; returns the angle, rad."""
        self.torque_off()  # from here on it is guarded: a goal may switch the torque on as well
        here = self.read("present_position")
        self.write("goal_position", here)
        self.write("torque_enable", 1)
        return (here - self.table.centre) * self.pulse

    def torque_off(self) -> None:
        """Switch the torque off."""
        self.write("torque_enable", 0)

    def leave(self) -> str:
        """Switch the torque off, whatever happened, and set the registers back; says what could not be done."""
        problems: list[str] = []
        for _ in range(LEAVE_TRIES):
            try:
                self.torque_off()
                problems = []
                break
            except BridgeError as error:
                problems = [f"torque off: {error}"]
                self.close()
                time.sleep(LEAVE_S / LEAVE_TRIES)
        for name, value in self._before.items():
            try:
                self.write(name, value)
            except BridgeError as error:
                problems.append(f"{name}: {error}")
        if not problems:
            forget_changed(self.port, self.found.id)
        return "; ".join(problems)

    def answers(self) -> bool:
        """Return whether the servo answers a ping; a port that is gone is opened again for the next one."""
        try:
            return self.registers.ping(self.found.id, (self.found.protocol,)) == self.found
        except LinkError:
            with suppress(LinkError):
                self.close()
            return False


class Watch:
    """Looks every few milliseconds until ``seconds`` are over: an iterator over the time since the beginning, s.

    It looks ``least`` times all the same: else nothing would be measured when the computer pauses this process.
    """

    def __init__(self, seconds: float, every: float = 0.02, least: int = 10) -> None:
        self._seconds, self._every, self._least = seconds, every, least
        self._begin = time.monotonic()

    @property
    def elapsed(self) -> float:
        """Time since the beginning, s."""
        return time.monotonic() - self._begin

    def __iter__(self) -> "Watch":
        return self

    def __next__(self) -> float:
        if self.elapsed >= self._seconds and self._least <= 0:
            raise StopIteration
        self._least -= 1
        time.sleep(self._every)
        return self.elapsed
