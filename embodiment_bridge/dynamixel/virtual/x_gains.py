# SPDX-License-Identifier: Apache-2.0
"""The gains of the control loops of a virtual servo, from its registers.

The manual gives their scale for the X series and MX. For the other series it does not: there a gain counts as a share
of its factory value, at which the loop is stiff and does not overshoot.
"""

from typing import Final

from embodiment_bridge.dynamixel.tables.control_items import ControlTable
from embodiment_bridge.dynamixel.virtual.drive import STEP, Control
from embodiment_bridge.dynamixel.virtual.memory import Memory

X_GAIN: Final = 16383  # upper limit of a gain of the X series
STIFFNESS: Final = 10.0  # share of the full voltage per rad
DAMPING: Final = 0.15  # share per rad/s
SPEED_GAIN: Final = 4.0  # share per share of the full speed
SPEED_LAG_S: Final = 0.1  # s; in this time the integral part grows as large as the proportional one


def has_x_gains(table: ControlTable) -> bool:
    """Whether the scale of the gains is known."""
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
