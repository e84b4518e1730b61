# SPDX-License-Identifier: Apache-2.0
"""Numbers of the X series: modes, register names, and the gains of the control loops from their registers."""

from typing import Final

from embodiment_bridge.dynamixel.tables.control_table import ControlTable
from embodiment_bridge.dynamixel.virtual.drive import STEP, Control
from embodiment_bridge.dynamixel.virtual.memory import Memory

# The gains of the control loops of a virtual servo, from its registers.
#
# The manual gives their scale for the X series and MX. For the other series it does not: there a gain counts as a share
# of its factory value, at which the loop is stiff and does not overshoot.

X_GAIN: Final = 16383  # upper limit of a gain of the X series
STIFFNESS: Final = 10.0  # share of the full voltage per rad
DAMPING: Final = 0.15  # share per rad/s
SPEED_GAIN: Final = 4.0  # share per share of the full speed
SPEED_LAG_S: Final = 0.1  # s; in this time the integral part grows as large as the proportional one


def has_x_gains(table: ControlTable) -> bool:
    """Return whether the scale of the gains is known."""
    return table.items["position_p_gain"].upper == X_GAIN


def set_position_gains(control: Control, memory: Memory) -> None:
    """Set ``p``, ``i`` and ``d``."""
    get, items = memory.get, memory.table.items
    if not has_x_gains(memory.table):
        control.p, control.d = STIFFNESS * _of_factory(memory, "position_p_gain"), DAMPING
        return
    per_rad = 1 / (items["goal_pwm"].upper * items["present_position"].factor)
    control.p = get("position_p_gain") / 128 * per_rad
    control.i = get("position_i_gain") / 65536 * per_rad / STEP
    control.d = get("position_d_gain") / 16 * per_rad * STEP


def set_speed_gains(control: Control, memory: Memory) -> None:
    """Set ``speed_p`` and ``speed_i``."""
    get, table = memory.get, memory.table
    if not has_x_gains(table):
        per_speed = SPEED_GAIN / table.motor.no_load_speed_rad_s
        control.speed_p = per_speed * _of_factory(memory, "velocity_p_gain")
        control.speed_i = per_speed * _of_factory(memory, "velocity_i_gain") / SPEED_LAG_S
        return
    per_speed = 1 / (table.items["goal_pwm"].upper * table.items["present_velocity"].factor)
    control.speed_p = get("velocity_p_gain") / 128 * per_speed
    control.speed_i = get("velocity_i_gain") / 65536 * per_speed / STEP


def _of_factory(memory: Memory, name: str) -> float:
    return memory.get(name) / memory.table.items[name].initial


CURRENT, VELOCITY, JOINT, MULTI_TURN, CURRENT_JOINT, PWM = 0, 1, 3, 4, 5, 16
BAUDS: Final = (
    9600, 57600, 115200, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 4_500_000, 6_000_000, 10_500_000,
)  # fmt: skip
FIRED: Final = -1  # value of bus_watchdog after it has fired
REVERSE, TIME_PROFILE, TORQUE_BY_GOAL = 0x01, 0x04, 0x08  # bits of drive_mode
TORQUE_AT_BOOT, RESTORE_AT_BOOT = 0x01, 0x02  # bits of startup_configuration
HOMING_LIMIT: Final = 1024  # pulses; in joint mode a larger offset is ignored
NEAR: Final = 10  # pulses from the goal within which it counts as reached
GOALS: Final = ("goal_pwm", "goal_current", "goal_velocity", "goal_position")
SETTINGS: Final = (
    "drive_mode", "homing_offset", "temperature_limit", "min_voltage_limit", "max_voltage_limit", "moving_threshold",
    "min_position_limit", "max_position_limit", "inverter_temperature_limit",
)  # fmt: skip
OTHER_NAMES: Final = {  # of items of PRESENT, where a model does not have the usual one
    "hardware_error_status": "error_code",
    "present_current": "present_load",
    "present_temperature": "present_inverter_temperature",
}
PRESENT: Final = (
    "registered_instruction", "hardware_error_status", "realtime_tick", "moving", "moving_status", "present_pwm",
    "present_current", "present_velocity", "present_position", "velocity_trajectory", "position_trajectory",
    "present_input_voltage", "present_temperature",
)  # fmt: skip
MODE_DEFAULTS: Final = (
    "velocity_i_gain", "velocity_p_gain", "position_d_gain", "position_i_gain", "position_p_gain",
    "feedforward_2nd_gain", "feedforward_1st_gain", "profile_acceleration", "profile_velocity",
)  # fmt: skip


def shown_name(table: ControlTable, name: str) -> str:
    """Return the model's name of an item of ``PRESENT``; empty if it has none."""
    found = table.first(name, OTHER_NAMES.get(name, name))
    return found.name if found else ""
