# SPDX-License-Identifier: Apache-2.0
"""Messages from the world of the mock body."""

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Vector3
from sensor_msgs.msg import BatteryState, Imu
from std_msgs.msg import Header

from embodiment_bridge.body.state_messages import turn
from embodiment_bridge.mock.hardware import CAPACITY_AH, Battery
from embodiment_bridge.mock.world import Said, World
from embodiment_bridge.msg import HeardMessage


def imu(world: World, stamp: Time, frame: str) -> Imu:
    """The values of an ideal sensor in ``frame``, which has the orientation of base_link."""
    state = world.state
    message = Imu(header=Header(stamp=stamp, frame_id=frame))
    message.orientation = turn(state)
    x, y, z = state.base_rates
    message.angular_velocity = Vector3(x=x, y=y, z=z)
    x, y, z = world.acceleration
    message.linear_acceleration = Vector3(x=x, y=y, z=z)
    return message


def heard(said: Said, stamp: Time, frame: str) -> HeardMessage:
    """One utterance; ``frame`` is base_link."""
    header = Header(stamp=stamp, frame_id=frame)
    return HeardMessage(
        header=header, sender=said.sender, text=said.text, has_direction=True, azimuth=said.azimuth
    )


def battery_state(battery: Battery, stamp: Time) -> BatteryState:
    """The state of the battery."""
    message = BatteryState(header=Header(stamp=stamp), present=True)
    message.voltage = battery.voltage
    message.current = -battery.current
    message.percentage = battery.charge
    message.charge = battery.charge * CAPACITY_AH
    message.capacity = message.design_capacity = CAPACITY_AH
    message.power_supply_status = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
    message.power_supply_health = BatteryState.POWER_SUPPLY_HEALTH_GOOD
    message.power_supply_technology = BatteryState.POWER_SUPPLY_TECHNOLOGY_LION
    return message
