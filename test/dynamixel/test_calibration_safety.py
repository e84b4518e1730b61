# SPDX-License-Identifier: Apache-2.0
"""Calibration drives no joint: not when it is asked for, not by a file that cannot be used."""

import math
import time
from dataclasses import replace

import pytest
from driver_stage import MARGIN_S, Stage, servo

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.robot import ServoRobot
from embodiment_bridge.dynamixel.bus.state import SERVING
from embodiment_bridge.dynamixel.config.calibration import Stored, load_calibration, save_calibration
from embodiment_bridge.dynamixel.config.servo_config import ServoSetup

FREE = {"lower": -math.inf, "upper": math.inf}


def calibrate(stage: Stage, **positions: float) -> tuple[bool, str, int]:
    answers: list[tuple[bool, str, int]] = []
    stage.bus.request(requests.Calibrate(positions), lambda *answer: answers.append(answer))
    stage.until(lambda: bool(answers))
    return answers[0]


def shift(stage: Stage) -> float:
    return stage.bus.servos[0].scale.calibration.shift


@pytest.mark.parametrize(
    ("angle", "why"),
    [
        (3.2, "joint 'j1' cannot be at 3.2 rad: its range is -1.5..1.5 rad"),
        (-1.6, "cannot be at -1.6 rad"),
        (1e300, "cannot be at"),
        (0.5, "joint 'j1' is driven, and would be shifted by"),
    ],
)
def test_a_driven_joint_is_shifted_only_a_little(stages, angle, why) -> None:
    stage = stages([servo(1)]).start()
    success, text, _ = calibrate(stage, j1=angle)
    assert not success
    assert why in text
    assert shift(stage) == 0.0


def test_a_small_shift_leaves_a_driven_joint_where_it_is(stages) -> None:
    stage = stages([servo(1)]).start()
    ticks = stage.register(1, "present_position")
    assert calibrate(stage, j1=stage.reading(1).position + 0.04)[0]
    assert shift(stage) == pytest.approx(0.04)
    goal = stage.register(1, "goal_position")
    stage.drive(0.1)
    assert abs(stage.register(1, "goal_position") - goal) <= 1
    assert abs(stage.register(1, "present_position") - ticks) <= 2


def test_a_limp_joint_is_calibrated_within_its_range_and_stays_when_it_is_driven(stages) -> None:
    stage = stages([servo(1)]).start(active=False)
    assert not calibrate(stage, j1=1.6)[0]
    assert calibrate(stage, j1=1.2)[0]
    ticks = stage.register(1, "present_position")
    stage.activate()
    time.sleep(0.2)
    assert abs(stage.register(1, "present_position") - ticks) <= 1


def test_of_several_joints_none_is_shifted_when_one_cannot_be(stages) -> None:
    stage = stages([servo(1), servo(2)]).start(active=False)
    assert not calibrate(stage, j1=0.5, j2=2.0)[0]
    assert shift(stage) == 0.0


def test_a_shift_that_no_file_could_keep_is_refused(stages, tmp_path) -> None:
    stage = stages([servo(1, mode="extended_position", **FREE)]).start(active=False)
    success, text, _ = calibrate(stage, j1=2000.0)
    assert not success
    assert "a shift of 2000 rad is more than 1000 rad" in text
    with pytest.raises(ConfigError, match="shift 2000 rad of joint 'j1' is not within 1000 rad"):
        save_calibration(tmp_path / "file.yaml", {"j1": Stored(1, "xm430_w350", 2000.0)})


def robot_of(stage: Stage, path) -> ServoRobot:
    return ServoRobot(ServoSetup("one", (stage.bus.config,)), path, margin_s=MARGIN_S)


def serving(stage: Stage, robot: ServoRobot) -> None:
    stage.bus = robot.buses[0]
    robot.start()
    stage.until(lambda: stage.bus.state in SERVING)
    robot.activate(True)
    time.sleep(0.2)


@pytest.mark.parametrize(
    "text",
    [
        b"joints: {j1: {id: 1, shift: 1.0e+300}}",
        b"joints: 3",
        b"\xff\xfe",
        b"joints: {j1: {id: 1, shift: [}}",
    ],
)
def test_a_bad_file_names_itself_is_set_aside_and_nothing_is_driven_until_it_is_calibrated(
    stages, tmp_path, text
) -> None:
    stage = stages([servo(1, on_start="on"), servo(2, on_start="keep")])
    path = tmp_path / "robot.yaml"
    path.write_bytes(text)
    robot = robot_of(stage, path)
    assert f"calibration file {path}" in robot.warning
    assert (tmp_path / "robot.yaml.bad").read_bytes() == text
    serving(stage, robot)
    assert [stage.register(id, "torque_enable") for id in (1, 2)] == [0, 0]
    stage.until(lambda: "its calibration was lost" in stage.reading(1).reason)
    robot.stop()

    robot = robot_of(stage, path)  # the next start knows of it, too
    assert not robot.warning
    serving(stage, robot)
    assert [stage.register(id, "torque_enable") for id in (1, 2)] == [0, 0]
    assert calibrate(stage, j1=0.1)[0]
    assert not stage.reading(1).reason
    robot.stop()
    assert (load_calibration(path)["j1"].lost, load_calibration(path)["j2"].lost) == (False, True)

    robot = robot_of(stage, path)
    serving(stage, robot)
    stage.until(lambda: [stage.register(id, "torque_enable") for id in (1, 2)] == [1, 0])
    robot.stop()


def test_each_bad_file_gets_a_name_of_its_own(stages, tmp_path) -> None:
    stage = stages([servo(1)])
    path = tmp_path / "robot.yaml"
    for text in ("first", "second"):
        path.write_text(text)
        robot_of(stage, path)
    assert [(tmp_path / f"robot.yaml.bad{n}").read_text() for n in ("", "1")] == ["first", "second"]


def test_a_file_that_cannot_be_read_or_renamed_is_an_error(stages, tmp_path) -> None:
    stage = stages([servo(1)])
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        robot_of(stage, tmp_path / "folder")
    setup = ServoSetup("one", (replace(stage.bus.config, port_name="tty"),))
    bad = tmp_path / "robot.yaml"
    bad.write_text("bad")
    with pytest.raises(
        ConfigError, match="not an absolute path"
    ):  # whoever refuses to start sets nothing aside
        ServoRobot(setup, bad)
    assert bad.exists()
