# SPDX-License-Identifier: Apache-2.0
"""Servos that are another model than the description says, and a servo that warns: the others of its bus go on."""

import pytest
from driver_stage import MARGIN_S, DrivenServos, servo

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.config.servo_config import BusConfig
from embodiment_bridge.dynamixel.wire.instructions import HardwareError

XL430 = 1060  # its model number
NO_CODE = 0x40  # a bit for which a Y servo has no error code: alert, and an error code of 0
Y = "ym070_210_r051"


@pytest.fixture
def stage(tmp_path):
    made: list[DrivenServos] = []

    def make(*servos) -> DrivenServos:
        made.append(DrivenServos(tmp_path, list(servos)))
        return made[0]

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"registers": {"current_limit": 100}}, "unknown register of XL430-W250 'current_limit'"),
        ({"registers": {"goal_current": 100}}, "unknown register of XL430-W250 'goal_current'"),
        ({"mode": "current", "on_shutdown": "hold"}, "has no mode 'current'"),
    ],
)
def test_a_servo_that_lacks_what_is_described_is_refused_and_the_others_go_on(stage, fields, why) -> None:
    stage = stage(servo(1), servo(2, model="xl430_w250"))
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


def test_a_servo_that_is_replaced_by_another_model_is_refused_and_the_others_go_on(stage) -> None:
    stage = stage(servo(1), servo(2, model="xm430_w350", registers={"current_limit": 100})).start()
    away = stage.virtual.inject("absent", id=2)
    stage.until(lambda: stage.reading(2).silent)
    stage.virtual.inject("wrong_identity", id=2, model_number=XL430, firmware_version=47)
    stage.virtual.heal(away)
    stage.until(lambda: "unknown register of XL430-W250 'current_limit'" in stage.reading(2).reason)
    stage.drive(0.5, j1=0.2)
    assert stage.bus.state is BusState.DEGRADED
    assert stage.reading(1).torque


def test_an_error_after_the_first_is_noticed_and_so_is_its_end(stage) -> None:
    stage = stage(servo(1, model=Y), servo(2, model=Y)).start()
    one = stage.virtual.servo(1)
    one.raise_error(HardwareError.OVERLOAD, shut_down=False)
    stage.until(lambda: "overload" in stage.reading(1).reason)
    one.raise_error(HardwareError.VOLTAGE, shut_down=False)  # its code is the lower one
    stage.until(lambda: "voltage" in stage.reading(1).reason)
    one.errors = 0
    one.touch()
    stage.until(lambda: not stage.reading(1).error)


def test_a_warning_of_one_servo_stops_no_check_of_the_others(stage) -> None:
    stage = stage(servo(1, model=Y), servo(2, model=Y)).start()
    stage.virtual.servo(1).raise_error(NO_CODE, shut_down=False)
    stage.until(lambda: stage.bus.servos[0].alert)
    starts = stage.bus.servos[1].starts
    stage.virtual.servo(2).torque_off()  # as after a restart
    stage.until(lambda: stage.bus.servos[1].starts > starts)
    assert stage.reading(1).torque
    assert stage.reading(1).error == 0
    stage.virtual.servo(1).raise_error(HardwareError.OVERHEATING)
    stage.until(lambda: "overheating" in stage.reading(1).reason and not stage.reading(1).torque)
