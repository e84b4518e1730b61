# SPDX-License-Identifier: Apache-2.0
"""Settings that other programs leave in servos, and with which positions, goals or torque mean something else."""

from collections.abc import Mapping
from typing import Final

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.dynamixel.bus.servo import Servo

MEANINGS: Final = {  # of EEPROM
    "drive_mode": "its axis may turn the other way, its profiles be of time, or its torque come on with a goal",
    "homing_offset": "its positions are shifted",
    "multi_turn_offset": "its positions are shifted",
    "resolution_divider": "its counts are of another size",
    "electronic_gearratio_numerator": "its counts are of another size",
    "electronic_gearratio_denominator": "its counts are of another size",
    "shadow_id": "it obeys what is sent to another servo",
}
# Of RAM: they slow the goals that are sent in each cycle, or switch position control off.
SLOW: Final = ("profile_velocity", "profile_acceleration", "goal_acceleration", "torque_control_mode_enable")


def check_meanings(servo: Servo, now: Mapping[str, int]) -> None:
    """Refuse a servo whose EEPROM has another meaning than as it was made, unless its description says so.

    now: values of its registers.

    Raises:
        CommandError: names the register, its value and the two ways out.
    """
    for name, meaning in MEANINGS.items():
        item = servo.table.items.get(name)
        if item is None or name in servo.config.registers or now[name] == item.initial:
            continue
        raise CommandError(
            f"joint {servo.config.joint!r} (servo {servo.id}): {name} is {now[name]} and not {item.initial} as it was "
            f"made: {meaning}. It is not driven until the joint has registers.{name}: {item.initial} (it is set back) "
            f"or {now[name]} (it stays so)"
        )


def as_made(servo: Servo) -> dict[str, int]:
    """Return the registers of RAM that are set as they were made, where the description has nothing else."""
    names = (*SLOW, "moving_speed") if servo.mode == "position" else SLOW  # a wheel's speed is its goal
    return {name: servo.table.items[name].initial for name in names if name in servo.table.items}
