# SPDX-License-Identifier: Apache-2.0
"""Motors that run on by themselves (velocity, current, pwm): they end within their range.

Where the horn is and how fast it turns is read from the motor of the virtual servo, not from what the driver says.
"""

from math import nan

import pytest
import virtual_stage
from driver_stage import servo

from embodiment_bridge.dynamixel.bus.goal_writer import Target, goal_of
from embodiment_bridge.dynamixel.bus.servo import make_servo
from embodiment_bridge.dynamixel.tables.control_table import table

MODES = {"velocity": 1, "current": 0, "pwm": 16}
END = 1.5  # rad
PAST = 0.05  # rad by which an end may be passed


@pytest.mark.parametrize("direction", [1.0, -1.0])
@pytest.mark.parametrize("cycle_s", [0.01, 0.04])
@pytest.mark.parametrize("mode", MODES)
def test_a_motor_that_is_driven_against_the_end_of_its_range_stops_there(mode, cycle_s, direction) -> None:
    stage = virtual_stage.Stage()
    stage.write(1, "operating_mode", MODES[mode])
    stage.write(1, {"pwm": "goal_pwm", "current": "goal_current"}.get(mode, "goal_velocity"), 0)
    stage.write(1, "torque_enable", 1)
    one = make_servo(servo(1, mode=mode, effort=4.0, soft_start_s=0.5), table("xm430_w350"))
    one.heard = 0.0
    drive = stage.bus.servo(1).drive
    drive.position = -direction * END
    one.goals.start(one.position)
    fastest = farthest = 0.0
    for _ in range(round(5.0 / cycle_s)):
        one.ticks, one.speed = stage.read(1, "present_position"), stage.read(1, "present_velocity")
        target = Target(nan, direction * 9.0, direction * 9.0)
        stage.write(1, *goal_of(one, target, cycle_s, fresh=True))
        stage.clock.advance(cycle_s)
        stage.read(1, "present_position")
        fastest = max(fastest, abs(drive.velocity))
        farthest = max(farthest, direction * drive.position)
    assert END - 0.3 < farthest < END + PAST
    assert 1.0 < fastest < 4.0 * 1.2
    assert abs(drive.velocity) < 0.05
