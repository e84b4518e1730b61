# SPDX-License-Identifier: Apache-2.0
"""Emergency stop: from the message or the call to torque off on the servos' wire, while the robot's computer is busy.

    python benchmarks/bench_emergency_stop.py [STOPS]

`embodiment_bridge up bringup.launch.xml body:=dynamixel` drives the desk humanoid; another process answers on the wire
and notes when torque off arrives; the stops come from here, half by the topic, half by the service. The loads: goals of
execute_bml, a document of 9,990 nodes every five seconds, four loops that use a core each. It also measures the longest
pause of joint_states by their stamps.
"""

import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import rclpy
from processes import Child, isolate, take_priority
from rows import percentile, row
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool

from embodiment_bridge.nodes.base.runtime import Runtime

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "scripts/embodiment_bridge"
URDF = ROOT / "urdf/desk_humanoid.urdf"
STOPS = 1000
PATIENCE = 60.0  # s
AIM_P99_MS, AIM_WORST_MS = 20.0, 50.0
BETWEEN_S = 0.01, 0.05  # from the first torque to the next stop, drawn
GOALS = "70"  # a second
LOOPS = 4


def goals(stack: ExitStack) -> None:
    """Goals at a rate."""
    stack.enter_context(Child("goal_flood.py", GOALS)).line()


def document(stack: ExitStack) -> None:
    """Large documents."""
    stack.enter_context(Child("goal_flood.py", "document")).line()


def loops(stack: ExitStack) -> None:
    """Programs that only compute."""
    for _ in range(LOOPS):
        stack.enter_context(Child(sys.executable, "-c", "while True: pass", talks=False))


LOADS: dict[str, Callable[[ExitStack], None]] = {
    "nothing else": lambda stack: None,
    f"{GOALS} goals a second": goals,
    "a document of 9,990 nodes": document,
    f"{LOOPS} busy loops": loops,
}


def run(stops: int = STOPS) -> list[dict[str, Any]]:
    """Measure; three rows for each load."""
    isolate()
    rows = []
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        paths = [str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
        env = {**os.environ, "HOME": folder, "PYTHONPATH": os.pathsep.join(paths)}
        wire = stack.enter_context(Child("stop_server.py", URDF))
        words = ["bringup.launch.xml", "body:=dynamixel", f"port:={wire.line()['port']}"]
        up = stack.enter_context(Child(sys.executable, PROGRAM, "up", *words, env=env, talks=False))
        runtime = stack.enter_context(Runtime())
        button = Button(runtime, wire, up)
        for name, load in LOADS.items():
            with ExitStack() as busy:
                load(busy)
                print(f"  {name}: {stops} stops", flush=True)
                take_priority()
                times, pause = button.press(stops)
                take_priority(on=False)
            label = f"stop to torque off, {name}"
            worst = max(times)
            rows += [
                row(f"{label}, p99", percentile(times, 0.99), "ms", at_most=AIM_P99_MS),
                row(f"{label}, worst of {stops}", worst, "ms", at_most=AIM_WORST_MS),
                row(f"joint_states, longest pause, {name}", pause, "ms"),
            ]
    return rows


class Button:
    """Stops the robot and releases it."""

    def __init__(self, runtime: Runtime, wire: Child, up: Child) -> None:
        self._runtime, self._wire, self._up = runtime, wire, up
        self._node = runtime.add(rclpy.create_node("button", context=runtime.context))
        self._topic = self._node.create_publisher(Bool, "emergency_stop", 10)
        self._service = self._node.create_client(SetBool, "emergency_stop")
        self._node.create_subscription(JointState, "joint_states", self._take, 1000)
        self._stamps: list[float] = []
        self._until(lambda: self._topic.get_subscription_count() > 1 and self._service.service_is_ready())
        self._until(lambda: len(self._stamps) > 100)

    def press(self, stops: int) -> tuple[list[float], float]:
        """ms of each stop, and the longest pause of joint_states, ms."""
        chance = random.Random(1)
        times = []
        self._stamps.clear()
        for turn in range(stops):
            self._wire.line()  # torque is on
            end = time.monotonic() + chance.uniform(*BETWEEN_S)
            while time.monotonic() < end:
                self._runtime.executor.spin_once(timeout_sec=max(0.0005, end - time.monotonic()))
            begun = time.monotonic()
            self._say(True, by_topic=turn % 2 == 0)
            times.append(1e3 * (self._wire.line()["off"] - begun))
            self._say(False, by_topic=turn % 2 == 0)
        pauses = [after - before for before, after in zip(self._stamps, self._stamps[1:], strict=False)]
        return times, 1e3 * max(pauses)

    def _say(self, on: bool, *, by_topic: bool) -> None:
        if by_topic:
            self._topic.publish(Bool(data=on))
        else:
            self._service.call_async(SetBool.Request(data=on))

    def _take(self, message: JointState) -> None:
        self._stamps.append(message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec)

    def _until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        self._runtime.spin(lambda: condition() or time.monotonic() > end)
        if not condition():
            raise RuntimeError(f"nothing within {PATIENCE:g} s: {self._up.log()}")


if __name__ == "__main__":
    from run import show

    show(run(*map(int, sys.argv[1:2])))
