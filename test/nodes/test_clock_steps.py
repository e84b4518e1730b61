# SPDX-License-Identifier: Apache-2.0
"""A wall clock that is set back or forward stops no timer, and is no time that has passed."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from waiting import PROCESS, spin_until

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime

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
            return not simulated or node.seconds() == 5.0

        spin_until(runtime, seen)
        assert node.seconds() == (5.0 if simulated else pytest.approx(time.monotonic(), abs=5.0))
