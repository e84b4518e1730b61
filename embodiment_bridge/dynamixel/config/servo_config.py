# SPDX-License-Identifier: Apache-2.0
"""What is known of a robot's servos before anybody asked them: buses, ids, modes, transmissions, limits, policies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from embodiment_bridge.urdf import Mimic

MODES = ("position", "extended_position", "velocity", "current", "current_based_position", "pwm")
POSITION_MODES = frozenset({"position", "extended_position", "current_based_position"})
ON_START = ("on", "keep", "off")
ON_SHUTDOWN = ("off", "hold", "keep")
ON_LOST = ("hold", "off")
ON_FAULT = ("report", "hold", "torque_off", "reboot")
PORT_HANDLERS = ("own", "sdk")
FAULTS = ("voltage", "overheating", "encoder", "shock", "overload")


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """What is done when a servo tells a hardware error, one of ``ON_FAULT`` for each.

    A voltage error only says that the supply sags, so that it is reported; the others make the servo limp.
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
    """One servo and the joint that it moves.

    model: as the control tables name it (``xm430_w350``), empty when the description does not say; verified, never
    trusted. mode: one of ``MODES``. registers: to be written at each start, in units of the servo.
    reduction, offset: angle of the servo's horn = reduction * (joint angle - offset), rad; a negative reduction turns
    the other way round. lower, upper: rad; velocity: rad/s; effort: Nm; all of the joint.
    torque_constant: Nm/A of the servo's horn; 0: as the servo's model has it.
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
    """One wire: its port (a path, or ``socket://host:port``), bits per second, cycles per second, and its servos.

    return_delay_us: what the servos shall have as Return Delay Time. fix_return_delay: write it into the servos that
    have another one. command_timeout_s: after so long without a new command the joints hold. fast_read: whether the
    combined answer to a fast sync read is asked for where all servos can give it. port_handler: who opens the port and
    sets it up, we or dynamixel-sdk.
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
    """All buses of a robot, the joints that follow others, and what is doubtful about the description."""

    robot: str
    buses: tuple[BusConfig, ...]
    mimics: Mapping[str, Mimic] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def servos(self) -> tuple[ServoConfig, ...]:
        """The servos of all buses."""
        return tuple(servo for bus in self.buses for servo in bus.servos)
