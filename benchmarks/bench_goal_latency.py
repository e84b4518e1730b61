# SPDX-License-Identifier: Apache-2.0
"""From a brain's goal to the first joint that moves, through the whole graph, for each body.

    python benchmarks/bench_goal_latency.py

`embodiment_bridge up bringup.launch.xml body:=...` runs in one process, the body's peer in another, and the brain
here. It sends the BML document HEAD_SHAKE to a robot at rest, and waits for the first joint_states in which the joint
that this moves first is 0.02 rad from where it rested. Goals are sent at all times of the body's cycle alike. The peer
is the sum of what cannot be less:

* three ways through DDS (brain to tree, tree to body, joint_states to brain), each half of a bare service call between
  two processes, measured in the same run;
* the body's cycle: half of one until the next percept, which is answered with the first step of the motion, and one
  for each step until its smooth beginning has come 0.02 rad far, as the motion runner makes it. That is computed with
  a body that follows at once: its joints are where they were told to be when the next percept comes, or, where a body
  is told speeds (simspark), they have turned at that speed for the whole cycle.

The rest is our own time and the response of the body: a servo with a gain, a simulated motor. maeden has no joints and
is left out.
"""

import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import rclpy
from processes import Child, isolate
from rows import row
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets, SkillRequest
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.tree.bml_client import BmlClient
from embodiment_bridge.protocols.simspark.convert import CYCLE, Limits, VelocityLoop

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "scripts/embodiment_bridge"
GOALS = 12
CALLS = 200
PATIENCE = 60.0  # s
MOVED = 0.02  # rad
REST_S = 0.5
DOCUMENT = '{"type": "body", "action": "HEAD_SHAKE"}'
BODIES = {  # cycle in s, body file, whether there is a simulator to start, and one with a monitor port
    "mock": (0.02, "mock", False, False),
    "rcsssmj": (0.02, "t1", True, True),
    "simspark": (0.02, "nao", True, True),
    "virtual_servos": (0.01, "desk_humanoid", False, False),
}
AIM = 2.0  # times the floor


def run(goals: int = GOALS) -> list[dict[str, Any]]:
    """Measure; one row for each body, median, beside its floor."""
    isolate()
    way = dds_way()
    rows = [row("one way through DDS, median", round(way * 1e3, 2), "ms")]
    for body, (cycle, file, *_) in BODIES.items():
        print(f"  {body}: {goals} goals", flush=True)
        steps, joint = rise(file, cycle, SpeedDriven if body == "simspark" else PositionDriven)
        times = measure(body, joint, goals, cycle)
        floor = 3 * way + (0.5 + steps) * cycle
        rows.append(
            row(
                f"{body}: goal to first motion, median",
                round(statistics.median(times) * 1e3, 1),
                "ms",
                peer="floor",
                peer_value=round(floor * 1e3, 1),
                at_most=AIM,
            )
        )
    return rows


def dds_way() -> float:
    """Half of a bare service call, s."""
    with Child("echo_service.py") as echo, Runtime() as runtime:
        echo.line()
        node = runtime.add(rclpy.create_node("caller", context=runtime.context))
        client = node.create_client(Trigger, "echo")
        until(runtime, client.service_is_ready)
        spent = []
        for _ in range(CALLS):
            begun = time.perf_counter()
            answer = client.call_async(Trigger.Request())
            until(runtime, answer.done)
            spent.append(time.perf_counter() - begun)
        return statistics.median(spent) / 2


class PositionDriven:
    """Joints that reach their target before the next percept."""

    def __init__(self, body: BodyDescription) -> None:
        pass

    def move(self, state: BodyState, targets: JointTargets) -> tuple[float, ...]:
        """The angles a cycle later, rad."""
        return targets.position


class SpeedDriven:
    """Joints that turn at once at the commanded speed."""

    def __init__(self, body: BodyDescription) -> None:
        self._loop = VelocityLoop([Limits(joint.lower, joint.upper, joint.velocity) for joint in body.joints])

    def move(self, state: BodyState, targets: JointTargets) -> tuple[float, ...]:
        """The angles a cycle later, rad."""
        speeds = self._loop.speeds(state.position, targets, CYCLE)
        return tuple(angle + speed * CYCLE for angle, speed in zip(state.position, speeds, strict=True))


def rise(file: str, cycle: float, kind: type[PositionDriven | SpeedDriven]) -> tuple[int, str]:
    """Number of cycles in which the motion can move a joint by 0.02 rad, and that joint."""
    body = read_body(ROOT / "config/bodies" / f"{file}.yaml")
    runner, joints = MotionRunner(body), kind(body)
    state = BodyState(0.0, tuple(joint.rest for joint in body.joints), (0.0,) * len(body.joints))

    def after(before: BodyState) -> BodyState:
        angles = joints.move(before, runner.step(before, cycle))
        return replace(before, time=before.time + cycle, position=angles)

    for _ in range(round(3.0 / cycle)):  # the first percept takes it to its rest pose
        state = after(state)
    still = state.position
    runner.start(SkillRequest("1", "head_shake"))
    for step in range(1, 1000):
        state = after(state)
        for joint, a, b in zip(body.joints, state.position, still, strict=True):
            if abs(a - b) > MOVED:
                return step, joint.name
    raise RuntimeError(f"{file}: head_shake does not move")


def measure(body: str, joint: str, goals: int, cycle: float) -> list[float]:
    """Times of one body, s."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        words = [f"body:={body}", *where(body, folder)]
        program = stack.enter_context(
            Child(sys.executable, PROGRAM, "up", "bringup.launch.xml", *words, talks=False)
        )
        runtime = stack.enter_context(Runtime())
        try:
            return Brain(runtime, joint, cycle).ask(goals)
        except TimeoutError as error:
            raise RuntimeError(f"{body}: {error}: {program.log()}") from error


def where(body: str, folder: Path) -> list[str]:
    """Launch arguments with free ports."""
    _, _, simulator, monitor = BODIES[body]
    with socket.create_server(("127.0.0.1", 0)) as a, socket.create_server(("127.0.0.1", 0)) as b:
        ports = a.getsockname()[1], b.getsockname()[1]
    words = ["start_peer:=true", f"port:={ports[0]}"] if simulator else []
    if body == "virtual_servos":
        words = [f"port:={folder / 'servos'}"]
    return [*words, f"monitor_port:={ports[1]}"] if monitor else words


class Brain:
    """Sends goals to a robot at rest, and measures when it moves."""

    def __init__(self, runtime: Runtime, joint: str, cycle: float) -> None:
        self._runtime, self._joint, self._cycle = runtime, joint, cycle
        self._states = 0  # joint_states that came
        self._angle = self._still = 0.0  # the latest, and the one that the others are compared with
        self._moved_at = self._still_since = 0.0
        self._armed = False  # the next motion is the one that was asked for
        node = runtime.add(rclpy.create_node("brain", context=runtime.context))
        node.create_subscription(JointState, "joint_states", self._take, profile("sensor"))
        self._bml = BmlClient(node, lambda feedback: None)

    def ask(self, goals: int) -> list[float]:
        """Times of a number of goals, s, without the first one, which is a warm-up."""
        until(self._runtime, lambda: self._bml.server_is_there and self._states > 0)
        self._run_one(0.0)
        return [self._run_one((goal + 0.5) / goals) for goal in range(goals)]

    def _run_one(self, share: float) -> float:
        """The time of a goal that is sent after this share of the cycle.

        Goals that are refused because the body is not there yet or is lost are sent again.
        """
        end = time.monotonic() + PATIENCE
        while True:
            self._rest()
            time.sleep(share * self._cycle)
            begun = time.perf_counter()
            self._bml.send(DOCUMENT, source="bench")
            until(self._runtime, lambda: self._bml.result is not None)
            if self._bml.result.outcome == "SUCCEEDED":
                return self._moved_at - begun
            if time.monotonic() > end:
                raise RuntimeError(f"{self._bml.result.outcome}: {self._bml.result.reason}")
            print(f"    again: {self._bml.result.outcome}: {self._bml.result.reason}", flush=True)
            time.sleep(0.5)

    def _rest(self) -> None:
        """Wait until the joint has not moved for a while, and then for the next joint_states."""
        self._armed, self._still_since = False, time.perf_counter()
        until(self._runtime, lambda: time.perf_counter() - self._still_since > REST_S)
        before = self._states
        until(self._runtime, lambda: self._states > before)
        self._still = self._angle
        self._armed, self._moved_at = True, 0.0

    def _take(self, message: JointState) -> None:
        now, self._angle = time.perf_counter(), message.position[message.name.index(self._joint)]
        self._states += 1
        if abs(self._angle - self._still) <= MOVED:
            return
        if self._armed:
            self._armed, self._moved_at = False, now
        else:
            self._still, self._still_since = self._angle, now


def until(runtime: Runtime, condition: Callable[[], bool]) -> None:
    """Serve until it holds.

    Raises:
        TimeoutError: it does not.
    """
    end = time.monotonic() + PATIENCE
    runtime.spin(lambda: condition() or time.monotonic() > end)
    if not condition():
        raise TimeoutError(f"nothing within {PATIENCE:g} s")


if __name__ == "__main__":
    from run import show

    show(run())
