# SPDX-License-Identifier: Apache-2.0
"""Servo readings as ROS messages. A joint without a recent reading is left out, so that old values never look new."""

from collections.abc import Iterable, Mapping
from math import inf, isfinite, nan
from statistics import median

from builtin_interfaces.msg import Time
from sensor_msgs.msg import BatteryState, JointState
from std_msgs.msg import Header

from embodiment_bridge.body.description import BatteryCurve
from embodiment_bridge.dynamixel.bus.servo import JointReading
from embodiment_bridge.msg import ServoStates
from embodiment_bridge.urdf import Mimic

STALE_S = 0.25  # s without an answer after which a joint is left out of joint_states


def joint_states(
    readings: Iterable[JointReading], mimics: Mapping[str, Mimic], now: float, stamp: Time
) -> JointState | None:
    """Return the joints with a recent reading, and the joints that mimic them; None when there are none.

    now: s of the monotonic clock, as in ``JointReading.heard``.
    """
    fresh = {reading.joint: reading for reading in readings if now - reading.heard <= STALE_S}
    if not fresh:
        return None
    message = JointState(header=Header(stamp=stamp), name=list(fresh))
    message.position = [reading.position for reading in fresh.values()]
    message.velocity = [reading.velocity for reading in fresh.values()]
    message.effort = [reading.effort for reading in fresh.values()]
    for name, mimic in mimics.items():
        leader = fresh.get(mimic.joint)
        if leader is not None and name not in fresh:
            message.name.append(name)
            message.position.append(mimic.multiplier * leader.position + mimic.offset)
            message.velocity.append(mimic.multiplier * leader.velocity)
            message.effort.append(0.0)
    return message


def servo_states(readings: Iterable[JointReading], now: float, stamp: Time) -> ServoStates:
    """Return the state of all servos, including silent ones."""
    all_of = tuple(readings)
    message = ServoStates(header=Header(stamp=stamp), names=[reading.joint for reading in all_of])
    message.modes = [reading.mode for reading in all_of]
    message.age = [now - reading.heard if reading.heard > -inf else inf for reading in all_of]
    message.torque = [reading.torque for reading in all_of]
    message.hardware_error = [reading.error & 0xFF for reading in all_of]
    message.voltage = [reading.voltage for reading in all_of]
    message.temperature = [reading.temperature for reading in all_of]
    message.current = [reading.current for reading in all_of]
    message.timeouts = [reading.timeouts for reading in all_of]
    message.damaged = [reading.damaged for reading in all_of]
    return message


def battery_state(
    readings: Iterable[JointReading], curve: BatteryCurve, now: float, stamp: Time
) -> BatteryState | None:
    """Return the battery by the voltage in the middle of those that servos have told lately; None when none has.

    A servo far along the cable measures less than the battery has, and a single one may be wrong.
    """
    volts = [one.voltage for one in readings if now - one.heard <= STALE_S and isfinite(one.voltage)]
    if not volts:
        return None
    message = BatteryState(header=Header(stamp=stamp), present=True, voltage=median(volts))
    message.percentage = curve.charge(message.voltage)
    message.current = message.charge = message.capacity = message.design_capacity = message.temperature = nan
    return message
