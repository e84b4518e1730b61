# SPDX-License-Identifier: Apache-2.0
"""Calibration drives no joint: not when it is asked for, not by a file that cannot be used."""

import errno
import math
import os
import threading
import time
from dataclasses import replace

import pytest
from driver_stage import MARGIN_S, DrivenServos, servo
from waiting import GRAPH

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.robot import ServoRobot
from embodiment_bridge.dynamixel.bus.servo import SERVING, BusState
from embodiment_bridge.dynamixel.config.calibration import (
    LARGEST_FILE,
    Stored,
    calibrations_elsewhere,
    default_path,
    load_calibration,
    save_calibration,
)
from embodiment_bridge.dynamixel.config.servo_config import ServoSetup

FREE = {"lower": -math.inf, "upper": math.inf}


def calibrate(stage: DrivenServos, keep=lambda entries: None, **positions: float) -> tuple[bool, str, int]:
    answers = stage.asked(requests.Calibrate(positions, keep))
    stage.until(lambda: bool(answers))
    return answers[0]


def horn(stage: DrivenServos, id: int) -> float:
    """The angle of the horn, rad."""
    return stage.virtual.servo(id).drive.position


def shift(stage: DrivenServos) -> float:
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


def test_a_joint_that_is_calibrated_again_before_the_disk_has_kept_the_first_is_where_it_was_said_to_be(
    stages,
) -> None:
    stage = stages([servo(1)]).start(active=False)
    begun: list[float] = []
    go = threading.Event()

    def keep(entries) -> None:
        begun.append(entries["j1"].shift)
        assert go.wait(GRAPH)

    answers: list[tuple[bool, str, int]] = []
    for _ in range(2):
        stage.bus.request(requests.Calibrate({"j1": 0.3}, keep), lambda *answer: answers.append(answer))
    stage.until(lambda: len(begun) == 2)
    go.set()
    stage.until(lambda: len(answers) == 2)
    assert stage.reading(1).position == pytest.approx(0.3, abs=0.01)
    assert shift(stage) == begun[-1]


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


def robot_of(stage: DrivenServos, path) -> ServoRobot:
    return ServoRobot(ServoSetup("one", (stage.bus.config,)), path, margin_s=MARGIN_S)


def serving(stage: DrivenServos, robot: ServoRobot) -> None:
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
    assert calibrate(stage, robot.keep, j1=0.1)[0]
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


def test_what_cannot_be_kept_is_not_in_force(stages, tmp_path, monkeypatch) -> None:
    stage = stages([servo(1), servo(2)])
    path = tmp_path / "robot.yaml"
    robot = robot_of(stage, path)
    stage.bus = robot.buses[0]
    robot.start()
    stage.until(lambda: robot.state == (BusState.READY, ""))
    robot.save(clean=False)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        success, text, _ = calibrate(stage, robot.keep, j1=1.0)
    assert not success
    assert "No space left" in text
    assert path.read_bytes() == before
    stage.activate()
    stage.drive_until(lambda: abs(stage.reading(1).position - 0.5) < 0.01, j1=Target(0.5))
    assert horn(stage, 1) == pytest.approx(0.5, abs=0.02)
    robot.stop()
    assert load_calibration(path)["j1"].shift == 0.0


def test_a_joint_that_is_driven_meanwhile_is_not_shifted_far(stages) -> None:
    stage = stages([servo(1)]).start(active=False)
    success, text, _ = calibrate(stage, lambda _: stage.activate(), j1=1.0)
    assert not success
    assert "is driven, and would be shifted by" in text
    assert "the calibration file has it already" in text
    stage.drive_until(lambda: abs(stage.reading(1).position - 0.5) < 0.01, j1=Target(0.5))
    assert horn(stage, 1) == pytest.approx(0.5, abs=0.02)


def test_a_bus_that_is_lost_while_the_file_is_written_says_what_the_file_may_have(stages) -> None:
    stage = stages([servo(1)]).start(active=False)

    def keep(_: object) -> None:
        stage.virtual.inject("unplug")
        stage.until(lambda: stage.bus.state is BusState.LOST)

    success, text, _ = calibrate(stage, keep, j1=1.0)
    assert not success
    assert "is lost" in text
    assert "the calibration file may have it already" in text


@pytest.mark.parametrize(
    ("stored", "why"),
    [
        (Stored(3, "xm430_w350", 0.7), "was made on servo 3, not 1"),
        (Stored(1, "xl430_w250", 0.7), "was made on a xl430_w250, not a xm430_w350"),
    ],
)
def test_a_calibration_of_another_servo_is_refused_and_kept(stages, tmp_path, stored, why) -> None:
    stage = stages([servo(1, model=""), servo(2)], models=["xm430_w350", "xl430_w250"])
    path = tmp_path / "robot.yaml"
    save_calibration(path, {"j1": stored, "j2": Stored(2, "xl430_w250", 0.2)})
    for _ in range(2):
        robot = robot_of(stage, path)
        serving(stage, robot)
        stage.until(lambda: stage.register(2, "torque_enable") == 1)
        assert why in stage.reading(1).reason
        assert stage.register(1, "torque_enable") == 0
        assert stage.reading(1).position == pytest.approx(0.0, abs=0.01)
        assert stage.reading(2).position == pytest.approx(0.2, abs=0.05)
        robot.stop()
        assert load_calibration(path)["j1"] == stored
    robot = robot_of(stage, path)
    serving(stage, robot)
    assert calibrate(stage, robot.keep, j1=0.3)[0]
    robot.stop()
    again = load_calibration(path)["j1"]
    assert (again.id, again.model, again.shift) == (1, "xm430_w350", pytest.approx(0.3, abs=0.01))


def test_a_servo_that_does_not_answer_keeps_its_calibration(stages, tmp_path) -> None:
    stage = stages([servo(1, model=""), servo(2)], models=["xl430_w250", "xl430_w250"])
    path = tmp_path / "robot.yaml"
    stored = Stored(1, "xl430_w250", 0.7, 2048, clean=True)
    save_calibration(path, {"j1": stored})
    stage.virtual.inject("absent", id=1)
    robot = robot_of(stage, path)
    serving(stage, robot)
    robot.stop()
    assert load_calibration(path)["j1"] == stored


def test_the_default_file_is_of_a_robot_a_namespace_and_its_ports(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ROS_HOME", str(tmp_path))
    real, virtual = ["/dev/ttyUSB0"], ["/tmp/ttyDXL0"]
    home = tmp_path / "embodiment_bridge" / "calibration"
    assert default_path("arm", "/", real) == home / "arm" / "dev" / "ttyUSB0.yaml"
    places = {
        default_path(robot, namespace, ports)
        for robot in ("arm", "arm2", "..", "../../etc", "/etc", "a/b", "")
        for namespace in ("/", "/red", "/red/1")
        for ports in (real, virtual, ["socket://host:1"], ["/dev/../../x"], [*real, *virtual])
    }
    assert len(places) == 7 * 3 * 5
    assert all(place.resolve().is_relative_to(home) for place in places)


def test_a_calibration_at_another_port_is_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ROS_HOME", str(tmp_path))
    here = default_path("arm", "/", ["/tmp/ttyDXL0"])
    assert not calibrations_elsewhere(here)
    old = tmp_path / "embodiment_bridge" / "arm.yaml"
    others = [default_path("arm", "/", ["/dev/ttyUSB0"]), default_path("arm", "/red", ["/dev/ttyUSB0"])]
    for path in (old, *others, default_path("arm2", "/", ["/dev/ttyUSB0"])):
        save_calibration(path, {})
    told = calibrations_elsewhere(here)
    assert all(str(path) in told for path in (here, old, *others))
    assert "arm2" not in told
    save_calibration(here, {})
    assert not calibrations_elsewhere(here)


@pytest.mark.parametrize("kind", ["fifo", "endless", "large", "circle", "folder"])
def test_what_is_no_calibration_file_is_refused_at_once(tmp_path, kind) -> None:
    path = tmp_path / "robot.yaml"
    make = {
        "fifo": lambda: os.mkfifo(path),
        "endless": lambda: path.symlink_to("/dev/zero"),
        "large": lambda: path.write_bytes(b"#" * (LARGEST_FILE + 1)),
        "circle": lambda: path.symlink_to(path),
        "folder": path.mkdir,
    }
    make[kind]()
    with pytest.raises(ConfigError, match=f"calibration file {path}: cannot be read: "):
        load_calibration(path)


def test_a_link_to_a_file_stays_a_link(tmp_path) -> None:
    link, file = tmp_path / "link.yaml", tmp_path / "file.yaml"
    link.symlink_to(file)
    for shift in (0.1, 0.2):
        save_calibration(link, {"j1": Stored(1, "xm430_w350", shift)})
        assert link.is_symlink()
        assert load_calibration(file)["j1"].shift == shift


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
