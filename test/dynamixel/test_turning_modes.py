# SPDX-License-Identifier: Apache-2.0
"""Motors that run on by themselves (velocity, current, pwm): they end within their range, and when they are not heard.

Where the horn is and how fast it turns is read from the motor of the virtual servo, not from what the driver says.
"""

import math
from math import nan

import pytest
import virtual_stage
from driver_stage import DrivenServos, servo

from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.cycle import Target, goal_of
from embodiment_bridge.dynamixel.bus.servo import BusState, make_servo
from embodiment_bridge.dynamixel.tables.table_reader import table

MODES = {"velocity": 1, "current": 0, "pwm": 16}
END = 1.5  # rad
OUTWARDS = Target(nan, 4.0, 1.0)
PAST = 0.05  # rad by which an end may be passed
LATE = 0.5  # the same where the machine may be busy, and it takes some time to see that an answer is lost


@pytest.mark.parametrize("direction", [1.0, -1.0])
@pytest.mark.parametrize("cycle_s", [0.01, 0.04])
@pytest.mark.parametrize("mode", MODES)
def test_a_motor_that_is_driven_against_the_end_of_its_range_stops_there(mode, cycle_s, direction) -> None:
    stage = virtual_stage.VirtualServos()
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


@pytest.fixture
def stages(tmp_path):
    made: list[DrivenServos] = []

    def make(mode: str, **fields) -> DrivenServos:
        made.append(DrivenServos(tmp_path, [servo(1, mode=mode, effort=4.0, **fields), servo(3)]))
        return made[-1].start()

    yield make
    for stage in made:
        stage.close()


def moving(stage: DrivenServos) -> bool:
    return stage.virtual.servo(1).drive.velocity > 0.3


def is_off(stage: DrivenServos) -> bool:
    return not stage.register(1, "torque_enable") and stage.virtual.servo(1).drive.velocity == 0.0


@pytest.mark.fault(
    "lost",
    body="dynamixel",
    reaction="a motor that runs on by itself is told, blindly and again and again, to stop and to go limp",
)
@pytest.mark.parametrize(("kind", "id"), [("drop_status", 1), ("corrupt_crc", 1), ("drop_status", None)])
@pytest.mark.parametrize("mode", MODES)
def test_a_motor_whose_answers_are_lost_stops_although_commands_go_on(stages, mode, kind, id) -> None:
    stage = stages(mode)
    stage.drive_until(lambda: moving(stage), j1=OUTWARDS)
    rule = stage.virtual.inject(kind, id=id)
    stage.drive_until(lambda: stage.reading(1).silent and is_off(stage), j1=OUTWARDS)
    assert stage.virtual.servo(1).drive.position < END + LATE
    assert stage.reading(1).torque  # nobody has confirmed that it is off
    assert stage.register(3, "torque_enable")
    stage.virtual.servo(1).write(64, b"\1")  # as if it had not heard it
    stage.drive_until(lambda: is_off(stage), j1=OUTWARDS)
    stage.virtual.heal(rule)
    stage.drive_until(lambda: bool(stage.register(1, "torque_enable")), j1=OUTWARDS)


def test_a_wheel_that_is_not_heard_stops_long_before_it_is_given_up(stages) -> None:
    stage = stages("velocity", lower=-math.inf, upper=math.inf)
    stage.drive_until(lambda: moving(stage), j1=OUTWARDS)
    stage.virtual.inject("drop_status")
    goals: list[bool] = []  # whether it was still listed when its goal became 0
    stage.virtual.on_packet = lambda *_: (
        goals.append(stage.reading(1).silent) if not stage.register(1, "goal_velocity") else None
    )
    stage.drive_until(lambda: bool(goals), j1=OUTWARDS)
    assert not goals[0]


def let_go(stage: DrivenServos, how: str) -> None:
    if how == "deactivated":
        stage.bus.activate(False)
    elif how == "emergency stop":
        stage.bus.emergency_stop("torque_off")
    else:
        answers: list[tuple[bool, str, int]] = []
        stage.bus.request(requests.SetTorque([], on=False), lambda *answer: answers.append(answer))
        stage.until(lambda: bool(answers))
        assert not answers[0][0]
        if stage.bus.state is BusState.LOST:
            return
        assert "joint 'j1' MAY STILL BE DRIVEN: torque off was sent, but" in answers[0][1]


@pytest.mark.parametrize("how", ["deactivated", "set_torque", "emergency stop"])
@pytest.mark.parametrize("given_up", [False, True])
@pytest.mark.parametrize("mode", ["velocity", "position"])
def test_a_servo_that_hears_and_does_not_answer_is_let_go_and_not_called_limp(
    stages, mode, given_up, how
) -> None:
    stage = stages(mode)
    rule = stage.virtual.inject("drop_status", id=1)
    if given_up:
        stage.until(lambda: stage.reading(1).silent)
        assert bool(stage.register(1, "torque_enable")) or mode == "velocity"
    let_go(stage, how)
    stage.until(lambda: is_off(stage) and not stage.register(3, "torque_enable") and stage.reading(1).silent)
    stage.virtual.servo(1).write(64, b"\1")  # as if it had not heard it
    stage.until(lambda: is_off(stage))
    assert stage.reading(1).torque
    assert not stage.reading(3).torque
    stage.virtual.heal(rule)
    stage.until(lambda: not stage.reading(1).torque and not stage.reading(1).silent)
    assert is_off(stage)


@pytest.mark.parametrize("how", ["deactivated", "set_torque", "emergency stop"])
def test_servos_that_hear_are_let_go_although_none_answers(stages, how) -> None:
    stage = stages("position")
    stage.virtual.inject("drop_status")
    stage.until(lambda: stage.bus.state is BusState.LOST)
    assert stage.register(1, "torque_enable")
    let_go(stage, how)
    stage.until(lambda: is_off(stage) and not stage.register(3, "torque_enable"))
    assert stage.reading(3).torque


def test_a_motor_that_cannot_be_let_go_stands_still_at_the_end(stages) -> None:
    stage = stages("velocity")
    stage.drive_until(lambda: moving(stage), j1=OUTWARDS)
    stage.virtual.servo(1).memory.set("bus_watchdog", 0)
    for register in ("bus_watchdog", "torque_enable"):
        stage.virtual.inject("register_stuck", id=1, register=register)
    stage.bus.stop()
    stage.until(lambda: stage.register(1, "present_velocity") == 0)
    assert stage.register(1, "torque_enable")
    assert set(stage.bus.unsafe) == {"j1"}


def test_a_motor_that_ran_on_without_a_port_is_stopped_before_its_servos_are_found_again(stages) -> None:
    stage = stages("velocity", lower=-math.inf, upper=math.inf)
    stage.drive_until(lambda: moving(stage), j1=OUTWARDS)
    stage.virtual.servo(1).memory.set("bus_watchdog", 0)  # as if it did not work
    rule = stage.virtual.inject("unplug")
    stage.until(lambda: stage.reading(1).silent)
    assert stage.reading(1).torque
    stage.virtual.inject("drop_status")
    stage.virtual.heal(rule)
    stage.until(lambda: is_off(stage))


def test_a_model_whose_watchdog_does_not_stop_it_is_not_driven_in_a_turning_mode(tmp_path) -> None:
    configs = [servo(1, model="xl330_m288"), servo(2, model="xl330_m288", mode="velocity"), servo(3)]
    stage = DrivenServos(tmp_path, configs)
    try:
        stage.start(active=False)
        why = "joint 'j2': XL330-M288 has no mode 'velocity' (it has: position, extended_position, "
        assert stage.reading(2).reason.startswith(why)
        assert "its motor may keep turning after its Bus Watchdog has fired" in stage.reading(2).reason
        answers: list[tuple[bool, str, int]] = []
        request = requests.SetMode(["j1"], "current", force=True)
        stage.bus.request(request, lambda *answer: answers.append(answer))
        stage.until(lambda: bool(answers))
        assert not answers[0][0]
        assert stage.register(1, "operating_mode") == 3
    finally:
        stage.close()


def test_a_wheel_of_a_model_whose_watchdog_does_not_stop_it_turns_and_the_risk_is_told(stages) -> None:
    stage = stages("velocity", model="xl330_m288", lower=-math.inf, upper=math.inf)
    stage.drive_until(lambda: moving(stage), j1=OUTWARDS)
    assert "its motor may keep turning after its Bus Watchdog has fired" in stage.reading(1).reason
    answers: list[tuple[bool, str, int]] = []
    for mode in ("pwm", "position"):
        request = requests.SetMode(["j1"], mode, force=True)
        stage.bus.request(request, lambda *answer: answers.append(answer))
    stage.until(lambda: len(answers) == 2)
    assert [success for success, _, _ in answers] == [False, True]
    stage.until(lambda: stage.reading(1).torque)
    assert not stage.reading(1).reason
