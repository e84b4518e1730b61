# SPDX-License-Identifier: Apache-2.0
"""Servos of every series, others than described, and one that warns: each is driven or refused; the others go on."""

from math import isnan

import pytest
from driver_stage import MARGIN_S, servo

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.reading import plan_reads
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.config.servo_config import BusConfig
from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.dynamixel.wire.instructions import HardwareError

FAMILIES = [
    ("ph54_200_s500", "pm42_010_s260"),
    ("ym070_210_r051", "ym080_230_a099"),
    ("ph42_020_s300", "ym080_230_r051"),
    ("mx_28_1", "mx_106_1", "ax_12a"),
    ("xl330_m077", "xc330_m288"),
    ("xw540_t260", "xd430_t350", "2xc430_w250", "mx_64_2"),
]


@pytest.mark.parametrize("models", FAMILIES, ids="-".join)
def test_the_driver_drives_servos_of_a_series(stages, models):
    stage = stages([servo(i, model=model) for i, model in enumerate(models, 1)])
    stage.start()
    ids = range(1, len(models) + 1)
    stage.until(lambda: all(stage.reading(i).torque for i in ids))
    assert all(abs(stage.reading(i).position) < 0.02 for i in ids)
    goals = {f"j{i}": Target(-0.4, 0.0, 0.0) for i in ids}
    stage.drive_until(lambda: all(abs(stage.reading(i).position + 0.4) < 0.03 for i in ids), **goals)
    stage.until(lambda: all(not isnan(stage.reading(i).temperature) for i in ids))
    stage.until(lambda: all(abs(stage.reading(i).voltage - stage.virtual.supply.voltage) < 0.3 for i in ids))
    assert [stage.reading(i).model for i in ids] == [table(model).model for model in models]


def test_the_error_code_of_a_y_servo_is_seen_as_its_kind(stages):
    stage = stages([servo(1, model="ym070_210_r051")])
    stage.start()
    stage.virtual.servo(1).raise_error(HardwareError.OVERHEATING)
    stage.until(lambda: stage.reading(1).error == HardwareError.OVERHEATING)
    stage.until(lambda: not stage.reading(1).torque and "overheating" in stage.reading(1).reason)


def test_eeprom_is_not_used_for_indirect_addresses():
    plan = plan_reads({1: table("ph54_200_s500"), 2: table("ym070_210_r051")})
    assert plan.kind == "bulk"
    assert not any(block.entries for block in plan.blocks.values())


XL430 = 1060  # its model number
NO_CODE = 0x40  # a bit for which a Y servo has no error code: alert, and an error code of 0
Y = "ym070_210_r051"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"registers": {"current_limit": 100}}, "unknown register of XL430-W250 'current_limit'"),
        ({"registers": {"goal_current": 100}}, "unknown register of XL430-W250 'goal_current'"),
        ({"mode": "current", "on_shutdown": "hold"}, "has no mode 'current'"),
    ],
)
def test_a_servo_that_lacks_what_is_described_is_refused_and_the_others_go_on(stages, fields, why) -> None:
    stage = stages([servo(1), servo(2, model="xl430_w250")])
    described = (servo(1), servo(2, model="", **fields))
    stage.bus = ServoBus(BusConfig("test", stage.link, described), margin_s=MARGIN_S)
    stage.start(active=False)
    stage.bus.activate(True)
    stage.until(lambda: stage.reading(1).torque)
    stage.until(lambda: why in stage.reading(2).reason)
    stage.drive(0.5, j1=0.2)
    assert stage.bus.state is BusState.DEGRADED
    assert stage.reading(1).torque
    assert not stage.register(2, "torque_enable")


def test_a_servo_that_is_replaced_by_another_model_is_refused_and_the_others_go_on(stages) -> None:
    stage = stages([servo(1), servo(2, model="xm430_w350", registers={"current_limit": 100})]).start()
    away = stage.virtual.inject("absent", id=2)
    stage.until(lambda: stage.reading(2).silent)
    stage.virtual.inject("wrong_identity", id=2, model_number=XL430, firmware_version=47)
    stage.virtual.heal(away)
    stage.until(lambda: "unknown register of XL430-W250 'current_limit'" in stage.reading(2).reason)
    stage.drive(0.5, j1=0.2)
    assert stage.bus.state is BusState.DEGRADED
    assert stage.reading(1).torque


def test_an_error_after_the_first_is_noticed_and_so_is_its_end(stages) -> None:
    stage = stages([servo(1, model=Y), servo(2, model=Y)]).start()
    one = stage.virtual.servo(1)
    one.raise_error(HardwareError.OVERLOAD, shut_down=False)
    stage.until(lambda: "overload" in stage.reading(1).reason)
    one.raise_error(HardwareError.VOLTAGE, shut_down=False)  # its code is the lower one
    stage.until(lambda: "voltage" in stage.reading(1).reason)
    one.errors = 0
    one.touch()
    stage.until(lambda: not stage.reading(1).error)


def test_a_warning_of_one_servo_stops_no_check_of_the_others(stages) -> None:
    stage = stages([servo(1, model=Y), servo(2, model=Y)]).start()
    stage.virtual.servo(1).raise_error(NO_CODE, shut_down=False)
    stage.until(lambda: stage.bus.servos[0].alert)
    starts = stage.bus.servos[1].starts
    stage.virtual.servo(2).torque_off()  # as after a restart
    stage.until(lambda: stage.bus.servos[1].starts > starts)
    assert stage.reading(1).torque
    assert stage.reading(1).error == 0
    stage.virtual.servo(1).raise_error(HardwareError.OVERHEATING)
    stage.until(lambda: "overheating" in stage.reading(1).reason and not stage.reading(1).torque)
