# SPDX-License-Identifier: Apache-2.0
"""How old a message is when another process has it: ours after decoding, a bare rclpy node at once.

    python benchmarks/bench_latency.py

A replay server sends percepts at 50 Hz and stamps each with the monotonic clock; the stamp goes on in the messages.
Four publishers take turns: a full agent_bridge node, a bare node that publishes the same topics when a percept has
come and looks at nothing but its time, one that publishes the same bytes then (the floor), and a bare node with a
timer. So ours is measured from the sending of the percept on, and the bare timer from its own callback on. Only the
publisher differs; the listener is the same, and none publishes what it does not listen to.
"""

import time
from typing import Any

from processes import Child, isolate
from rows import percentile, row

TURNS = 2
SECONDS = 6.0  # of each turn
WARM_UP = 50  # messages that do not count
TOPICS = ("joint_states", "/tf")
SIGHTS = ("entities", "vision")  # with each second percept
OURS, RELAY, TIMER = "agent_bridge", "bare node on the same percepts", "bare node with a timer"
FLOOR = "the same bytes and nothing else"
AIMS = {  # times the bare node that does the same; one with a timer has no percept to wait for
    (RELAY, "joint_states", "p50"): 1.2,
    (RELAY, "joint_states", "p99"): 1.2,
    (RELAY, "/tf", "p50"): 0.7,
    (RELAY, "/tf", "p99"): 0.8,
    (RELAY, "entities", "p50"): 1.0,
    (RELAY, "entities", "p99"): 1.0,
    (RELAY, "vision", "p50"): 1.0,
    (RELAY, "vision", "p99"): 1.0,
}

Ages = dict[str, list[float]]  # s by topic


def run() -> list[dict[str, Any]]:
    """Measure; rows of the topics, p50 and p99, against each bare node."""
    isolate()
    topics = (*TOPICS, *SIGHTS)
    ages: dict[str, Ages] = {name: {topic: [] for topic in topics} for name in (TIMER, FLOOR, RELAY, OURS)}
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
            at_most=AIMS.get((peer, topic, label)),
        )
        for peer, topics in ((RELAY, (*TOPICS, *SIGHTS)), (TIMER, TOPICS), (FLOOR, (*TOPICS, *SIGHTS)))
        for topic in topics
        for share, label in ((0.5, "p50"), (0.99, "p99"))
    ]


def measure(name: str) -> Ages:
    """Ages of what one publisher published in one turn."""
    with Child("listener.py", *TOPICS, *SIGHTS) as listener, Child("replay_server.py") as server:
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
    words = {TIMER: (), RELAY: (ports["port"],), FLOOR: (ports["port"], "bytes")}
    return Child("bare_publisher.py", *words[name])


if __name__ == "__main__":
    from run import show

    show(run())
