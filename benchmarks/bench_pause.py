# SPDX-License-Identifier: Apache-2.0
"""Pause: from the call of `~/pause` to the moment in which nothing moves any more, for a body that waves.

    python benchmarks/bench_pause.py [BODY ...]

In wall time, of bodies that go in real time. ``PAUSED`` is told when body and tree have acknowledged; still
is the first sample after which the waving joint stays within 0.01 rad for half a second. A hold slows motions down in
0.2 s, so that nothing is jerked; then a joint that hangs on a soft motor still swings or sinks to where it stays. The
floor is the mock body in the same run: the same tree and the same hold, with joints that obey at once.
"""

import json
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import rclpy
from processes import Child, isolate
from rclpy.parameter import Parameter
from rows import percentile, row
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from embodiment_bridge.launching.executables import agent_bridge, behavior_tree, mock_body
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body.joint_driver import JointDriver
from embodiment_bridge.nodes.tree.bml_client import BmlClient

ROOT = Path(__file__).parents[1]
TRIES = 10
PATIENCE = 60.0  # s of wall time
NEAR = 0.01  # rad
FAST = 0.04  # rad in five samples
STILL_FOR = 0.5  # s
AIM_MS = 500.0
WAVE = {"type": "loop", "loop": -1, "behavior": {"type": "body", "action": "HAND_PITCH", "duration": 3}}


def mock(runtime: Runtime, stack: ExitStack) -> str:
    """The mock body; its waving joint."""
    runtime.add(mock_body(context=runtime.context))
    return "l_shoulder_pitch"


def t1(runtime: Runtime, stack: ExitStack) -> str:
    """A T1 in a simulation of this process."""
    values = {
        "transport": "managed",
        "realtime_factor": 1.0,
        "body_file": str(ROOT / "config/bodies/t1.yaml"),
        "robot_description_file": str(ROOT / "urdf/t1.urdf"),
    }
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    runtime.add(agent_bridge(parameter_overrides=overrides, context=runtime.context))
    return "Left_Shoulder_Pitch"


def virtual_servos(runtime: Runtime, stack: ExitStack) -> str:
    """The desk humanoid, with the driver of real servos; a process of its own answers on the wire."""
    folder = Path(stack.enter_context(TemporaryDirectory()))
    urdf, link = ROOT / "urdf/desk_humanoid.urdf", folder / "servos"
    words = [sys.executable, ROOT / "scripts/embodiment_bridge", "virtual-servos", urdf, "--link", link]
    stack.enter_context(Child(*words, talks=False))
    values = {
        "robot_description_file": str(urdf),
        "body_file": str(ROOT / "config/bodies/desk_humanoid.yaml"),
        "port_name": str(link),
        "calibration_file": str(folder / "calibration.yaml"),
    }
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    runtime.add(JointDriver(parameter_overrides=overrides, context=runtime.context))
    return "l_shoulder_pitch"


# A body is one function: it adds its node to the runtime and names a joint that HAND_PITCH moves; what it opens besides
# is closed by the stack, after the nodes.
Body = Callable[[Runtime, ExitStack], str]
BODIES: dict[str, Body] = {"mock": mock, "virtual servos": virtual_servos, "T1 (managed simulation)": t1}


def run(names: list[str] | None = None, tries: int = TRIES) -> list[dict[str, Any]]:
    """Measure; two rows for each body."""
    isolate()
    rows = []
    floor: float | None = None
    for name in names or BODIES:
        told, still = measure(BODIES[name], tries)
        median = percentile(still, 0.5)
        label = f"pause to still, {name} (worst {max(still):.0f} ms)"
        if floor is None:
            rows.append(row(label, median, "ms", peer=f"median of {tries}"))
        else:
            rows.append(row(label, median, "ms", peer="floor: mock", peer_value=floor))
        floor = median if name == "mock" else floor
        rows.append(
            row(
                f"pause to PAUSED, {name}",
                percentile(told, 0.5),
                "ms",
                peer=f"median of {tries}",
                at_most=AIM_MS,
            )
        )
    return rows


def measure(body: Body, tries: int) -> tuple[list[float], list[float]]:
    """ms until PAUSED was reported, and until the joint stood still."""
    with ExitStack() as stack, Runtime() as runtime:
        joint = body(runtime, stack)
        tree = runtime.add(behavior_tree(context=runtime.context))
        bench = Bench(runtime, joint)
        bench.until(lambda: bool(bench.samples) and bench.client.server_is_there and bool(tree.skills))
        bench.wave()
        pairs = [bench.pause_once() for _ in range(tries)]
        bench.call("stop")
        bench.until(lambda: bench.client.result is not None)
        bench.client.destroy()
    return [told for told, _ in pairs], [still for _, still in pairs]


class Bench:
    """Watches one joint."""

    def __init__(self, runtime: Runtime, joint: str) -> None:
        self.runtime = runtime
        self.joint = joint
        self.samples: list[tuple[float, float]] = []  # wall time s, angle rad
        self.state = ""
        self.node = runtime.add(rclpy.create_node("bench_pause", context=runtime.context))
        self.node.create_subscription(JointState, "joint_states", self.take, 50)
        self.client = BmlClient(self.node, self.hear)

    def take(self, message: JointState) -> None:
        """A sample; servos that are not set up yet are not in the message."""
        if self.joint in message.name:
            angle = message.position[list(message.name).index(self.joint)]
            self.samples.append((time.monotonic(), angle))

    def hear(self, feedback: Any) -> None:
        """Feedback of the run."""
        self.state = feedback.state

    def until(self, condition: Callable[[], bool]) -> None:
        """Serve until it holds."""
        deadline = time.monotonic() + PATIENCE
        self.runtime.spin(lambda: condition() or time.monotonic() > deadline)
        if not condition():
            raise RuntimeError(f"nothing came in {PATIENCE:g} s")

    def wait(self, seconds: float) -> None:
        """Serve for some time."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end)

    def call(self, name: str) -> None:
        """A service of the tree."""
        client = self.node.create_client(Trigger, f"behavior_tree/{name}")
        self.until(client.service_is_ready)
        answer = client.call_async(Trigger.Request())
        self.until(answer.done)
        self.node.destroy_client(client)

    def wave(self) -> None:
        """Begin; a body that was still coming up has refused, and is asked again."""

        self.client.send(json.dumps(WAVE), source="benchmark")

        def moves() -> bool:
            if self.client.result is not None:
                self.client.send(json.dumps(WAVE), source="benchmark")
            return self.is_fast()

        self.until(moves)

    def is_fast(self) -> bool:
        """Whether the joint is at full speed."""
        return len(self.samples) > 10 and abs(self.samples[-1][1] - self.samples[-6][1]) > FAST

    def pause_once(self) -> tuple[float, float]:
        """ms until PAUSED, and until still; at full speed, which comes back some time after a resume."""
        self.wait(2 * STILL_FOR)
        self.until(self.is_fast)
        begun = time.monotonic()
        self.samples.clear()
        self.call("pause")
        self.until(lambda: self.state == "PAUSED")
        told = time.monotonic()
        self.wait(2 * STILL_FOR)
        last = self.samples[-1][1]
        moving = [when for when, angle in self.samples if abs(angle - last) > NEAR]
        self.call("resume")
        self.until(lambda: self.state == "RUNNING")
        return 1e3 * (told - begun), 1e3 * (max(moving, default=begun) - begun)


if __name__ == "__main__":
    for one in run(sys.argv[1:] or None):
        print(f"{one['name']:45} {one['value']:8.3g} {one['unit']}  {one['peer']}  {one['aim']}")
