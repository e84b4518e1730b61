# SPDX-License-Identifier: Apache-2.0
"""A T1 walks for 18 s on the real RoboCup MuJoCo server, which does not wait for it, while another process listens.

    python benchmarks/bench_percept_to_frame.py [SECONDS]

`embodiment_bridge up bringup.launch.xml` runs the bridge and the behaviour-tree node. This process asks for the skill
`walk` and hears joint_states, pose and /tf at 50 Hz. The times from a percept to its answer are those that the bridge
itself gives to /diagnostics: of its last minute, so also of joining and standing; all other rows are of the walk alone.
"""

import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from processes import Child, isolate
from rows import row

from embodiment_bridge.launching.environment import find_program, of_outside_program

SECONDS = 18.0
A_SECOND = 50  # percepts
TELL_EVERY = 3.0  # s
PATIENCE = 60.0  # s to join, for the server compiles its world first
SETTLE = 2.5  # s of standing before the walk
AIM_MS = 10.0
HEARD = 0.99  # of the percepts; diagnostics say how many there were, on another topic
UPRIGHT = 0.55  # m; the torso of a standing T1 is at 0.67, of a walking one at 0.61
SPEED = 0.3  # m/s at least


def run(seconds: float = SECONDS) -> list[dict[str, Any]]:
    """Measure; rows of answer times, of what was heard, and of the walk."""
    isolate()
    port, monitor_port = free_ports()
    server = (find_program("rcssservermj"), "--no-render", "--aport", port, "--mport", monitor_port)
    bridge = (find_program("embodiment_bridge"), "up", "bringup.launch.xml", "body:=rcsssmj", f"port:={port}")
    print("  the server compiles its world, a T1 joins", flush=True)
    with (
        Child(*server, env=of_outside_program(os.environ), talks=False),
        Child(*bridge, f"monitor_port:={monitor_port}", talks=False) as process,
    ):
        return walk(process, seconds)


def walk(process: Child, seconds: float) -> list[dict[str, Any]]:
    from embodiment_bridge.action import ExecuteSkill
    from rclpy.action import ActionClient
    from tf2_msgs.msg import TFMessage

    from embodiment_bridge.nodes.base.qos import profile
    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.base.watcher import Watcher

    transforms = []
    with Runtime() as runtime:
        watcher = runtime.add(Watcher(context=runtime.context))
        watcher.create_subscription(TFMessage, "/tf", lambda _: transforms.append(1), profile("events"))
        skills = ActionClient(watcher, ExecuteSkill, "execute_skill")
        wait(
            runtime,
            lambda: watcher.percepts > A_SECOND and skills.server_is_ready(),
            "the robot did not join",
            process,
        )
        wait(runtime, lambda: watcher.posture == "standing", "the robot does not stand", process)
        print("  it stands", flush=True)
        rested = time.monotonic() + SETTLE
        wait(runtime, lambda: time.monotonic() > rested, "it went away", process)
        fresh(runtime, watcher, process)
        watcher.mark()
        before, heard, seen = int(watcher.timing["events"]), watcher.percepts, len(transforms)
        begun, cpu = time.monotonic(), process.cpu_s()
        reason = perform(runtime, watcher, skills, seconds, process)
        share = (process.cpu_s() - cpu) / (time.monotonic() - begun)
        lowest, distance = watcher.lowest, watcher.distance
        fresh(runtime, watcher, process)
        timing = watcher.timing
        heard, seen = watcher.percepts - heard, len(transforms) - seen
        skills.destroy()
    percepts = int(timing["events"]) - before
    if reason:
        print(f"  the skill ended early: {reason}", flush=True)
    each = {"peer": "percepts", "peer_value": percepts}
    return [
        row("percepts answered", percepts, "percepts"),
        row("percept to frame p50", float(timing["percept_to_frame_p50_ms"]), "ms"),
        row("percept to frame p99", float(timing["percept_to_frame_p99_ms"]), "ms", at_most=AIM_MS),
        row("percept to frame max", float(timing["percept_to_frame_max_ms"]), "ms"),
        row("joint_states heard", heard, "messages", **each, at_least=HEARD),
        row("/tf heard", seen, "messages", **each, at_least=HEARD),
        row("CPU of the bridge process", share, "cores"),
        row("walked", distance, "m", at_least=SPEED * seconds),
        row("lowest torso", lowest, "m", at_least=UPRIGHT),
    ]


def perform(runtime: Any, watcher: Any, skills: Any, seconds: float, process: Child) -> str:
    """Ask for the walk and wait for its end; why it went wrong, or nothing."""
    from diagnostic_msgs.msg import KeyValue
    from embodiment_bridge.action import ExecuteSkill

    goal = ExecuteSkill.Goal(name="walk", source="benchmark")
    goal.parameters = [KeyValue(key="duration", value=str(seconds))]
    answer = skills.send_goal_async(goal)
    wait(runtime, answer.done, "the goal was not taken", process)
    result = answer.result().get_result_async()
    begun = told = time.monotonic()
    while not result.done() and time.monotonic() < begun + seconds + PATIENCE:
        if time.monotonic() > told + TELL_EVERY:
            told = time.monotonic()
            place = f"{watcher.distance:.2f} m, torso at {watcher.z:.2f} m"
            print(f"  {told - begun:4.0f} s: {place}", flush=True)
        runtime.executor.spin_once(timeout_sec=0.1)
    return result.result().result.reason if result.done() else "the skill did not end"


def fresh(runtime: Any, watcher: Any, process: Child) -> None:
    """Wait for the next diagnostics, which come once a second."""
    last = watcher.timing
    wait(runtime, lambda: watcher.timing is not last, "there are no diagnostics", process)


def wait(runtime: Any, condition: Callable[[], bool], complaint: str, process: Child) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline or process.process.poll() is not None:
            raise RuntimeError(f"{complaint}: {process.log()}")
        runtime.executor.spin_once(timeout_sec=0.1)


def free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as a, socket.create_server(("127.0.0.1", 0)) as b:
        return a.getsockname()[1], b.getsockname()[1]


if __name__ == "__main__":
    from run import show

    show(run(*(float(word) for word in sys.argv[1:])))
