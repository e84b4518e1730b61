# SPDX-License-Identifier: Apache-2.0
"""The configuration of a robot's servos.

Buses, ids, modes, transmissions, limits, policies; and the body that such servos make without a body file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite

from embodiment_bridge.body import body_file as plain
from embodiment_bridge.body.description import BodyDescription, Joint
from embodiment_bridge.urdf import Mimic

MODE_NUMBERS = {  # of the register operating_mode
    "position": 3,
    "extended_position": 4,
    "velocity": 1,
    "current": 0,
    "current_based_position": 5,
    "pwm": 16,
}
MODES = tuple(MODE_NUMBERS)
LEAST_REDUCTION, MOST_REDUCTION = 0.001, 1000.0
POSITION_MODES = frozenset({"position", "extended_position", "current_based_position"})
ON_START = ("on", "keep", "off")
ON_SHUTDOWN = ("off", "hold", "keep")
ON_LOST = ("hold", "off")
ON_FAULT = ("report", "hold", "torque_off", "reboot")
PORT_HANDLERS = ("own", "sdk")
FAULTS = ("voltage", "overheating", "encoder", "shock", "overload")


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """Names the reaction to hardware errors of servos, one of ``ON_FAULT`` for each.

    A voltage error only means that the supply sags, and is reported; the others switch the torque off.
    """

    voltage: str = "report"
    overheating: str = "torque_off"
    encoder: str = "torque_off"
    shock: str = "torque_off"
    overload: str = "torque_off"
    reboots_per_minute: int = 3
    torque_after_reboot: bool = False


@dataclass(frozen=True, slots=True)
class ServoConfig:
    """Describes one servo and the joint that it moves.

    model: name of the control table (``xm430_w350``), empty if the description has none; it is always verified.
    mode: one of ``MODES``. registers: written at each start, in units of the servo.
    reduction, offset: angle of the servo's horn = reduction * (joint angle - offset), rad; a negative reduction inverts
    the direction. lower, upper: rad; velocity: rad/s; effort: Nm; all of the joint.
    torque_constant: Nm/A at the servo's horn; 0: that of the servo's model.
    """

    joint: str
    id: int
    model: str = ""
    mode: str = "position"
    registers: Mapping[str, int] = field(default_factory=dict)
    reduction: float = 1.0
    offset: float = 0.0
    lower: float = -inf
    upper: float = inf
    velocity: float = inf
    effort: float = inf
    torque_constant: float = 0.0
    on_start: str = "on"
    on_shutdown: str = "off"
    on_lost: str = "hold"
    soft_start_s: float = 1.0
    faults: FaultPolicy = FaultPolicy()


@dataclass(frozen=True, slots=True)
class BusConfig:
    """Describes one wire: its port (a path, or ``socket://host:port``), bit/s, cycles per second, and its servos.

    return_delay_us: Return Delay Time of the servos. fix_return_delay: write it to servos that
    have another one. command_timeout_s: s without a new command after which the joints hold. fast_read: whether the
    fast sync read, with one combined answer, is used where all servos support it. port_handler: ``own`` or ``sdk``
    (dynamixel-sdk) opens the port and sets it up.
    """

    name: str
    port_name: str
    servos: tuple[ServoConfig, ...] = ()
    baud_rate: int = 1_000_000
    rate_hz: float = 100.0
    return_delay_us: float = 0.0
    fix_return_delay: bool = False
    command_timeout_s: float = 0.5
    fast_read: bool = True
    port_handler: str = "own"


@dataclass(frozen=True, slots=True)
class ServoSetup:
    """Holds all buses of a robot, the joints that mimic others, and warnings about the description."""

    robot: str
    buses: tuple[BusConfig, ...]
    mimics: Mapping[str, Mimic] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def servos(self) -> tuple[ServoConfig, ...]:
        """The servos of all buses."""
        return tuple(servo for bus in self.buses for servo in bus.servos)

    def within(self, ranges: Mapping[str, tuple[float, float]]) -> "ServoSetup":
        """Return the same, with joints that are moved by position kept to narrower ranges: rad, by joint."""

        def kept(servo: ServoConfig) -> ServoConfig:
            if servo.mode not in POSITION_MODES or servo.joint not in ranges:
                return servo
            lower, upper = ranges[servo.joint]
            return replace(servo, lower=max(servo.lower, lower), upper=min(servo.upper, upper))

        buses = (replace(bus, servos=tuple(map(kept, bus.servos))) for bus in self.buses)
        return replace(self, buses=tuple(buses))


# A body made from the servos alone, for a robot without a body file: its joints and one skill, reset.

USUAL_SPEED, USUAL_EFFORT, WIDEST = 3.0, 1.0, 3.14  # rad/s, Nm, rad where the description has no limit


def plain_body(setup: ServoSetup) -> BodyDescription:
    """Return a body with the joints of the description and their limits, on the channels that their names suggest."""
    joints = [
        Joint(
            servo.joint,
            plain.channel_of(servo.joint),
            max(servo.lower, -WIDEST) if isfinite(servo.lower) else -WIDEST,
            min(servo.upper, WIDEST) if isfinite(servo.upper) else WIDEST,
            servo.velocity if isfinite(servo.velocity) else USUAL_SPEED,
            servo.effort if isfinite(servo.effort) else USUAL_EFFORT,
            0.0,
            0.0,
            rest=min(max(0.0, servo.lower), servo.upper),
            mirror=servo.joint,
        )
        for servo in setup.servos
    ]
    return plain.plain_body(setup.robot, joints)
