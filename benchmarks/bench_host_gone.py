# SPDX-License-Identifier: Apache-2.0
"""How long the body still moves after a language model's host or the server of its tools is gone.

    python benchmarks/bench_host_gone.py

One robot (`embodiment_bridge up bringup.launch.xml body:=mock`) runs in a process. Each time `embodiment_bridge mcp` is
started anew, its host lets the robot shake its head without end, and then, at a random moment, either the server is
killed (SIGKILL: only the silence on keep_alive tells) or its standard input is closed, as the kernel does when the host
dies. The time ends when all joints have come to within 1 mrad of where they rest.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from processes import Child, isolate
from rows import percentile, row
from sensor_msgs.msg import JointState

from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.robot.robot import Robot

PROGRAM = Path(__file__).parents[1] / "scripts/embodiment_bridge"
TIMES = 20
PATIENCE = 60.0  # s
LONGEST = 0.7  # s
REST = 1.5  # s without a change: it holds
SAME = 1e-3  # rad from where it comes to rest, less than which counts as being there
HOST = (
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"clientInfo":{"name":"benchmark","version":"1"}}}\n'
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_behavior","arguments":{"document":'
    '{"type":"loop","loop":-1,"behavior":{"type":"body","action":"HEAD_SHAKE","duration":1}}}}}\n'
)


class Motion:
    """The joint states since ``forget``, with the times at which they came."""

    def __init__(self, robot: Robot) -> None:
        self._states: list[tuple[float, tuple[float, ...]]] = []
        robot.on_graph(
            lambda node: node.create_subscription(JointState, "joint_states", self._take, profile("sensor"))
        )

    def forget(self) -> None:
        """Begin anew."""
        self._states = []

    def last(self) -> float:
        """When a joint was last away from where it is now; 0 if none was."""
        states = list(self._states)
        away = [when for when, place in states if _apart(place, states[-1][1])]
        return max(away, default=0.0)

    def _take(self, message: JointState) -> None:
        self._states.append((time.monotonic(), tuple(message.position)))


def _apart(place: tuple[float, ...], rest: tuple[float, ...]) -> bool:
    return any(abs(a - b) > SAME for a, b in zip(place, rest, strict=True))


def run(times: int = TIMES) -> list[dict[str, Any]]:
    """Measure both ends."""
    isolate()
    with (
        Child(sys.executable, PROGRAM, "up", "bringup.launch.xml", "body:=mock", talks=False),
        Robot(source="benchmark", wait=PATIENCE) as robot,
    ):
        motion = Motion(robot)
        killed = [still_moved(robot, motion, subprocess.Popen.kill) for _ in range(times)]
        closed = [still_moved(robot, motion, close) for _ in range(times)]
    return [
        row("server killed: moves on for, median", round(percentile(killed, 0.5), 2), "s"),
        row("server killed: moves on for at most", round(max(killed), 2), "s", at_most=LONGEST),
        row("host gone, pipe closed: median", round(percentile(closed, 0.5), 2), "s"),
        row("host gone, pipe closed: at most", round(max(closed), 2), "s", at_most=LONGEST),
    ]


def close(server: "subprocess.Popen[str]") -> None:
    """The host is gone."""
    if server.stdin is not None:
        server.stdin.close()


def still_moved(robot: Robot, motion: Motion, end: Callable[["subprocess.Popen[str]"], None]) -> float:
    """The s from the end of one server, or of its host, to the last change of a joint."""
    server = subprocess.Popen(
        [sys.executable, str(PROGRAM), "mcp", "--wait", f"{PATIENCE:g}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        env=dict(os.environ),
    )
    try:
        server.stdin.write(HOST)  # type: ignore[union-attr] # a pipe
        server.stdin.flush()  # type: ignore[union-attr]
        motion.forget()
        begun = time.monotonic()
        while not motion.last():
            if time.monotonic() > begun + PATIENCE:
                raise TimeoutError("the robot did not move")
            time.sleep(0.05)
        time.sleep(random.uniform(0.5, 1.5))
        gone = time.monotonic()
        end(server)
        while time.monotonic() < max(motion.last(), gone) + REST:
            time.sleep(0.05)
        return max(motion.last() - gone, 0.0)
    finally:
        server.kill()
        server.wait()
        close(server)
        robot.stop()


if __name__ == "__main__":
    from run import show

    show(run())
