# SPDX-License-Identifier: Apache-2.0
"""Whatever ends the checklist of a servo, the servo is limp then, and no program holds it."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from waiting import PROCESS, until

from embodiment_bridge.dynamixel.commission.checklist import NAMES
from embodiment_bridge.dynamixel.config.calibration import changed_by_checklist
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort

ROOT = Path(__file__).parents[2]
ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
COMMAND = "import sys; from embodiment_bridge.cli.command_line import main; sys.exit(main())"
PIPE = subprocess.PIPE


@pytest.fixture
def bus(tmp_path):
    bus = VirtualBus([(1, "xm430_w350")])
    with VirtualPort(bus, link=str(tmp_path / "tty")):
        yield bus


@pytest.fixture
def run(bus, tmp_path):
    """Starts Python, with the port; what still runs at the end is killed."""
    begun: list[subprocess.Popen] = []
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}

    def start(*words: str) -> subprocess.Popen:
        begun.append(
            subprocess.Popen(
                [sys.executable, *words], env=env, cwd=tmp_path, stdin=PIPE, stdout=PIPE, stderr=PIPE
            )
        )
        return begun[-1]

    yield start
    for each in begun:
        each.kill()
        each.communicate()


def checklist(run, tmp_path, *steps: str) -> subprocess.Popen:
    left_out = (f"--without={name}" for name in NAMES if name not in steps)
    words = ("servos", str(tmp_path / "tty"), "--wait", "3000", "commission", "--yes", *left_out)
    return run("-c", COMMAND, *words)


def children(process: subprocess.Popen) -> list[int]:
    return [
        int(each) for each in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    ]


def is_there(pid: int) -> bool:
    """Whether a process runs; one that has ended may wait for ever to be collected, in a container."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_in_the_middle_of_a_move_leaves_the_servo_limp_and_as_it_was(
    bus, run, tmp_path, number
) -> None:
    before = bus.snapshot()[1]
    bus.inject("axis", id=1, state="stuck")  # so that it is at it for some seconds
    process = checklist(run, tmp_path, "hold", "move")
    until(lambda: bus.servo(1).torque)
    process.send_signal(number)
    assert process.wait(PROCESS) == 130
    after = bus.snapshot()[1]
    assert after["torque_enable"] == 0
    assert (after["goal_pwm"], after["profile_velocity"]) == (before["goal_pwm"], before["profile_velocity"])


def test_a_checklist_that_is_killed_leaves_the_servo_limp(bus, run, tmp_path) -> None:
    bus.inject("axis", id=1, state="stuck")
    process = checklist(run, tmp_path, "hold", "move")
    until(lambda: bus.servo(1).torque)
    process.kill()
    until(lambda: not bus.servo(1).torque)


def is_free(port: str) -> bool:
    with Path(port).open("rb", buffering=0) as line:
        try:
            fcntl.flock(line, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@pytest.mark.parametrize("by", ["--restore", "the next checklist"])
def test_what_a_killed_checklist_has_changed_is_known_and_set_back(bus, run, tmp_path, by) -> None:
    before = bus.snapshot()[1]
    bus.inject("axis", id=1, state="stuck")
    process = checklist(run, tmp_path, "hold", "move")
    until(lambda: bus.servo(1).torque)
    process.kill()
    until(lambda: not bus.servo(1).torque)
    assert bus.snapshot()[1]["goal_pwm"] < before["goal_pwm"]
    port = str(tmp_path / "tty")
    assert changed_by_checklist([(port, 1, "xl430_w250"), (port, 2, "")]) == []
    (warning,) = changed_by_checklist([(port, 1, "xm430_w350")])
    assert "goal_pwm" in warning
    assert f"'servos {port} commission --id 1 --restore'" in warning
    until(lambda: is_free(port))  # its guardian, which has switched the torque off, ends a moment later
    words = ["--restore"] if by == "--restore" else ["--yes", *(f"--without={name}" for name in NAMES)]
    again = run("-c", COMMAND, "servos", port, "--wait", "3000", "commission", *words)
    _, said = again.communicate(timeout=PROCESS)
    assert (again.returncode, b"has left changed" in said) == (0, True)
    after = bus.snapshot()[1]
    changed = ("goal_pwm", "profile_velocity", "profile_acceleration", "operating_mode", "torque_enable")
    assert [after[name] for name in changed] == [before[name] for name in changed]
    assert changed_by_checklist([(port, 1, "")]) == []


def write_torque(run, tmp_path, value: int) -> subprocess.Popen:
    words = ("--wait", "3000", "write", "1", "torque_enable", str(value))
    return run("-c", COMMAND, "servos", str(tmp_path / "tty"), *words)


def test_torque_that_was_written_by_hand_stays(bus, run, tmp_path) -> None:
    for value in (1, 0, 1):
        assert write_torque(run, tmp_path, value).wait(PROCESS) == 0
        assert bus.servo(1).torque == bool(value)


@pytest.mark.parametrize("killed", [False, True])
def test_torque_that_was_written_by_hand_and_not_confirmed_goes_off(bus, run, tmp_path, killed) -> None:
    bus.on_packet = lambda _, way, raw: (
        bus.inject("drop_status", id=1) if way == "tx" and len(bus.faults.rules) == 0 else None
    )
    process = write_torque(run, tmp_path, 1)  # the ping is answered
    until(lambda: bus.servo(1).torque)
    if killed:
        process.kill()
    until(lambda: not bus.servo(1).torque)
    assert process.wait(PROCESS) == (-signal.SIGKILL if killed else 2)


def test_further_signals_do_not_cut_the_end_short(bus, run, tmp_path) -> None:
    before = bus.snapshot()[1]
    bus.inject("axis", id=1, state="stuck")
    process = checklist(run, tmp_path, "hold", "move")
    until(lambda: bus.servo(1).torque)
    while process.poll() is None:
        process.send_signal(signal.SIGTERM)
        time.sleep(0.001)
    after = bus.snapshot()[1]
    assert (after["torque_enable"], after["goal_pwm"]) == (0, before["goal_pwm"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_driver_that_is_to_be_killed_ends_with_the_checklist(bus, run, tmp_path, number) -> None:
    process = checklist(run, tmp_path, "kill")
    found: list[int] = []
    until(lambda: found or found.extend(children(process)) or found)
    try:
        process.send_signal(number)
        process.wait(PROCESS)
        until(lambda: not is_there(found[0]))
        until(lambda: not bus.servo(1).torque)
    finally:
        if is_there(found[0]):
            os.kill(found[0], signal.SIGKILL)


def test_a_driver_whose_parent_is_gone_lets_go(bus, run, tmp_path) -> None:
    words = (str(tmp_path / "tty"), "1000000", "1", "xm430_w350", "velocity")
    process = run("-m", "embodiment_bridge.dynamixel.commission.driven", *words)
    assert process.stdout.readline() == b"drives\n"
    assert bus.servo(1).torque
    process.communicate(timeout=PROCESS)  # closes its standard input
    assert process.returncode == 0
    assert not bus.servo(1).torque
