# SPDX-License-Identifier: Apache-2.0
"""Numbers and register names of the X series for virtual servos."""

from typing import Final

from embodiment_bridge.dynamixel.tables.control_items import ControlTable

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
    """The model's name of an item of ``PRESENT``; empty if it has none."""
    found = table.first(name, OTHER_NAMES.get(name, name))
    return found.name if found else ""
