# SPDX-License-Identifier: Apache-2.0
"""Two whole teams: 22 agent_bridge nodes in one process on a replay server at 50 Hz, each with a listener.

    python benchmarks/bench_many.py [ROBOTS [PROCESSES [SECONDS]]]

A percept is lost when the server sent it and the node did not answer it. "Percept to answer" is what the server sees,
from sending a percept until the answer has come; "percept to frame" is what the node itself reports, of the robot which
fares worst. The limit is the 20 ms until the next percept. The listeners are in a process of their own and take raw
bytes: what they make of a message is not measured. With ROBOTS only that many are measured.
"""

import sys
import time
from contextlib import ExitStack
from typing import Any, NamedTuple

from plot import plot
from processes import Child, isolate
from rows import percentile, row

ROBOTS = 22
PROCESSES = 1
OTHER = 2  # processes, to compare with
SECONDS = 20.0
SHORT_SECONDS = 6.0  # of the growth
GROWTH = (1, 2, 4, 8, 16)  # robots, before all of them
CYCLE_MS = 20.0
RATE = 50.0  # percepts of a robot in a second
LIMIT = "cycle of the simulator"
P99_MS, MAX_MS = 10.0, 40.0
IDLE_CPU = 0.019  # cores
FLOOR = "the same bytes sent back and nothing else"
VISION = 2  # percepts to each picture in the recording
HEARD = {"joint_states": 1, "/tf": 1, "imu": 1, "entities": VISION}  # percepts to each message


class Measured(NamedTuple):
    """What was measured of some robots. answers: ms as the server sees them; cpu: cores of all their processes."""

    sent: int
    lost: int
    heard: dict[str, float]  # messages a second
    malformed: int
    cpu: float
    answers: list[float]
    worst: dict[str, float]


def run() -> list[dict[str, Any]]:
    """Measure; rows of loss, CPU and answer times of all robots, in one process and in two, then of fewer."""
    isolate()
    whole = measure(ROBOTS, PROCESSES, SECONDS)
    rows = rows_of(ROBOTS, whole)
    shared = measure(ROBOTS, OTHER, SHORT_SECONDS)
    rows += [
        row("in two processes: percepts lost", shared.lost, "percepts"),
        row("in two processes: CPU", round(shared.cpu, 3), "cores"),
        *answers(shared, "in two processes: percept to answer", aims=False),
    ]
    alone = measure(1, 1, SHORT_SECONDS, listened=False)
    name = "1 robot that nobody listens to: CPU"
    rows.append(row(name, round(alone.cpu, 4), "cores", at_most=IDLE_CPU))
    rows.append(
        row(name, round(alone.cpu, 4), "cores", peer=FLOOR, peer_value=round(floor(SHORT_SECONDS), 4))
    )
    for robots in GROWTH:
        rows += growth(robots, measure(robots, PROCESSES, SHORT_SECONDS))
    return rows + growth(ROBOTS, whole)


def measure(robots: int, processes: int, seconds: float, *, listened: bool = True) -> Measured:
    """Let robots join, wait, and count; ``listened``: to each of them."""
    with ExitStack() as stack:
        server = stack.enter_context(Child("replay_server.py", "--keep", seconds))
        ports = server.line()
        listeners = stack.enter_context(Child("listeners.py", robots if listened else 0))
        listeners.line()
        print(f"  {robots} robots join, in {processes} processes", flush=True)
        bridges, first = [], 1
        for part in range(processes):
            number = robots // processes + (part < robots % processes)
            words = (number, ports["port"], ports["monitor_port"], first)
            bridges.append(stack.enter_context(Child("robots.py", *words)))
            first += number
        for bridge in bridges:
            bridge.line()
        print(f"  all have joined; {seconds:g} s", flush=True)
        listeners.tell()
        begun, cpu = time.monotonic(), sum(bridge.cpu_s() for bridge in bridges)
        time.sleep(seconds)
        passed = time.monotonic() - begun
        used = sum(bridge.cpu_s() for bridge in bridges) - cpu
        heard = listeners.finish()
        traffic = server.finish()
        numbers = [robot for bridge in bridges for robot in bridge.finish()]
    return Measured(
        sum(robot["sent"] for robot in traffic),
        sum(robot["sent"] - (robot["came"] - 1) for robot in traffic if robot["came"]),
        {topic: count / passed for topic, count in heard.items()},
        sum(n["malformed"] for n in numbers),
        used / passed,
        [late for robot in traffic for late in robot["ms"]],
        {
            share: max(float(n[f"percept_to_frame_{share}_ms"]) for n in numbers)
            for share in ("p50", "p99", "max")
        },
    )


def floor(seconds: float) -> float:
    """CPU (cores) of a program that answers each percept with the same bytes."""
    with Child("replay_server.py", "--keep", seconds) as server:
        ports = server.line()
        with Child("bare_answerer.py", ports["port"]) as answerer:
            answerer.line()
            begun, cpu = time.monotonic(), answerer.cpu_s()
            time.sleep(seconds)
            used = (answerer.cpu_s() - cpu) / (time.monotonic() - begun)
            answerer.finish()
        server.finish()
    return used


def rows_of(robots: int, found: Measured) -> list[dict[str, Any]]:
    """All rows about some robots."""
    worst = found.worst
    return [
        row("percepts sent", found.sent, "percepts"),
        row("percepts lost", found.lost, "percepts", at_most=0),
        *(
            row(
                f"heard by listeners: {topic}",
                round(found.heard.get(topic, 0.0)),
                "1/s",
                peer="percepts sent" if each == 1 else "pictures sent",
                peer_value=round(robots * RATE / each),
                at_least=0.98,
            )
            for topic, each in HEARD.items()
        ),
        row("bad percepts", found.malformed, "percepts", at_most=0),
        row("CPU of the process", round(found.cpu, 3), "cores", peer="one core", peer_value=1.0, at_most=1.0),
        *answers(found, "percept to answer", aims=True),
        row("percept to frame p50, worst robot", worst["p50"], "ms"),
        row(
            "percept to frame p99, worst robot", worst["p99"], "ms",
            peer=LIMIT, peer_value=CYCLE_MS, at_most=1.0,
        ),
        row("percept to frame max, worst robot", worst["max"], "ms"),
    ]  # fmt: skip


def answers(found: Measured, name: str, *, aims: bool) -> list[dict[str, Any]]:
    """Rows of the time that the server waits for answers."""
    p50, p99, longest = (round(percentile(found.answers, share), 2) for share in (0.5, 0.99, 1.0))
    return [
        row(f"{name} p50", p50, "ms"),
        row(f"{name} p99", p99, "ms", at_most=P99_MS if aims else None),
        row(f"{name} max", longest, "ms", at_most=MAX_MS if aims else None),
    ]


def growth(robots: int, found: Measured) -> list[dict[str, Any]]:
    """The rows of a number of robots that the picture shows."""
    return [
        row(f"{robots} robots: CPU", round(found.cpu, 3), "cores"),
        row(f"{robots} robots: percept to answer p99", round(percentile(found.answers, 0.99), 2), "ms"),
    ]


def picture(rows: list[dict[str, Any]]) -> str:
    """How CPU and answers grow with the number of robots, as SVG."""
    values = {row["name"]: row["value"] for row in rows}
    numbers = (*GROWTH, ROBOTS)
    return plot(
        "robots at 50 Hz, each with a listener",
        [
            ("CPU, cores", [(n, values[f"{n} robots: CPU"]) for n in numbers]),
            (
                "percept to answer p99, ms",
                [(n, values[f"{n} robots: percept to answer p99"]) for n in numbers],
            ),
        ],
    )


if __name__ == "__main__":
    from run import show

    if sys.argv[1:]:
        isolate()
        given = [kind(word) for kind, word in zip((int, int, float), sys.argv[1:], strict=False)]
        defaults = [ROBOTS, PROCESSES, SECONDS]
        show(rows_of(given[0], measure(*(given + defaults[len(given) :]))))
    else:
        show(run())
