# SPDX-License-Identifier: Apache-2.0
"""Messages of /clock that cannot be, jump or stay away; and a wall clock that is set back or forward."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from waiting import PROCESS, spin_until

from embodiment_bridge.behaviour.engine.clock import RunClock
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.clock_watch import SILENT, ClockWatch
from embodiment_bridge.nodes.base.runtime import Runtime


def believed(*times: float) -> tuple[list[float], ClockWatch]:
    watch = ClockWatch(lambda text: None)
    return [t for t in times if watch.accepts(int(t // 1), round((t % 1) * 1e9))], watch


@pytest.mark.parametrize(
    ("times", "taken", "jumps", "skipped"),
    [
        ((1.0, 1.5, 2.0), [1.0, 1.5, 2.0], 0, 0.0),
        ((5.0, 5.0, 5.0), [5.0, 5.0, 5.0], 0, 0.0),  # a simulator that stands still
        ((50.0, 3.0, 50.5), [50.0, 50.5], 0, 0.0),  # one odd message
        ((50.0, 3.0, 3.5, 4.0), [50.0, 3.5, 4.0], 1, 0.0),  # a simulator that was reset
        ((5.0, 9000.0, 5.5), [5.0, 5.5], 0, 0.0),
        ((5.0, 9000.0, 9000.5, 9001.0), [5.0, 9000.5, 9001.0], 1, 8995.5),
        ((5.0, 4.75, 5.5), [5.0, 5.5], 0, 0.0),  # overtaken on the way
        ((1.0, 100.0, 1.5, 100.5, 2.0, 101.0), [1.0, 1.5, 2.0], 0, 0.0),  # two publishers
    ],
)  # fmt: skip
def test_what_is_believed(times, taken, jumps, skipped) -> None:
    got, watch = believed(*times)
    assert got == taken
    assert (watch.jumps, watch.skipped) == (jumps, times[0] + skipped)


@pytest.mark.parametrize(("sec", "nanosec"), [(-1, 0), (-(2**31), 5), (0, 10**9), (3, 2**32 - 1)])
def test_what_is_no_time_is_dropped_and_said_once(sec, nanosec) -> None:
    told = []
    watch = ClockWatch(told.append)
    assert not watch.accepts(sec, nanosec)
    assert not watch.accepts(sec, nanosec)
    assert watch.dropped == 2
    assert told == [f"/clock: {sec} s and {nanosec} ns is not a valid time; such messages are dropped"]


def test_silence_is_told() -> None:
    now, told = [0.0], []
    watch = ClockWatch(told.append, lambda: now[0])
    now[0] = 100.0
    assert watch.troubles() == []  # of a node without simulated time
    watch.checked(lambda message: None)
    now[0] = 102.0
    assert (watch.troubles(), watch.silent) == ([], False)
    now[0] = 102.1
    assert (watch.troubles(), watch.troubles(), watch.silent) == ([SILENT], [SILENT], True)
    watch.accepts(1, 0)
    assert (watch.troubles(), watch.silent) == ([], False)
    now[0] = 105.0
    assert watch.troubles() == [SILENT]
    assert told == [SILENT, SILENT]


def test_a_jump_ahead_is_no_time_for_a_run() -> None:
    watch, clock = ClockWatch(lambda text: None), RunClock()
    for t in (5, 6, 9000, 9001, 9002):
        if watch.accepts(t, 0):
            clock.advance_to(t - watch.skipped)
    assert clock.seconds == pytest.approx(2.0)  # 5 to 6, and 9001 to 9002


def test_a_node_with_simulated_time_survives_a_negative_one_and_goes_on() -> None:
    with Runtime() as runtime:
        sim = [Parameter("use_sim_time", value=True)]
        node = runtime.add(BridgeNode("timed", (), context=runtime.context, namespace="/c", parameter_overrides=sim,
                                      cli_args=["--ros-args", "-r", "/clock:=/c/clock"]))  # fmt: skip
        teller = runtime.add(Node("teller", context=runtime.context, namespace="/c"))
        publisher = teller.create_publisher(Clock, "/c/clock", 10)
        raw: list[object] = []  # as the recorder takes it
        node.create_subscription(Clock, "/clock", raw.append, 10, raw=True)

        def tell_until(sec: int, condition) -> None:
            deadline = time.monotonic() + 30.0
            while not condition() and time.monotonic() < deadline:
                message = Clock()
                message.clock.sec = sec
                publisher.publish(message)
                runtime.executor.spin_once(timeout_sec=0.05)
            assert condition()

        tell_until(7, lambda: node.get_clock().now().nanoseconds == 7 * 10**9)
        tell_until(-5, lambda: node.clock_watch.dropped > 0)
        tell_until(8, lambda: node.get_clock().now().nanoseconds == 8 * 10**9)
        assert {type(one) for one in raw} == {bytes}
        assert node.guard.count == 0


HERE = Path(__file__).parent
# Two timers of 20 ms, on the steady clock and on the node's; a line when both have gone on after each step.
PROGRAM = """\
import sys, time
from pathlib import Path
from rclpy.clock import Clock, ClockType
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime

with Runtime() as runtime:
    node = runtime.add(BridgeNode("stepped", (), context=runtime.context))
    ticks = [0, 0]
    def tick(which):
        ticks[which] += 1
    node.create_timer(0.02, lambda: tick(0), clock=Clock(clock_type=ClockType.STEADY_TIME))
    node.create_timer(0.02, lambda: tick(1))
    for step in ("0", "-3600", "3600", "-7200"):
        passed = node.seconds()
        Path(sys.argv[1]).write_text(step)
        ticks[:] = [0, 0]
        runtime.spin(lambda: min(ticks) > 50)
        print(step, time.time() > 0 and 0.0 < node.seconds() - passed < 1800.0, flush=True)
"""


@pytest.fixture(scope="module")
def stepped_clock(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: apt install build-essential")
    library = tmp_path_factory.mktemp("clock") / "stepped_clock.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, HERE / "stepped_clock.c", "-ldl"], check=True
    )
    return library


def test_timers_go_on_after_the_wall_clock_was_set(stepped_clock, tmp_path):
    file = tmp_path / "step"
    paths = os.pathsep.join([str(HERE.parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {
        **os.environ, "LD_PRELOAD": str(stepped_clock), "CLOCK_STEP": str(file), "PYTHONPATH": paths
    }  # fmt: skip
    words = [sys.executable, "-c", PROGRAM, str(file)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PROCESS)
    assert done.stdout.split("\n")[:-1] == ["0 True", "-3600 True", "3600 True", "-7200 True"], done.stderr


@pytest.mark.parametrize("simulated", [False, True])
def test_durations_are_of_simulated_time_or_of_the_steady_clock(simulated):
    with Runtime() as runtime:
        overrides = [Parameter("use_sim_time", value=simulated)]
        node = runtime.add(
            BridgeNode(
                "timed", (), namespace="/timed", parameter_overrides=overrides, context=runtime.context
            )
        )
        clock = node.create_publisher(Clock, "/clock", 10)

        def seen():
            message = Clock()
            message.clock.sec = 5
            clock.publish(message)
            return not simulated or node.get_clock().now().nanoseconds == 5 * 10**9

        spin_until(runtime, seen)
        assert node.seconds() == (0.0 if simulated else pytest.approx(time.monotonic(), abs=5.0))
