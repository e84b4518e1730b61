# SPDX-License-Identifier: Apache-2.0
"""How full a battery is by the voltage that servos measure, with the curve of the body file."""

import re
from math import isnan, nan
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.body.description import BatteryCurve
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.bus.servo import JointReading
from embodiment_bridge.dynamixel.messages import battery_state

BODY = Path(__file__).parents[2] / "config/bodies/desk_humanoid.yaml"
CURVE = BatteryCurve(((9.6, 0.0), (11.1, 0.3), (12.6, 1.0)))
FORM = "a list of 2 to 100 points"


@pytest.mark.parametrize(
    ("volts", "share"), [(5.0, 0.0), (9.6, 0.0), (10.35, 0.15), (11.1, 0.3), (12.6, 1.0), (99.0, 1.0)]
)
def test_between_its_points_a_curve_is_straight(volts: float, share: float) -> None:
    assert CURVE.charge(volts) == pytest.approx(share)


def reading(volts: float, heard: float = 10.0) -> JointReading:
    nothing = JointReading(*[0] * len(JointReading._fields))
    return nothing._replace(voltage=volts, heard=heard)


def test_the_voltage_in_the_middle_of_those_told_lately_counts() -> None:
    readings = [reading(11.1), reading(11.2), reading(3.0), reading(nan), reading(12.6, heard=1.0)]
    message = battery_state(readings, CURVE, 10.1, Time(sec=5))
    assert message.voltage == pytest.approx(11.1)
    assert message.percentage == pytest.approx(0.3)
    assert (message.present, isnan(message.current), message.header.stamp.sec) == (True, True, 5)


def test_without_a_voltage_there_is_no_message() -> None:
    assert battery_state([reading(nan), reading(12.0, heard=1.0)], CURVE, 10.0, Time()) is None


def test_the_desk_humanoid_has_a_curve_that_its_supply_is_on() -> None:
    curve = read_body(BODY).battery
    assert 0.5 < curve.charge(12.0) < 1.0


@pytest.mark.parametrize(
    "curve",
    [
        "[]",
        "[[9, 0]]",
        "[[9, 0], [8, 1]]",
        "[[9, 1], [10, 0]]",
        "[[9, 0], [10, 2]]",
        "[[9, 0], [10]]",
        "3",
        "[[9, 0], [a, 1]]",
    ],
)
def test_a_curve_of_another_form_is_refused(curve: str) -> None:
    text = re.sub(r"battery: .*", f"battery: {{curve: {curve}}}", BODY.read_text(), count=1)
    with pytest.raises(ConfigError, match=FORM):
        parse_body(text, "test")
