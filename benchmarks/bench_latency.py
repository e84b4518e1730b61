# SPDX-License-Identifier: Apache-2.0
"""How old a message is when another process has it: ours after decoding, motion and answer, a bare rclpy node at once.

    python benchmarks/bench_latency.py

A replay server sends percepts at 50 Hz and stamps each with the monotonic clock; the stamp goes on in the messages.
Three publishers take turns: a full agent_bridge node, a bare node that publishes the same topics when a percept has
come and looks at nothing but its time, and a bare node with a timer. So ours is measured from the sending of the
percept on, and the bare timer from its own callback on. Only the publisher differs; the listener is the same.
"""

import time
from typing import Any

from processes import Child, isolate
from rows import percentile, row

TURNS = 2
SECONDS = 6.0  # of each turn
WARM_UP = 50  # messages that do not count
TOPICS = ("joint_states", "/tf")
OURS, RELAY, TIMER = "agent_bridge", "bare node on the same percepts", "bare node with a timer"
AIM = 1.3  # times the peer

Ages = dict[str, list[float]]  # s by topic


def run() -> list[dict[str, Any]]:
    """Measure; rows of the two topics, p50 and p99, against each bare node."""
    isolate()
    ages: dict[str, Ages] = {name: {topic: [] for topic in TOPICS} for name in (TIMER, RELAY, OURS)}
    for turn in range(TURNS):
        for name, so_far in ages.items():
            print(f"  turn {turn + 1} of {TURNS}: {name}, {SECONDS:g} s", flush=True)
            for topic, found in measure(name).items():
                so_far[topic] += found[WARM_UP:]
    return [
        row(
            f"{topic} {label}",
            round(percentile(ages[OURS][topic], share) * 1e6),
            "us",
            peer=peer,
            peer_value=round(percentile(ages[peer][topic], share) * 1e6),
            at_most=AIM,
        )
        for peer in (RELAY, TIMER)
        for topic in TOPICS
        for share, label in ((0.5, "p50"), (0.99, "p99"))
    ]


def measure(name: str) -> Ages:
    """Ages of what one publisher published in one turn."""
    with Child("listener.py", *TOPICS) as listener, Child("replay_server.py") as server:
        ports = server.line()
        listener.line()
        with publisher(name, ports) as program:
            program.line()
            listener.line()
            time.sleep(SECONDS)
            return listener.finish()


def publisher(name: str, ports: dict[str, int]) -> Child:
    if name == OURS:
        return Child("robots.py", 1, ports["port"], ports["monitor_port"])
    return Child("bare_publisher.py", *([ports["port"]] if name == RELAY else []))


if __name__ == "__main__":
    from run import show

    show(run())
