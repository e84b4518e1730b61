# SPDX-License-Identifier: Apache-2.0
"""Two whole teams in one process: 22 agent_bridge nodes on a replay server at 50 Hz.

    python benchmarks/bench_many.py [ROBOTS [SECONDS]]

A percept is lost when the server sent it and the node did not answer it. The time from a percept to its answer is that
of the robot which fares worst; the limit is the 20 ms until the next one.
"""

import sys
import time
from typing import Any

from processes import Child, isolate
from rows import row

ROBOTS = 22
SECONDS = 20.0
CYCLE_MS = 20.0
LIMIT = "cycle of the simulator"


def run(robots: int = ROBOTS, seconds: float = SECONDS) -> list[dict[str, Any]]:
    """Measure; rows of loss, CPU and answer times."""
    isolate()
    with Child("replay_server.py") as server:
        ports = server.line()
        with Child("robots.py", robots, ports["port"], ports["monitor_port"]) as process:
            print(f"  {robots} robots join", flush=True)
            process.line()
            print(f"  all have joined; {seconds:g} s", flush=True)
            begun, cpu = time.monotonic(), process.cpu_s()
            time.sleep(seconds)
            share = (process.cpu_s() - cpu) / (time.monotonic() - begun)
            traffic = server.finish()
            numbers = process.finish()
    sent = sum(robot["sent"] for robot in traffic)
    answered = sum(robot["came"] - 1 for robot in traffic if robot["came"])
    late = {
        share: max(float(n[f"percept_to_frame_{share}_ms"]) for n in numbers)
        for share in ("p50", "p99", "max")
    }
    return [
        row("percepts sent", sent, "percepts"),
        row("percepts lost", sent - answered, "percepts", at_most=0),
        row("bad percepts", sum(n["malformed"] for n in numbers), "percepts", at_most=0),
        row("CPU of the process", round(share, 3), "cores", peer="one core", peer_value=1.0, at_most=1.0),
        row("percept to frame p50, worst robot", late["p50"], "ms"),
        row(
            "percept to frame p99, worst robot",
            late["p99"],
            "ms",
            peer=LIMIT,
            peer_value=CYCLE_MS,
            at_most=1.0,
        ),
        row("percept to frame max, worst robot", late["max"], "ms"),
    ]


if __name__ == "__main__":
    from run import show

    show(run(*(kind(word) for kind, word in zip((int, float), sys.argv[1:], strict=False))))
