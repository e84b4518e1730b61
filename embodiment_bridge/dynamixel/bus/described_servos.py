# SPDX-License-Identifier: Apache-2.0
"""The servos of a bus from its description and the user's calibration file, before they have been asked."""

from collections.abc import Mapping

from embodiment_bridge.core.errors import BridgeError, ConfigError
from embodiment_bridge.dynamixel.bus.joints import Calibration
from embodiment_bridge.dynamixel.bus.servo import Servo, make_servo
from embodiment_bridge.dynamixel.config.calibration import Stored
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoConfig
from embodiment_bridge.dynamixel.tables.control_table import ControlTable, table

USUAL_MODEL = "xm430_w350"  # assumed for a servo without a model until it has answered
CALIBRATE = ": limp until it is asked for; calibrate it"
NO_CALIBRATION = f"its calibration was lost{CALIBRATE}"


def described_servos(config: BusConfig, stored: Mapping[str, Stored]) -> tuple[Servo, ...]:
    """The servos of ``config``; one whose calibration was lost is not driven at the start.

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
    """The entry of a servo for the calibration file; with a ``change`` (rad) of its angle, as it is calibrated then."""
    turned = servo.ticks + round(servo.scale.calibration.turns * servo.scale.ticks_per_turn)
    return Stored(
        servo.id,
        servo.table.name,
        servo.scale.calibration.shift + (change or 0.0),
        turned if servo.known and (change is not None or not servo.lost_turn) else None,
        clean,
        servo.uncalibrated and change is None,
    )
