# SPDX-License-Identifier: Apache-2.0
"""The joint driver as a process: whatever ends it, no servo stays driven; what is not sure is told."""

import os
import signal
import time

import pytest
from driver_process import DriverProcess
from graph_stage import Stage
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.nodes.base.runtime import UNSAFE, Runtime

JOINT = "head_yaw"
STOPPED_S = 6.0  # s; longer than a busy machine lets this process wait
GOAL = b"\x74\0\4\0"  # address and size of goal_position, in a sync write


@pytest.fixture
def drivers(tmp_path):
    made: list[DriverProcess] = []

    def make(*prefix: str, **options: bool) -> DriverProcess:
        made.append(DriverProcess(tmp_path, f"/apart{os.getpid()}", *prefix, **options))
        made[-1].until(lambda: made[-1].torque() == 20)
        return made[-1]

    yield make
    for driver in made:
        driver.end()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGUSR1, signal.SIGRTMIN + 2])
def test_a_signal_that_ends_the_process_leaves_no_servo_driven(drivers, number) -> None:
    driver = drivers()
    driver.process.send_signal(number)
    assert driver.process.wait(90.0) == 0, driver.log()
    assert driver.torque() == 0


def test_a_kill_leaves_no_servo_driven(drivers) -> None:
    driver = drivers()
    driver.process.kill()
    driver.until(lambda: driver.torque() == 0)


@pytest.mark.parametrize(("kind", "up"), [("drop_status", False), ("corrupt_crc", True)])
def test_servos_that_do_not_answer_are_limp_and_named_and_the_exit_code_says_it(drivers, kind, up) -> None:
    driver = drivers(up=up, patient=False)
    driver.bus.inject(kind)
    driver.process.terminate()
    assert driver.process.wait(90.0) == UNSAFE, driver.log()
    driver.until(lambda: driver.torque() == 0)
    assert driver.log().count("MAY STILL BE DRIVEN") == 20
    assert f"joint '{JOINT}' MAY STILL BE DRIVEN: torque off was sent, but does not answer" in driver.log()


def test_a_process_that_was_told_to_outlive_its_terminal_does(drivers) -> None:
    driver = drivers("nohup")
    driver.process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert driver.process.poll() is None
    assert driver.torque() == 20
    driver.process.terminate()
    assert driver.process.wait(90.0) == 0, driver.log()
    assert driver.torque() == 0


def test_a_process_that_was_stopped_goes_on_from_where_the_joint_is(drivers) -> None:
    driver = drivers()
    goals: list[tuple[float, int]] = []
    servo = next(one for one in servos_of() if one.joint == JOINT)

    def note(_: float, way: str, raw: bytes) -> None:
        if way == "rx" and raw[7] == 0x83 and raw[8:12] == GOAL:
            data = {raw[i]: raw[i + 1 : i + 5] for i in range(12, len(raw) - 2, 5)}
            if servo.id in data:
                goals.append((time.monotonic(), int.from_bytes(data[servo.id], "little", signed=True)))

    with Runtime() as runtime:
        stage = Stage(runtime, f"/apart{os.getpid()}")
        stage.why = driver.log
        heard = stage.collect(JointState, "joint_states", "sensor")
        publisher = stage.publisher(JointTrajectory, "joint_trajectory")
        stage.until(lambda: heard)
        driver.bus.on_packet = note
        point = JointTrajectoryPoint(positions=[1.0])
        # long enough for this process to notice that it has begun, on a busy machine
        point.time_from_start.sec = 4
        publisher.publish(JointTrajectory(joint_names=[JOINT], points=[point]))
        begin = driver.bus.snapshot()[servo.id]["goal_position"]
        stage.until(lambda: abs(driver.bus.snapshot()[servo.id]["goal_position"] - begin) > 100)
        driver.process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        driver.process.send_signal(signal.SIGCONT)
        stage.until(lambda: abs(driver.bus.snapshot()[servo.id]["goal_position"] - begin) > 300)
    gap = max(range(1, len(goals)), key=lambda i: goals[i][0] - goals[i - 1][0])
    assert goals[gap][0] - goals[gap - 1][0] > STOPPED_S - 1.0
    before = goals[gap - 1][1]
    # At its full speed the joint goes 0.35 rad in 8 cycles of 0.01 s, 228 counts.
    soon = [abs(goal - before) for _, goal in goals[gap : gap + 8]]
    assert max(soon) < 100


def servos_of():
    from servo_stage import URDF

    from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
    from embodiment_bridge.urdf import read_urdf

    return read_servo_setup(read_urdf(URDF)).servos
