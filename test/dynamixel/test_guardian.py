# SPDX-License-Identifier: Apache-2.0
"""A driver that is killed or crashes: its guardian makes safe, by the policy of each joint, and only then."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from driver_stage import DrivenServos, servo
from waiting import until

from embodiment_bridge.dynamixel.bus import guardian_program
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.guardian_program import main, make_safe, process_handle, wait
from embodiment_bridge.dynamixel.bus.making_safe import END_S, Guardian
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
DRIVER = """
import os, sys, threading, time
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoConfig
usual = dict(model="xm430_w350", lower=-1.5, upper=1.5, velocity=4.0, soft_start_s=0.05)
servos = (
    ServoConfig("j1", 1, **usual), ServoConfig("j2", 2, on_shutdown="keep", **usual),
    ServoConfig("j3", 3, mode="velocity", on_shutdown="hold", **usual), ServoConfig("j4", 4, **usual),
)
buses = [ServoBus(BusConfig(name, name, servos), margin_s=0.03) for name in sys.argv[2:]]
for bus in buses:
    bus.start()
    bus.activate(True)
def drive():
    for bus in buses:
        bus.command({"j1": Target(0.4), "j2": Target(0.4), "j3": Target(0.0, 1.0)})
    time.sleep(0.01)
while not all(reading.torque for bus in buses for reading in bus.readings()):
    drive()
if sys.argv[1] == "fork":  # only now: a port that is lost cannot be opened again while the child has it, too
    if os.fork() == 0:  # a child that has all our files, and lives on
        time.sleep(20)
        os._exit(0)
    print("forked", flush=True)
if sys.argv[1] == "mistake":
    buses[0]._update_state = lambda: 1 / 0
    while buses[0].state.value != "lost":
        drive()
    buses[0].stop()
    print(dict(buses[0].unsafe), flush=True)
while True:
    drive()
"""

WHY = "the thread of the bus ended by a programming error"
MISTAKE = f"{ {'j1': WHY, 'j4': WHY} }\n".encode()


@pytest.fixture
def stages(tmp_path):
    made: list[DrivenServos] = []

    def make() -> DrivenServos:
        folder = tmp_path / f"bus{len(made)}"
        folder.mkdir()
        made.append(DrivenServos(folder, [servo(id, model="xm430_w350") for id in range(1, 5)]))
        return made[-1]

    yield make
    for stage in made:
        stage.close()


def torque(stage: DrivenServos) -> list[int]:
    return [stage.register(id, "torque_enable") for id in range(1, 5)]


def started(how: str, *stages: DrivenServos, ports: Sequence[str] = ()) -> subprocess.Popen:
    """A driver of these buses, at these ports if there are any, once their joints move."""
    words = [sys.executable, "-c", DRIVER, how, *(ports or [stage.link for stage in stages])]
    child = subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + PATIENCE_S
    try:
        while not all(
            torque(stage) == [1] * 4 and stage.register(3, "goal_velocity") > 9 for stage in stages
        ):
            if how == "mistake" and torque(stages[0]) == [0, 1, 1, 0]:
                break  # it was over before we looked
            assert time.monotonic() < deadline, [*map(torque, stages)]
            assert child.poll() is None
            time.sleep(0.005)
    except AssertionError:
        end(child)
        raise
    return child


def end(child: subprocess.Popen) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)  # the fork, too
    child.wait()
    child.stdout.close()


def made_safe(stage: DrivenServos) -> bool:
    """By each joint's policy: off, keep, hold, off."""
    return torque(stage) == [0, 1, 1, 0] and stage.register(3, "goal_velocity") == 0


@pytest.mark.fault(
    "killed",
    body="dynamixel",
    reaction="the driver itself: its guardian makes the joints safe by their policies",
)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_driver_that_is_killed_or_crashes_leaves_every_joint_as_its_policy_says(stages, number) -> None:
    stage = stages()
    child = started("run", stage)
    try:
        child.send_signal(number)
        assert child.wait(PATIENCE_S) == -number
        stage.until(lambda: made_safe(stage))
    finally:
        end(child)
    stage.start(active=False)  # the port is free again


def test_every_bus_is_guarded_and_a_port_that_was_opened_anew(stages) -> None:
    one, other = stages(), stages()
    child = started("run", one, other)
    try:
        rule = one.virtual.inject("unplug")
        one.until(lambda: one.port.name == "" or not one.port.plugged)
        one.virtual.inject("brown_out", count=1)  # so that torque tells that the driver is back
        one.virtual.heal(rule)
        one.until(lambda: torque(one) == [1] * 4)
        child.kill()
        one.until(lambda: made_safe(one) and made_safe(other))
    finally:
        end(child)


def test_a_bus_behind_tcp_is_guarded(stages) -> None:
    stage = stages()
    stage.port.close()
    stage.port = VirtualPort(stage.virtual, listen=("127.0.0.1", 0), pty=False)
    child = started("run", stage, ports=[f"socket://127.0.0.1:{stage.port.port}"])
    try:
        child.kill()
        stage.until(lambda: made_safe(stage))
    finally:
        end(child)


def test_files_that_live_on_in_a_child_do_not_keep_the_guardian_waiting(stages) -> None:
    stage = stages()
    child = started("fork", stage)
    try:
        assert child.stdout.readline() == b"forked\n"
        child.kill()
        stage.until(lambda: made_safe(stage))
    finally:
        end(child)


@pytest.mark.fault(
    "no memory", body="dynamixel", reaction="the thread of the bus ends; the guardian makes the joints safe"
)
def test_a_mistake_in_the_thread_of_the_bus_makes_safe(stages) -> None:
    stage = stages()
    child = started("mistake", stage)
    try:
        stage.until(lambda: made_safe(stage))
        assert child.stdout.readline() == MISTAKE
    finally:
        end(child)


def test_a_guardian_that_was_killed_is_replaced(stages) -> None:
    stage = stages().start()
    guardian = stage.bus._guarded[0]
    first = guardian.pid
    os.kill(first, signal.SIGKILL)
    stage.until(lambda: guardian.pid not in (0, first))
    assert torque(stage) == [1] * 4


def test_the_guardian_ends_with_the_bus_and_changes_nothing(stages) -> None:
    stage = stages()
    stage.start()
    stage.drive_until(lambda: stage.bus.state is BusState.ACTIVE, j1=Target(0.1))
    pid = stage.bus._guarded[0].pid
    stage.bus.stop()
    assert not Path(f"/proc/{pid}").exists()


def written(*, act: bool, told: list[bytes]) -> bytes:
    """What comes out of a port whose guardian ends."""
    reader, port = os.pipe()
    guardian = Guardian(port)
    for packets in told:
        guardian.set_packets(packets)
    guardian.close(act=act)
    os.close(port)
    with os.fdopen(reader, "rb") as file:
        return file.read()


def test_what_was_told_last_is_written_several_times_or_not_at_all() -> None:
    assert written(act=False, told=[b"safe"]) == b""
    text = written(act=True, told=[b"older", b"newer"])
    assert text.count(b"newer") >= 2
    assert text == b"newer" * (len(text) // 5)
    assert written(act=True, told=[]) == b""


def test_a_guardian_that_is_slow_is_let_act() -> None:
    reader, port = os.pipe()
    guardian = Guardian(port)
    os.kill(guardian.pid, signal.SIGSTOP)
    guardian.set_packets(b"safe")
    threading.Timer(END_S + 0.5, os.kill, [guardian.pid, signal.SIGCONT]).start()
    guardian.close(act=True)
    os.close(port)
    with os.fdopen(reader, "rb") as file:
        assert file.read().startswith(b"safe")


def test_a_guardian_heeds_no_signal_that_can_be_ignored() -> None:
    reader, port = os.pipe()
    guardian = Guardian(port)
    guardian.set_packets(b"safe")
    status = Path(f"/proc/{guardian.pid}/status")
    until(
        lambda: int(status.read_text().split("SigIgn:")[1].split()[0], 16) & 1 << signal.SIGTERM - 1,
        patience=PATIENCE_S,
    )
    os.kill(guardian.pid, signal.SIGTERM)
    os.kill(guardian.pid, signal.SIGINT)
    guardian.close(act=True)
    os.close(port)
    with os.fdopen(reader, "rb") as file:
        assert file.read().startswith(b"safe")


def test_a_guardian_that_cannot_be_started_is_told(monkeypatch, stages) -> None:
    def refuse(*_, **__):
        raise OSError("no more processes")

    stage = stages()
    monkeypatch.setattr(subprocess, "Popen", refuse)
    stage.start()
    stage.until(lambda: "no more processes" in stage.bus.guardian_problem)


NOBODY = 0  # no process has this number
END = bytes(4)  # an order


def order(packets: bytes) -> bytes:
    return len(packets).to_bytes(4, "little") + packets


def waited(*chunks: bytes) -> bytes:
    """What ``wait`` returns when ``chunks`` come through the pipe one by one, and the pipe then breaks."""
    reader, orders = os.pipe()
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(wait(reader, NOBODY)))
    thread.start()
    try:
        with suppress(BrokenPipeError):
            for chunk in chunks:
                os.write(orders, chunk)
                time.sleep(0.01)  # mostly read by itself; nothing depends on it
    finally:
        os.close(orders)
        thread.join()
        os.close(reader)
    return found[0]


LONG = b"x" * 300
OF_256 = b"y" * 256


@pytest.mark.parametrize(
    ("chunks", "packets"),
    [
        ([], b""),
        ([order(b"safe")], b"safe"),
        ([order(b"older") + order(b"newer")], b"newer"),
        ([order(b"older"), order(b"newer")], b"newer"),
        ([order(b"safe"), b"\5\0"], b"safe"),
        ([order(b"safe"), order(b"unfinished")[:-1]], b"safe"),
        ([order(b"safe")[:2], order(b"safe")[2:5], order(b"safe")[5:]], b"safe"),
        ([order(LONG)], LONG),
        ([order(OF_256)], OF_256),
        ([order(b"a")], b"a"),
        ([order(b"safe") + END], b""),
        ([order(b"safe"), END], b""),
        ([END + order(b"safe")], b""),
        ([b"\0\0\0"], b""),
    ],
)
def test_the_last_whole_packets_are_sent_unless_the_driver_says_that_it_has(chunks, packets) -> None:
    assert waited(*chunks) == packets


def test_the_end_of_a_driver_ends_the_wait_although_the_pipe_is_whole(monkeypatch) -> None:
    """A child of the driver may still have a copy of the pipe."""
    handle, driver = os.pipe()
    monkeypatch.setattr(guardian_program, "process_handle", lambda _: [handle])
    reader, orders = os.pipe()
    os.write(orders, order(b"safe"))
    threading.Timer(0.05, os.close, [driver]).start()
    assert wait(reader, NOBODY) == b"safe"
    for file in (handle, reader, orders):
        os.close(file)


def test_a_computer_that_leaves_no_time_does_not_leave_it_at_one_packet(monkeypatch) -> None:
    monkeypatch.setattr(guardian_program, "LAST_S", 0.0)
    reader, port = os.pipe()
    make_safe(port, b"safe")
    os.close(port)
    with os.fdopen(reader, "rb") as file:
        assert file.read() == b"safe" * 5


def test_only_the_parent_can_be_the_driver() -> None:
    (handle,) = process_handle(os.getppid())
    os.close(handle)
    assert process_handle(os.getpid()) == []
    assert process_handle(NOBODY) == []


def test_without_such_handles_the_pipe_alone_tells(monkeypatch) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    assert process_handle(os.getppid()) == []


class Clock:
    """Goes on only while somebody sleeps."""

    def __init__(self, monkeypatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(time, "sleep", self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.now = round(self.now + seconds, 6)


def test_packets_are_written_for_a_while_also_where_the_port_takes_none_now(monkeypatch) -> None:
    clock, tries = Clock(monkeypatch), []

    def write(port: int, data: bytes) -> int:
        tries.append((port, data))
        if len(tries) % 2:
            raise BlockingIOError
        return len(data)

    monkeypatch.setattr(os, "write", write)
    make_safe(7, b"safe")
    assert tries == [(7, b"safe")] * 15
    assert clock.now == pytest.approx(100.3)


def test_a_port_that_is_gone_ends_it_at_once(monkeypatch) -> None:
    clock, tries = Clock(monkeypatch), []

    def write(*_: object) -> int:
        tries.append(1)
        raise OSError("unplugged")

    monkeypatch.setattr(os, "write", write)
    make_safe(7, b"safe")
    assert (len(tries), clock.now) == (1, 100.0)


@pytest.mark.parametrize(("packets", "port"), [(b"", []), (b"safe", [(7, b"safe")])])
def test_it_ignores_all_signals_that_can_be_ignored_and_writes_if_there_is_something(
    monkeypatch, packets, port
) -> None:
    ignored, wrote = {}, []
    monkeypatch.setattr(signal, "signal", lambda number, how: ignored.update({number: how}))
    monkeypatch.setattr(guardian_program, "wait", lambda orders, driver: packets)
    monkeypatch.setattr(guardian_program, "make_safe", lambda *words: wrote.append(words))
    main(7, 8, 9)
    assert set(ignored) == signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    assert set(ignored.values()) == {signal.SIG_IGN}
    assert wrote == port
