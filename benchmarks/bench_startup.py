# SPDX-License-Identifier: Apache-2.0
"""How long it takes from the command line to the first joint_states in another process.

    python benchmarks/bench_startup.py

Ours is `embodiment_bridge up bringup.launch.xml` with a replay server in the simulator's place: a bridge and the
behaviour-tree node. The peer is a bare rclpy node that publishes at once.
"""

import time
from statistics import median
from typing import Any

from processes import Child, isolate
from rows import row

from embodiment_bridge.launching.environment import find_program

TURNS = 3
AIM = 1.7  # times the bare node


def run() -> list[dict[str, Any]]:
    """Measure; one row."""
    isolate()
    ours, bare = [], []
    for turn in range(TURNS):
        print(f"  turn {turn + 1} of {TURNS}", flush=True)
        with Child("replay_server.py") as server:
            ports = server.line()
            words = (f"port:={ports['port']}", f"monitor_port:={ports['monitor_port']}")
            ours.append(
                until_first_message(
                    find_program("embodiment_bridge"), "up", "bringup.launch.xml", "body:=rcsssmj", *words
                )
            )
        bare.append(until_first_message("bare_publisher.py"))
    return [
        row(
            "start to first joint_states",
            median(ours),
            "s",
            peer="bare rclpy node",
            peer_value=median(bare),
            at_most=AIM,
        )
    ]


def until_first_message(*words: object) -> float:
    """Start a program; s until the listener, which is there already, has its first message."""
    with Child("listener.py", "joint_states") as listener:
        listener.line()
        begun = time.monotonic()
        with Child(*words, talks=False):
            return listener.line()["first"] - begun


if __name__ == "__main__":
    from run import show

    show(run())
