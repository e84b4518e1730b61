# SPDX-License-Identifier: Apache-2.0
"""The driver on servos of every series: it finds them, drives them, reads supply and heat, and sees their errors."""

from math import isnan

import pytest
from driver_stage import DrivenServos, servo

from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.reading import plan_reads
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
def test_the_driver_drives_servos_of_a_series(tmp_path, models):
    stage = DrivenServos(tmp_path, [servo(i, model=model) for i, model in enumerate(models, 1)])
    try:
        stage.start()
        ids = range(1, len(models) + 1)
        stage.until(lambda: all(stage.reading(i).torque for i in ids))
        assert all(abs(stage.reading(i).position) < 0.02 for i in ids)
        goals = {f"j{i}": Target(-0.4, 0.0, 0.0) for i in ids}
        stage.drive_until(lambda: all(abs(stage.reading(i).position + 0.4) < 0.03 for i in ids), **goals)
        stage.until(lambda: all(not isnan(stage.reading(i).temperature) for i in ids))
        stage.until(
            lambda: all(abs(stage.reading(i).voltage - stage.virtual.supply.voltage) < 0.3 for i in ids)
        )
        assert [stage.reading(i).model for i in ids] == [table(model).model for model in models]
    finally:
        stage.close()


def test_the_error_code_of_a_y_servo_is_seen_as_its_kind(tmp_path):
    stage = DrivenServos(tmp_path, [servo(1, model="ym070_210_r051")])
    try:
        stage.start()
        stage.virtual.servo(1).raise_error(HardwareError.OVERHEATING)
        stage.until(lambda: stage.reading(1).error == HardwareError.OVERHEATING)
        stage.until(lambda: not stage.reading(1).torque and "overheating" in stage.reading(1).reason)
    finally:
        stage.close()


def test_eeprom_is_not_used_for_indirect_addresses():
    plan = plan_reads({1: table("ph54_200_s500"), 2: table("ym070_210_r051")})
    assert plan.kind == "bulk"
    assert not any(block.entries for block in plan.blocks.values())
