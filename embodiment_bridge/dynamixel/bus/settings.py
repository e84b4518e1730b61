# SPDX-License-Identifier: Apache-2.0
"""Sets a servo up for the driver: identity, settings, torque.

EEPROM is written only where a value differs, because it wears out; RAM is written again after each restart.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import ceil

from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.dynamixel.bus.client import PATIENT_S, Answer, BusClient
from embodiment_bridge.dynamixel.bus.foreign_settings import as_made, check_meanings
from embodiment_bridge.dynamixel.bus.joints import GOAL_ITEMS, MODE_NAMES
from embodiment_bridge.dynamixel.bus.reading import Block
from embodiment_bridge.dynamixel.bus.servo import Limits, Servo, check_mode
from embodiment_bridge.dynamixel.config.servo_config import MODE_NUMBERS, POSITION_MODES, BusConfig
from embodiment_bridge.dynamixel.tables.control_table import ControlTable, Item
from embodiment_bridge.dynamixel.tables.table_reader import table_of
from embodiment_bridge.dynamixel.wire.instructions import Fault, error_bits, fault_name

# s, the margins of the tries of each read and write: an answer may be damaged, or late on a busy computer.
MARGINS_S = (0.0, PATIENT_S, PATIENT_S, PATIENT_S)
WATCHDOG_CYCLES = 5  # cycles without an instruction after which a servo stops by itself
WATCHDOG_UNIT_S = 0.02
WATCHDOG_MOST = 127
RETURN_DELAY_UNIT_US = 2.0
ANSWERS_ALL = 2  # the status return level of a servo that answers every instruction
LIMIT_ITEMS = {  # registers that are known as fields of ``Limits``
    "min_position_limit": "lowest",
    "max_position_limit": "highest",
    "velocity_limit": "velocity",
    "current_limit": "current",
    "pwm_limit": "pwm",
}
CHUNK = 120  # bytes of a control table that are read at once
GAP = 32  # bytes without items over which a read goes on


class NoAnswerError(CommandError):
    """Reports that a servo did not answer: it may have done what it was asked for."""


class Settings:
    """Does operations on single servos. Each method raises CommandError when the servo refuses or is silent."""

    def __init__(self, client: BusClient, bus: BusConfig) -> None:
        self._client = client
        self._bus = bus

    def identify(self, servo: Servo) -> tuple[int, int] | None:
        """Return model number and firmware; None if the servo does not answer."""
        for _ in MARGINS_S:
            found = self._client.ping(servo.id)
            if found is not None:
                return found
        return None

    def table_for(self, servo: Servo, number: int, firmware: int) -> ControlTable:
        """Return the control table of the servo that answered, whatever model the description has."""
        if number == servo.table.number:
            return servo.table
        try:
            return table_of(number, firmware)
        except ConfigError as error:
            raise CommandError(str(error)) from error

    def image(self, servo: Servo) -> bytes:
        """Return the bytes of the control table up to the last item that is not indirect.

        0 in wide gaps between items.
        """
        items = [item for name, item in servo.table.items.items() if "direct" not in name]
        image = bytearray(max(item.end for item in items))
        for start, end in _spans(items):
            for at in range(start, end, CHUNK):
                part = min(CHUNK, end - at)
                image[at : at + part] = self.read(servo, at, part)
        return bytes(image)

    def configure(self, servo: Servo, block: Block, *, keep: bool) -> int:
        """Write EEPROM and RAM settings; returns the bits of HardwareError that the servo has.

        Torque stays on with ``keep``, and where no setting required it to be off.
        """
        table = servo.table
        if "status_return_level" in table.items:
            self._make_it_answer(servo)
        image = self.image(servo)
        now = {
            name: item.decode(image[item.address : item.end])
            for name, item in table.items.items()
            if "direct" not in name
        }
        servo.know_torque(bool(now["torque_enable"]))
        check_meanings(servo, now)
        keep = keep and servo.torque and mode_now(servo, now) != ""  # one without a name cannot be driven
        now |= self._set_eeprom(servo, now, keep=keep)
        self._set_ram(servo, now)
        if block.entries:
            self.write_bytes(servo, block.entries_at, _entries(block))
        self._read_limits(servo, now)
        goal = now.get("goal_position", 0)
        if servo.torque and servo.mode in POSITION_MODES:
            if not keep and not _is_inside(servo, goal):
                self.torque_off(servo)
            _check_inside(servo, goal)
            servo.goals.start(servo.scale.position(goal))
        return error_now(now, servo.error)

    def _make_it_answer(self, servo: Servo) -> None:
        """Let the servo answer all instructions. Of protocol 1.0 this is EEPROM: written only where it differs."""
        item = servo.table.item("status_return_level")
        try:
            level = self.value(servo, item.name)
        except CommandError:
            level = 0  # at which it answers no read
        if level != ANSWERS_ALL:
            self._client.write(servo.id, item.address, item.encode(ANSWERS_ALL))

    def are_lost(self, servo: Servo, block: Block) -> bool:
        """Return whether RAM has not what ``configure`` wrote there, as after a restart."""
        for name, value in servo.config.registers.items():
            if not servo.table.item(name).eeprom and self.value(servo, name) != value:
                return True
        entries = _entries(block)
        return bool(entries) and self.read(servo, block.entries_at, len(entries)) != entries

    def torque_on(self, servo: Servo, ticks: int) -> int:
        """Switch the torque on where the motor is (``ticks``); returns the ticks at which it says that it is then.

        All else comes before the torque: an emergency stop may drop each question after it.
        """
        if "bus_watchdog" in servo.table.items:
            self.write(servo, "bus_watchdog", 0)  # one that has fired refuses goals
        rest = self.write_goal_of_rest(servo, ticks)
        servo.goals.start(servo.scale.position(rest))
        self.arm_watchdog(servo)
        servo.unsure = True
        try:
            self.write(servo, "torque_enable", 1)
        except CommandError as error:
            servo.unsure = isinstance(error, NoAnswerError)
            raise
        servo.know_torque(True)
        servo.starts += 1
        return rest

    def arm_watchdog(self, servo: Servo) -> None:
        """Let a servo stop by itself without instructions, in modes in which it would run on.

        It counts with torque.
        """
        if "bus_watchdog" in servo.table.items and servo.mode not in POSITION_MODES:
            self.write(servo, "bus_watchdog", watchdog_units(self._bus.rate_hz))

    def torque_off(self, servo: Servo) -> None:
        """Switch the torque off."""
        self.write(servo, "torque_enable", 0)
        servo.know_torque(False)

    def write_goal_of_rest(self, servo: Servo, ticks: int) -> int:
        """Write the goal with which the motor does not move.

        Returns the ticks at which it will then say that it is.
        """
        table = servo.table
        if table.protocol == 1:
            if servo.mode == "velocity":
                self.write(servo, "moving_speed", 0)
            else:
                _check_inside(servo, ticks)
                self.write(servo, "goal_position", ticks)
            return ticks
        if servo.mode not in POSITION_MODES:
            self.write(servo, GOAL_ITEMS[servo.mode], 0)
            return ticks
        if servo.mode == "position":
            ticks = table.within_turn(ticks)
            _check_inside(servo, ticks)
        if servo.mode == "current_based_position":
            strongest = (
                abs(servo.scale.raw_current(servo.config.effort)) if servo.config.effort < 1e6 else 32767
            )
            self.write(servo, "goal_current", min(strongest, servo.limits.current))
        self.write(servo, "goal_position", ticks)
        return ticks

    def set_mode(self, servo: Servo, mode: str) -> None:
        """Set another mode that a limp servo has. It then resets gains and profile: they are written again."""
        written = self._write_mode(servo, mode)
        servo.mode = mode
        if servo.table.protocol == 1:
            self._read_limits(servo, written)
        self._set_ram(servo, {})

    def read(self, servo: Servo, address: int, size: int) -> bytes:
        """Read bytes of the control table."""
        answer = self._answer(servo, lambda least_s: self._client.read(servo.id, address, size, least_s))
        if answer.fault:
            raise CommandError(
                f"{_named(servo)} refuses to read {size} bytes at {address}: {fault_name(answer.fault)}"
            )
        return answer.data

    def value(self, servo: Servo, name: str) -> int:
        """Read one item by name."""
        item = servo.table.item(name)
        return item.decode(self.read(servo, item.address, item.size))

    def write(self, servo: Servo, name: str, value: int) -> None:
        """Write one item by name."""
        item = servo.table.item(name)
        self.write_bytes(servo, item.address, item.encode(value), name)

    def write_bytes(self, servo: Servo, address: int, data: bytes, name: str = "") -> None:
        """Write bytes of the control table."""
        answer = self._answer(servo, lambda least_s: self._client.write(servo.id, address, data, least_s))
        if answer.fault == Fault.ACCESS and answer.alert:
            raise CommandError(f"{_named(servo)} is shut down by a hardware error: reboot it first")
        if answer.fault:
            what = name or f"{len(data)} bytes at {address}"
            raise CommandError(f"{_named(servo)} refuses {what}: {fault_name(answer.fault)}")

    def _answer(self, servo: Servo, ask: Callable[[float], Answer | None]) -> Answer:
        """Return the first answer to a question, which ``ask`` asks with a least margin (s)."""
        for least_s in MARGINS_S:
            answer = ask(least_s)
            if answer is not None:
                if least_s:
                    self._client.settle()
                return answer
        raise NoAnswerError(f"{_named(servo)} does not answer")

    def _set_eeprom(self, servo: Servo, now: Mapping[str, int], *, keep: bool) -> dict[str, int]:
        """Write what differs from the description; returns the registers that were written."""
        table, registers = servo.table, servo.config.registers
        wanted = {name: value for name, value in registers.items() if table.item(name).eeprom}
        if self._bus.fix_return_delay:
            wanted["return_delay_time"] = round(self._bus.return_delay_us / RETURN_DELAY_UNIT_US)
        different = {name: value for name, value in wanted.items() if now.get(name) != value}
        mode = mode_now(servo, now)
        if keep:
            if different or mode != servo.config.mode:
                wrong = sorted([*different, *(["operating_mode"] if mode != servo.config.mode else [])])
                servo.note = (
                    f"was left driven as it was found; it differs from the description in {', '.join(wrong)}"
                )
            servo.mode = mode
            return {}
        check_mode(servo, servo.mode)
        if not different and mode == servo.mode:
            return {}
        if servo.torque:
            self.torque_off(servo)
        for name, value in different.items():
            self.write(servo, name, value)
        return different | (self._write_mode(servo, servo.mode) if mode != servo.mode else {})

    def _write_mode(self, servo: Servo, mode: str) -> dict[str, int]:
        """Write the mode; returns the registers that were written."""
        if servo.table.protocol == 2:
            values = {"operating_mode": MODE_NUMBERS[mode]}
        else:  # an AX turns without end while both limits of its angle are 0
            highest = 0 if mode == "velocity" else servo.table.item("ccw_angle_limit").upper
            values = {"cw_angle_limit": 0, "ccw_angle_limit": highest}
        for name, value in values.items():
            self.write(servo, name, value)
        return values

    def _set_ram(self, servo: Servo, now: Mapping[str, int]) -> None:
        for name, value in (as_made(servo) | dict(servo.config.registers)).items():
            item = servo.table.item(name)
            if not item.eeprom and now.get(name) != value:
                self.write(servo, name, value)
        if "bus_watchdog" in servo.table.items and not servo.torque:
            self.write(servo, "bus_watchdog", 0)

    def _read_limits(self, servo: Servo, now: Mapping[str, int]) -> None:
        if servo.table.protocol == 1:
            servo.limits = Limits(now["cw_angle_limit"], now["ccw_angle_limit"], 1023)
            return
        servo.limits = Limits()
        for name in LIMIT_ITEMS:
            if name in now:
                self.note_limit(servo, name, now[name])

    def note_limit(self, servo: Servo, name: str, value: int) -> None:
        """Note the value of a register, if it is one of the limits of the servo."""
        if name in LIMIT_ITEMS:
            servo.limits = replace(servo.limits, **{LIMIT_ITEMS[name]: value})


def mode_now(servo: Servo, now: Mapping[str, int]) -> str:
    """Return the mode in a servo's registers; empty if the mode has no name here."""
    if servo.table.protocol == 1:
        lowest, highest = now["cw_angle_limit"], now["ccw_angle_limit"]
        if lowest == highest:  # an MX turns several times while both are 4095
            return "" if lowest else "velocity"
        return "position"
    return MODE_NAMES.get(now["operating_mode"], "")


def error_now(now: Mapping[str, int], otherwise: int) -> int:
    """Return the bits of HardwareError in a servo's registers; ``otherwise`` where the model does not report them."""
    if "error_code" in now:
        return error_bits(now["error_code"])
    return now.get("hardware_error_status", otherwise)


def _entries(block: Block) -> bytes:
    return b"".join(address.to_bytes(2, "little") for address in block.entries)


def _spans(items: Iterable[Item]) -> list[tuple[int, int]]:
    """Return first and last address (exclusive) of each stretch of items without a wide gap."""
    spans: list[tuple[int, int]] = []
    for item in sorted(items, key=lambda each: each.address):
        if spans and item.address - spans[-1][1] <= GAP:
            spans[-1] = spans[-1][0], max(spans[-1][1], item.end)
        else:
            spans.append((item.address, item.end))
    return spans


def watchdog_units(rate_hz: float) -> int:
    """Return the value of Bus Watchdog for a cycle rate: ``WATCHDOG_CYCLES``, rounded up to its unit of 20 ms."""
    return min(max(ceil(WATCHDOG_CYCLES / rate_hz / WATCHDOG_UNIT_S), 1), WATCHDOG_MOST)


def _is_inside(servo: Servo, ticks: int) -> bool:
    """Return whether a servo in position mode is within its own limits."""
    return servo.mode != "position" or servo.limits.lowest <= ticks <= servo.limits.highest


def _check_inside(servo: Servo, ticks: int) -> None:
    """Refuse to drive a joint outside its servo's limits: every goal would be moved at once to the nearest of them."""
    if not _is_inside(servo, ticks):
        raise CommandError(
            f"joint {servo.config.joint!r} is at {ticks} counts, outside the position limits of its servo "
            f"{servo.limits.lowest}..{servo.limits.highest}: move it by hand, or change the limits"
        )


def _named(servo: Servo) -> str:
    return f"joint {servo.config.joint!r} (servo {servo.id})"
