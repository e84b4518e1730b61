# SPDX-License-Identifier: Apache-2.0
"""What other programs left in servos is told and refused, set back, or had so because the description says it."""

import pytest
from driver_stage import MARGIN_S, DrivenServos, servo

from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.client import GivenWay
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor
from embodiment_bridge.dynamixel.config.servo_config import FaultPolicy
from embodiment_bridge.dynamixel.tables.table_reader import table

LEFT = [
    ("xm430_w350", "drive_mode", 1),
    ("xm430_w350", "drive_mode", 4),
    ("xl330_m288", "homing_offset", 500),
    ("xm430_w350", "shadow_id", 7),
    ("mx_28_1", "multi_turn_offset", 300),
    ("mx_28_1", "resolution_divider", 2),
    ("ph54_200_s500", "homing_offset", -2000),
    ("ym070_210_r051", "electronic_gearratio_numerator", 7),
]


def left(stage: DrivenServos, *rows: tuple[int, str, int]) -> DrivenServos:
    """Another program wrote registers, and has ended."""
    for id, name, value in rows:
        item = table(stage.configs[id - 1].model).item(name)
        stage.virtual.servo(id).write(item.address, value.to_bytes(item.size, "little", signed=value < 0))
    return stage


def horn(stage: DrivenServos, id: int = 1) -> float:
    return stage.virtual.servo(id).drive.position


@pytest.mark.parametrize(("model", "name", "value"), LEFT)
def test_a_servo_in_which_positions_mean_something_else_is_refused(stages, model, name, value) -> None:
    stage = left(stages([servo(1, model=model), servo(2)]), (1, name, value))
    stage.start(active=False)
    stage.bus.activate(True)
    stage.drive_until(lambda: stage.reading(2).position > 0.4, j1=Target(0.5), j2=Target(0.5))
    made = stage.bus.servos[0].table.item(name).initial
    ways = f"registers.{name}: {made} (it is set back) or {value} (it stays so)"
    stage.until(lambda: f"{name} is {value} and not {made}" in stage.reading(1).reason)
    assert ways in stage.reading(1).reason
    assert not stage.register(1, "torque_enable")
    assert abs(horn(stage)) < 0.01
    assert stage.register(1, name) == value


def test_a_bus_whose_servos_are_all_refused_says_why(stages) -> None:
    stage = left(stages([servo(1)]), (1, "drive_mode", 1))
    stage.bus.start()
    stage.until(lambda: stage.bus.state is BusState.LOST and "drive_mode is 1" in stage.bus.reason)


def test_drive_mode_and_homing_offset_are_set_back_where_the_description_says_so(stages) -> None:
    servos = [servo(1, registers={"drive_mode": 0}), servo(2, registers={"homing_offset": 0})]
    stage = left(stages(servos), (1, "drive_mode", 1), (2, "homing_offset", 500)).start()
    stage.drive_until(
        lambda: all(one.position > 0.47 for one in stage.bus.readings()), j1=Target(0.5), j2=Target(0.5)
    )
    assert (horn(stage, 1), horn(stage, 2)) == (pytest.approx(0.5, abs=0.1), pytest.approx(0.5, abs=0.1))


def test_drive_mode_and_homing_offset_stay_where_the_description_has_them(stages) -> None:
    servos = [servo(1, registers={"drive_mode": 1}), servo(2, registers={"homing_offset": 500})]
    stage = left(stages(servos), (1, "drive_mode", 1), (2, "homing_offset", 500)).start()
    shift = 500 / 4096 * 6.2832
    assert stage.reading(2).position == pytest.approx(shift, abs=0.01)
    stage.drive_until(
        lambda: abs(stage.reading(1).position - 0.5) < 0.03 and abs(stage.reading(2).position - 0.5) < 0.03,
        j1=Target(0.5),
        j2=Target(0.5),
    )
    assert horn(stage, 1) == pytest.approx(-0.5, abs=0.1)
    assert horn(stage, 2) == pytest.approx(0.5 - shift, abs=0.1)


def test_they_are_not_written_by_hand_while_the_driver_runs(stages) -> None:
    stage = stages([servo(1, model="mx_28_1"), servo(2)]).start(active=False)
    answers: list[str] = []
    for joint, name in (("j1", "resolution_divider"), ("j2", "drive_mode"), ("j2", "shadow_id")):
        stage.bus.request(requests.Register(joint, name, 1), lambda _, text, __: answers.append(text))
    stage.until(lambda: len(answers) == 3)
    assert all("is the driver's own" in answer for answer in answers)


@pytest.mark.parametrize(("model", "name"), [("xm430_w350", "profile_velocity"), ("ax_12a", "moving_speed")])
def test_a_speed_that_was_left_in_ram_slows_no_joint(stages, model, name) -> None:
    stage = left(stages([servo(1, model=model)]), (1, name, 3)).start()
    stage.drive_until(lambda: stage.reading(1).position > 0.9, j1=Target(1.0))
    assert stage.register(1, name) == 0
    assert horn(stage) > 0.8


@pytest.mark.parametrize(
    ("policy", "torque"),
    [
        (FaultPolicy(overload="reboot", torque_after_reboot=True), 1),
        (FaultPolicy(overload="reboot"), 0),
        (FaultPolicy(overload="torque_off"), 0),
    ],
)
def test_a_hardware_error_at_the_start_gets_its_policy(stages, policy, torque) -> None:
    stage = stages([servo(1, faults=policy), servo(2)])
    stage.bus = ServoBus(stage.bus.config, margin_s=MARGIN_S)
    stage.bus.activate(True)
    stage.virtual.servo(1).raise_error(0x20)
    stage.start(active=False)
    stage.until(lambda: stage.reading(2).torque)
    if policy.overload == "torque_off":
        stage.until(lambda: "overload; limp until it is asked for" in stage.reading(1).reason)
        return
    stage.until(lambda: not stage.register(1, "hardware_error_status") and not stage.reading(1).silent)
    answers = stage.reading(1).answers
    stage.until(lambda: stage.reading(1).answers > answers + 50)
    assert stage.register(1, "torque_enable") == torque


def test_an_error_at_the_start_whose_policy_is_hold_holds_the_joint(stages) -> None:
    stage = stages([servo(1, faults=FaultPolicy(voltage="hold")), servo(2)])
    stage.virtual.servo(1).raise_error(0x01, shut_down=False)
    stage.start()
    stage.drive_until(lambda: stage.reading(2).position > 0.4, j1=Target(0.5), j2=Target(0.5))
    assert stage.register(1, "torque_enable")
    assert abs(horn(stage)) < 0.01


def test_a_restart_that_a_stop_came_before_is_made_afterwards(stages, monkeypatch) -> None:
    stage = stages([servo(1, faults=FaultPolicy(overload="reboot")), servo(2)])
    stage.virtual.servo(1).raise_error(0x20)
    reboot, tries = Supervisor.reboot, []

    def late(self, *given) -> None:
        tries.append(given)
        if len(tries) == 1:
            raise GivenWay
        reboot(self, *given)

    monkeypatch.setattr(Supervisor, "reboot", late)
    stage.start(active=False)
    stage.until(lambda: not stage.register(1, "hardware_error_status"))
