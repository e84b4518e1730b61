# SPDX-License-Identifier: Apache-2.0
"""The states of a bus and of its servos, from their description on, and the readings that other threads get."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from math import inf, nan
from typing import NamedTuple

from embodiment_bridge.core.errors import BridgeError, CommandError, ConfigError
from embodiment_bridge.dynamixel.bus.client import Counters
from embodiment_bridge.dynamixel.bus.joints import MODE_NAMES, Calibration, GoalFilter, JointScale
from embodiment_bridge.dynamixel.config.calibration import Stored
from embodiment_bridge.dynamixel.config.servo_config import POSITION_MODES, BusConfig, ServoConfig
from embodiment_bridge.dynamixel.tables.control_table import ControlTable
from embodiment_bridge.dynamixel.tables.table_reader import table

# The states of a servo bus.
#
# CLOSED -> OPEN -> PROBE -> CONFIGURE -> READY -> ACTIVE <-> DEGRADED -> LOST -> (OPEN ...)


class BusState(Enum):
    """Names the states of a bus, from the best to the worst."""

    ACTIVE = "active"  # the servos are driven
    READY = "ready"  # the servos are read; their torque has not been requested
    DEGRADED = "degraded"  # some servos do not answer
    CONFIGURE = "configure"  # their settings are brought in order
    PROBE = "probe"  # the servos are asked who they are
    OPEN = "open"  # the port was opened
    CLOSED = "closed"  # not started
    LOST = "lost"  # the port is gone, or no servo answers


SERVING = frozenset({BusState.READY, BusState.ACTIVE, BusState.DEGRADED})


NEVER = -inf
RUNS_ON = "its motor may keep turning after its Bus Watchdog has fired"
OLD_WHEEL, OLD_JOINT = "velocity", "position"


class JointReading(NamedTuple):
    """Holds the latest values of a joint: rad, rad/s, Nm, A, V, degrees Celsius; nan: never received.

    heard: time of the last answer, s of the monotonic clock; -inf: never. torque: also where it was not confirmed that
    it is off. wanted: its torque is on, or is about to be switched on. error: bits of HardwareError.
    """

    joint: str
    position: float
    velocity: float
    effort: float
    current: float
    heard: float
    silent: bool
    torque: bool
    mode: str
    error: int
    voltage: float
    temperature: float
    ticks: int
    model: str
    firmware: int
    reason: str
    answers: int
    timeouts: int
    damaged: int
    wanted: bool

    @property
    def limp(self) -> str:
        """The reason why the joint follows no targets; empty if it does."""
        if self.silent:
            return "silent"
        if self.torque or self.wanted:
            return ""
        return f"limp: {self.reason}" if self.reason else "limp"


@dataclass(slots=True)
class Limits:
    """Holds the limits in the EEPROM of the servo, in its units."""

    lowest: int = 0
    highest: int = 4095
    velocity: int = 1023
    current: int = 2047
    pwm: int = 885


@dataclass(eq=False)
class Servo:
    """Holds the state of one servo; only the thread of its bus changes it.

    wanted: torque should be on (activation, service, policy); torque: it is on. unsure: it may be on: torque off was
    not confirmed. ticks, speed, load: last raw values.
    """

    config: ServoConfig
    table: ControlTable
    scale: JointScale
    goals: GoalFilter
    mode: str
    limits: Limits = field(default_factory=Limits)
    counters: Counters = field(default_factory=Counters)
    found: bool = False
    silent: bool = True
    misses: int = 0
    retry_at: float = 0.0
    retry_s: float = 0.0
    wanted: bool = False
    torque: bool = False
    unsure: bool = False
    locked: bool = False  # a fault keeps the torque off until it is requested
    calibrated_on: str = ""  # name of the table of the model for which its calibration was made
    uncalibrated: bool = False  # its calibration cannot be used
    lost_turn: str = ""  # why it cannot be known in which turn it is: it gets no torque then
    held: bool = False  # a fault keeps the joint where it is
    error: int = 0
    alert: bool = False
    reported: int = 0  # as error, in the last answer of a servo of protocol 1.0: each of its answers has it
    look_again_at: float = NEVER  # s: an alert, or an error code, was looked at
    heard: float = NEVER
    ticks: int = 0
    speed: int = 0
    load: int = 0
    voltage: float = nan
    temperature: float = nan
    firmware: int = 0
    starts: int = 0  # how often the torque came on
    behind: int = 0  # checks in a row that found it far from its goal
    reboots: list[float] = field(default_factory=list)
    reason: str = ""  # what is wrong now; cleared when it works again
    note: str = ""  # what stays true: another model, a fired watchdog

    @property
    def id(self) -> int:
        """The id of the servo on the bus."""
        return self.config.id

    @property
    def known(self) -> bool:
        """Whether its position was ever read."""
        return self.heard > NEVER

    @property
    def position(self) -> float:
        """Joint angle, rad; nan if it was never read."""
        return self.scale.position(self.ticks) if self.known else nan

    @property
    def is_as_wanted(self) -> bool:
        """Whether its torque is on, or confirmed to be off, as it should be."""
        return self.torque if self.wanted and not self.locked else not (self.torque or self.unsure)

    @property
    def is_unruly(self) -> bool:
        """Whether it may be driven against our wish, and does not answer: it may hear all the same.

        In a mode in which a motor runs on, nobody wants one that is not heard to be driven.
        """
        held = self.wanted and not self.locked and self.mode in POSITION_MODES
        return self.silent and (self.unsure or (self.torque and self.known)) and not held

    def fall_silent(self, reason: str, retry_at: float) -> None:
        """Count as silent: not asked before ``retry_at`` (s), not driven until it answers; its torque may be on."""
        self.unsure = self.unsure or self.torque
        self.silent, self.torque = True, False
        self.reason, self.retry_s, self.retry_at = reason, 0.0, retry_at

    def know_torque(self, on: bool) -> None:
        """Note that the servo has reported whether its torque is on."""
        self.torque, self.unsure = on, False

    def want(self) -> None:
        """Want torque as ``on_start`` says: the driver was activated."""
        start = self.config.on_start
        self.wanted = start == "on" or (start == "keep" and (self.wanted or self.torque))
        self.locked = False

    def release(self) -> None:
        """Let go where ``on_shutdown`` is off: the driver was deactivated."""
        if self.config.on_shutdown == "off":
            self.let_go()

    def let_go(self) -> None:
        """Want no torque any more."""
        self.wanted = False
        self.unsure = self.unsure or self.silent

    def distrust(self, why: str) -> None:
        """Give up its calibration, which cannot be used: it is limp until it is asked for."""
        self.config = replace(self.config, on_start="off")
        self.wanted, self.uncalibrated, self.note = False, True, why
        self.scale.calibrate(Calibration())

    @property
    def _risk(self) -> str:
        """The danger when nothing is sent to it any more; empty if none is known."""
        turns = self.torque and self.mode not in POSITION_MODES and not self.table.watchdog_stops
        return f"{RUNS_ON}: cut its power together with that of the computer" if turns else ""

    def reading(self) -> JointReading:
        """Return the reading for other threads."""
        known, scale, counters = self.known, self.scale, self.counters
        return JointReading(
            self.config.joint,
            scale.position(self.ticks) if known else nan,
            scale.velocity(self.speed) if known else nan,
            scale.effort(self.load) if known else nan,
            scale.current(self.load) if known else nan,
            self.heard,
            self.silent,
            self.torque or self.unsure,
            self.mode,
            self.error,
            self.voltage,
            self.temperature,
            self.ticks,
            self.table.model,
            self.firmware,
            self.reason or self.lost_turn or self.note or self._risk,
            counters.answers,
            counters.timeouts,
            counters.damaged,
            self.wanted and not self.locked,
        )


def make_servo(config: ServoConfig, table: ControlTable, calibration: Calibration | None = None) -> Servo:
    """Return a servo of this model that has not been asked yet."""
    scale = JointScale(config, table, calibration)
    ratio, motor = abs(config.reduction), table.motor
    goals = GoalFilter(config, motor.no_load_speed_rad_s / ratio, motor.stall_torque_nm * ratio)
    return Servo(config, table, scale, goals, config.mode)


def modes_of(table: ControlTable) -> tuple[str, ...]:
    """Return the modes of a model."""
    if table.protocol == 1:
        return (OLD_JOINT, OLD_WHEEL)
    return tuple(MODE_NAMES[number] for number in table.modes if number in MODE_NAMES)


def check_mode(servo: Servo, mode: str) -> None:
    """Refuse a mode in which a servo is not driven.

    One whose watchdog does not stop it has only position modes; but a joint without limits, which runs into no end, may
    be a wheel, as with a servo that has no watchdog.

    Raises:
        CommandError: the model has no such mode, or would run on in it.
    """
    modes, table, config = modes_of(servo.table), servo.table, servo.config
    if not table.watchdog_stops:
        wheel = {"velocity"} if config.upper == -config.lower == inf else set()
        modes = tuple(name for name in modes if name in POSITION_MODES | wheel)
    if mode in modes:
        return
    why = "" if table.watchdog_stops else f"; {RUNS_ON}: only a joint without limits has velocity"
    raise CommandError(
        f"joint {config.joint!r}: {table.model} has no mode {mode!r} (it has: {', '.join(modes)}{why})"
    )


# The servos of a bus from its description and the user's calibration file, before they have been asked.

USUAL_MODEL = "xm430_w350"  # assumed for a servo without a model until it has answered
CALIBRATE = ": limp until it is asked for; calibrate it"
NO_CALIBRATION = f"its calibration was lost{CALIBRATE}"


def described_servos(config: BusConfig, stored: Mapping[str, Stored]) -> tuple[Servo, ...]:
    """Return the servos of ``config``; one whose calibration was lost is not driven at the start.

    Raises:
        ConfigError: a register does not exist, or its value is outside its limits; one text has all problems.
    """
    servos = tuple(_servo(servo, stored.get(servo.joint)) for servo in config.servos)
    problems = [
        f"joint {servo.config.joint!r}: {why}"
        for servo in servos
        for name, value in servo.config.registers.items()
        if (why := _register_problem(servo, name, value))
    ]
    if problems:
        raise ConfigError("\n  ".join([f"bus {config.name!r}:", *problems]))
    return servos


def _servo(config: ServoConfig, stored: Stored | None) -> Servo:
    servo = make_servo(config, _table_of(config.model), Calibration(stored.shift if stored else 0.0))
    if stored is not None:
        servo.calibrated_on = stored.model
        if stored.lost:
            servo.distrust(NO_CALIBRATION)
        elif stored.shift and stored.id != config.id:
            servo.distrust(f"its calibration was made on servo {stored.id}, not {config.id}{CALIBRATE}")
    return servo


def _register_problem(servo: Servo, register: str, value: int) -> str:
    try:
        servo.table.item(register).encode(value)
    except BridgeError as error:
        return str(error)
    return ""


def _table_of(model: str) -> ControlTable:
    return table(model or USUAL_MODEL)


def stored_of(servo: Servo, *, clean: bool = False, change: float | None = None) -> Stored:
    """Return the entry of a servo for the calibration file.

    With a ``change`` (rad) of its angle, as it is calibrated then.
    """
    turned = servo.ticks + round(servo.scale.calibration.turns * servo.scale.ticks_per_turn)
    return Stored(
        servo.id,
        servo.table.name,
        servo.scale.calibration.shift + (change or 0.0),
        turned if servo.known and (change is not None or not servo.lost_turn) else None,
        clean,
        servo.uncalibrated and change is None,
    )
