# SPDX-License-Identifier: Apache-2.0
"""Control tables: what the manuals say, and what is wrong with a file."""

import math
import re
from collections import Counter
from itertools import pairwise

import pytest

from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.dynamixel.tables.table_reader import models, table, table_of

MODELS = models()
FAMILIES = {
    "2XC": 1,
    "2XL": 1,
    "AX": 1,
    "MX": 7,
    "PH": 3,
    "PM": 3,
    "XC": 6,
    "XD": 4,
    "XH": 8,
    "XL": 3,
    "XM": 5,
    "XW": 5,
    "YM": 12,
}
NEEDED = (  # by the driver, in every table: one of each
    ("model_number",), ("firmware_version",), ("id",), ("baud_rate",), ("return_delay_time",), ("status_return_level",),
    ("torque_enable",), ("goal_position",), ("present_position",), ("present_velocity", "present_speed"),
    ("present_current", "present_load"), ("present_input_voltage",), ("min_voltage_limit",), ("max_voltage_limit",),
    ("present_temperature", "present_inverter_temperature"), ("registered_instruction",),
    ("operating_mode", "cw_angle_limit"), ("max_position_limit", "ccw_angle_limit"),
)  # fmt: skip
GOALS = {
    0: "goal_current",
    1: "goal_velocity",
    3: "goal_position",
    4: "goal_position",
    5: "goal_current",
    16: "goal_pwm",
}
UNITS = {  # of the items that the driver reads and writes
    "present_position": "rad", "goal_position": "rad", "present_velocity": "rad/s", "present_speed": "rad/s",
    "goal_velocity": "rad/s", "moving_speed": "rad/s", "present_current": "A", "goal_current": "A",
    "present_load": "share", "goal_pwm": "share", "present_input_voltage": "V", "min_voltage_limit": "V",
    "max_voltage_limit": "V", "present_temperature": "degC", "return_delay_time": "s", "velocity_limit": "rad/s",
}  # fmt: skip
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
    "xl330_m077": (1190, 1620, 1750, 1.0, (400, 400, 0), 53),
    "xc330_t288": (1220, 320, 910, 1.0, (900, 0, 0), 52),
    "xc430_w240": (1080, 306, None, None, (700, 0, 0), 52),
    "2xl430_w250": (1090, 250, None, None, (640, 0, 2000), 52),
    "xm430_w210": (1030, 330, 1193, 2.69, (800, 0, 0), 52),
    "xm540_w270": (1120, 128, 2047, 2.69, (800, 0, 0), 52),
    "xh430_v350": (1040, 135, 689, 1.34, (800, 0, 0), 52),
    "xd430_t210": (1011, 210, 648, 2.69, (900, 0, 0), 52),
    "xh540_v150": (1150, 230, 1188, 2.69, (800, 0, 0), 52),
    "xw540_h260": (1310, 145, 1188, 2.69, (800, 0, 0), 52),
    "xm335_t323": (1710, 280, 910, 1.0, (2000, 0, 0), 52),
}


def test_models_of_every_family_are_there():
    family = Counter(re.match("2?[A-Z]+", table(name).model)[0] for name in MODELS)
    assert family == FAMILIES


def test_no_number_and_no_name_belongs_to_two_models():
    tables = [table(name) for name in MODELS]
    assert len({each.number for each in tables}) == len(tables)
    names = [name for each in tables for name in {each.name, *each.aliases}]
    assert len(set(names)) == len(names)
    for each in tables:
        assert all(table(name) is each for name in (each.name, each.model, *each.aliases))
        assert table_of(each.number) is each
        assert each.manual.startswith("https://emanual.robotis.com/docs/en/dxl/")


@pytest.mark.parametrize("name", MODELS)
def test_items_do_not_overlap_and_begin_within_their_limits(name):
    items = sorted(table(name).items.values(), key=lambda item: item.address)
    assert all(one.end <= other.address for one, other in pairwise(items))
    assert all(i.lower <= i.initial <= i.upper for i in items if i.access == "rw" and i.name != "shadow_id")
    assert len(table(name).initial()) == items[-1].end


@pytest.mark.parametrize("name", MODELS)
def test_a_table_has_what_the_driver_needs_in_its_units(name):
    found = table(name)
    assert all(found.first(*names) for names in NEEDED)
    assert {item: found.item(item).unit for item in UNITS if item in found.items} == {
        item: unit for item, unit in UNITS.items() if item in found.items
    }
    position = found.item("present_position")
    assert position.factor == pytest.approx(2 * math.pi / found.ticks_per_turn)
    assert found.item("goal_position").factor == position.factor
    assert found.item("model_number").address == 0
    if found.protocol == 2:
        assert all(GOALS[mode] in found.items for mode in found.modes)
        assert (5 in found.modes or 0 in found.modes) == found.has_current
        assert 0 < found.item("velocity_limit").initial <= found.item("goal_velocity").upper
        # A limit of speed is near what the motor reaches, so a unit is not wrong by a factor of ten.
        limit = found.item("velocity_limit")
        assert 0.3 < limit.initial * limit.factor / found.motor.no_load_speed_rad_s < 2.0


@pytest.mark.parametrize("name", MODELS)
def test_volatile_items_are_not_eeprom(name):
    found = table(name)
    eeprom = {item.name for item in found.items.values() if item.eeprom}
    assert {"id", "baud_rate", "return_delay_time", "min_voltage_limit", "max_voltage_limit"} <= eeprom
    assert "goal_position" in found.items
    assert not eeprom & {
        *GOALS.values(),
        "moving_speed",
        "present_position",
        "torque_enable",
        "bus_watchdog",
        "error_code",
    }


@pytest.mark.parametrize("name", MODELS)
def test_positions_within_a_turn(name):
    found = table(name)
    turn = round(found.ticks_per_turn)
    assert found.within_turn(found.centre) == found.centre
    moved = found.within_turn(found.centre + turn)
    assert moved == found.centre + (turn if found.keeps_turns else 0)


def test_facts_of_other_series():
    p, y, mx = table("ph54_200_s500"), table("ym070_210_r051"), table("mx_64_1")
    assert [each.item("present_position").address for each in (p, y, mx)] == [580, 552, 36]
    assert [each.item("torque_enable").address for each in (p, y, mx)] == [512, 512, 24]
    assert (p.number, y.number, mx.number) == (2020, 4020, 310)
    assert p.item("current_limit").initial == 22740
    assert p.item("indirect_address_128").eeprom
    assert p.item("indirect_data_1").address == y.item("indirect_data_1").address == 634
    assert y.item("present_current").factor == pytest.approx(0.01)
    assert y.item("present_input_voltage").factor == pytest.approx(0.01)
    assert not y.item("bus_watchdog").eeprom
    assert y.item("max_position_limit").initial == 262144
    assert mx.item("moving_speed").factor == pytest.approx(0.114 * 2 * math.pi / 60)
    assert "goal_torque" in mx.items
    assert "goal_torque" not in table("mx_28_1").items
    assert [table(name).protocol for name in ("MX-28", "MX-28T", "MX-28(1.0)")] == [2, 1, 1]


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


@pytest.mark.parametrize("name", ["XM430-W350", "xm430_w350_t", "XM430-W350-R", "XM430 W350", "Xm430w350"])
def test_spellings_of_a_name(name):
    assert table(name).name == "xm430_w350"


def test_values_are_checked_and_signed():
    item = table("xm430_w350").item("goal_velocity")
    assert item.decode(item.encode(-200)) == -200
    assert item.decode(b"\xff\xff\xff\xff") == -1
    with pytest.raises(CommandError, match="goal_velocity is 2000; it must be from -1023 to 1023"):
        item.encode(2000)


def test_what_is_not_there_is_named():
    with pytest.raises(ConfigError, match="no control table for servo model number 5 "):
        table_of(5)
    with pytest.raises(ConfigError, match="did you mean 'goal_position'"):
        table("xm430_w350").item("goal_positon")


@pytest.mark.parametrize("name", ["xm430", "xm430_w351", "XM430-W35O", "XM-430-W"])
def test_an_unknown_model_is_not_guessed(name):
    with pytest.raises(ConfigError) as caught:
        table(name)
    assert "did you mean" not in str(caught.value)
    assert f"unknown servo model {name!r} (known, of those alike: " in str(caught.value)
    assert "xm430_w210, xm430_w350" in str(caught.value)
    assert "mx_28" not in str(caught.value)


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
        ("layout: x_series", "layout: z_series", "unknown layout 'z_series'"),
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
