# SPDX-License-Identifier: Apache-2.0
"""Control tables: what the manuals say, and what is wrong with a file."""

import math
from itertools import pairwise

import pytest

from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.dynamixel.tables.control_table import models, table, table_of

MODELS = ("ax_12a", "mx_106_2", "mx_28_2", "mx_64_2", "xh540_w270", "xl330_m288", "xl430_w250", "xm430_w350")
X_ADDRESSES = {
    "id": 7, "operating_mode": 11, "homing_offset": 20, "velocity_limit": 44, "shutdown": 63, "torque_enable": 64,
    "hardware_error_status": 70, "position_p_gain": 84, "bus_watchdog": 98, "goal_pwm": 100, "goal_velocity": 104,
    "goal_position": 116, "realtime_tick": 120, "present_velocity": 128, "present_position": 132,
    "present_input_voltage": 144, "present_temperature": 146, "indirect_address_1": 168,
}  # fmt: skip
FACTS = {  # number, velocity limit, current limit, current unit in mA, position gains, shutdown
    "xl330_m288": (1200, 445, 1750, 1.0, (400, 0, 0), 53),
    "xl430_w250": (1060, 265, None, None, (640, 0, 4000), 52),
    "xm430_w350": (1020, 200, 1193, 2.69, (800, 0, 0), 52),
    "xh540_w270": (1100, 167, 2047, 2.69, (800, 0, 0), 52),
    "mx_28_2": (30, 230, None, None, (850, 0, 0), 52),
    "mx_64_2": (311, 435, 1941, 3.36, (850, 0, 0), 52),
    "mx_106_2": (321, 360, 2047, 3.36, (850, 0, 0), 52),
}


def test_all_models_are_there():
    assert models() == MODELS


@pytest.mark.parametrize("name", MODELS)
def test_items_do_not_overlap_and_begin_within_their_limits(name):
    items = sorted(table(name).items.values(), key=lambda item: item.address)
    assert all(one.end <= other.address for one, other in pairwise(items))
    assert all(i.lower <= i.initial <= i.upper for i in items if i.access == "rw" and i.name != "shadow_id")
    assert len(table(name).initial()) == items[-1].end


@pytest.mark.parametrize("name", FACTS)
def test_facts_of_a_model(name):
    number, velocity, current, milliamperes, gains, shutdown = FACTS[name]
    found = table(name)
    initial = {item: found.item(item).initial for item in found.items}
    assert table_of(number) is found
    assert {item: found.item(item).address for item in X_ADDRESSES} == X_ADDRESSES
    assert (initial["velocity_limit"], initial["shutdown"]) == (velocity, shutdown)
    assert tuple(initial[f"position_{letter}_gain"] for letter in "pid") == gains
    assert found.has_current is (current is not None)
    if current is not None:
        assert initial["current_limit"] == current
        assert found.item("present_current").factor == pytest.approx(milliamperes / 1000)
    else:
        assert found.item("present_load").address == 126


def test_units_are_si():
    x = table("xm430_w350")
    assert x.item("present_position").factor == pytest.approx(2 * math.pi / 4096)
    assert x.item("present_velocity").factor == pytest.approx(0.229 * 2 * math.pi / 60)
    assert x.item("profile_acceleration").factor == pytest.approx(214.577 * 2 * math.pi / 3600)
    assert x.item("return_delay_time").factor == pytest.approx(2e-6)
    assert x.item("present_pwm").unit == "share"
    assert table("ax_12a").item("goal_position").factor == pytest.approx(math.radians(300 / 1024))


def test_firmware_decides_where_indirect_data_are():
    assert table("xl330_m288", 51).item("indirect_data_1").address == 224
    assert table("xl330_m288", 52).item("indirect_data_1").address == 208
    assert "indirect_data_21" not in table("xl330_m288").items
    assert table("xm430_w350").item("indirect_data_29").address == 634


@pytest.mark.parametrize("name", ["XM430-W350", "xm430_w350_t", "XM430-W350-R", "XM430 W350"])
def test_spellings_of_a_name(name):
    assert table(name).name == "xm430_w350"


def test_values_are_checked_and_signed():
    item = table("xm430_w350").item("goal_velocity")
    assert item.decode(item.encode(-200)) == -200
    assert item.decode(b"\xff\xff\xff\xff") == -1
    with pytest.raises(CommandError, match="goal_velocity is 2000; it must be from -1023 to 1023"):
        item.encode(2000)


def test_what_is_not_there_is_named():
    with pytest.raises(ConfigError, match="unknown servo model 'xm430'; did you mean 'xm430_w350'"):
        table("xm430")
    with pytest.raises(ConfigError, match="no control table for servo model number 5 "):
        table_of(5)
    with pytest.raises(ConfigError, match="did you mean 'goal_position'"):
        table("xm430_w350").item("goal_positon")


def test_page_of_the_manual():
    assert table("xm430_w350").page("goal_position").endswith("/dxl/x/xm430-w350/#goal-position")
    assert table("xm430_w350").at(118).name == "goal_position"
    assert table("xm430_w350").at(14) is None


GOOD = """\
model: MY-1
number: 7
protocol: 2
layout: x_series
manual: https://example.org/my-1/
firmware: 3
fast_read_firmware: 0
modes: [3]
ticks_per_turn: 4096
centre: 2048
motor: {stall_torque_nm: 1, stall_current_a: 1, rated_voltage_v: 12, no_load_speed_rpm: 60, gear_ratio: 100}
change:
  velocity_limit: {initial: 99}
"""


def test_another_model_is_another_file(tmp_path):
    path = tmp_path / "my_1.yaml"
    path.write_text(GOOD)
    found = table(str(path))
    assert (found.name, found.number, found.item("velocity_limit").initial) == ("my_1", 7, 99)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("number: 7", "numbr: 7", "number: missing"),
        ("number: 7", "number: 70000", "number: 70000 is not within 0..65535"),
        ("number: 7", "number: 7.5", "whole number"),
        ("layout: x_series", "layout: y_series", "unknown layout 'y_series'"),
        ("protocol: 2", "protocol: 3", "protocol: 3 is not"),
        ("modes: [3]", "modes: []", "modes"),
        ("{initial: 99}", "{inital: 99}", "unknown key 'inital'"),
        ("{initial: 99}", "{size: 3}", "size: 3 is not 1, 2 or 4"),
        ("{initial: 99}", "{size: 4, address: 45}", "overlap"),
        ("{initial: 99}", "{unit: 5 rpm}", "unit"),
        ("{initial: 99}", "{access: w}", "unknown value 'w'"),
        ("{initial: 99}", "{lower: 5, upper: 4}", "upper"),
        ("velocity_limit:", "Velocity-Limit:", "name of an item"),
        ("change:", "leave_out: [nothing]\nchange:", "unknown item of the layout 'nothing'"),
        ("rated_voltage_v: 12, ", "", "rated_voltage_v: missing"),
        ("model: MY-1", "model: [", "cannot be read as YAML"),
        ("centre: 2048", "centre: 2048\nextra: 1", "unknown key 'extra'"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path, old, new, words):
    path = tmp_path / "my_1.yaml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(ConfigError, match=words):
        table(str(path))


def test_a_file_that_is_not_there_is_named():
    with pytest.raises(ConfigError, match=r"/nowhere/x.yaml: cannot be read"):
        table("/nowhere/x.yaml")
