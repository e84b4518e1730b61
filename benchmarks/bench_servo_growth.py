# SPDX-License-Identifier: Apache-2.0
"""How the cycles of the servo driver grow: 1 to 60 servos over 1 to 4 buses of 4.5 Mbaud, all in one process.

    python benchmarks/bench_servo_growth.py [SECONDS]

Each bus has virtual servos in a process of their own, paced to its bit rate, and a thread of the driver. The rate is
that of the slowest bus, beside the limit of the wire; CPU is that of the driver's process.
"""

import sys
import time
from contextlib import ExitStack
from typing import Any

from bench_dynamixel import answers, make_bus
from processes import Child
from rows import row

from embodiment_bridge.dynamixel.bus.cycle import Target

SECONDS = 2.0
BAUD = 4_500_000
SIZES = ((1, 1), (5, 1), (10, 1), (20, 1), (20, 2), (40, 2), (60, 3), (60, 4))  # servos, buses


def run(seconds: float = SECONDS) -> list[dict[str, Any]]:
    """Measure; two rows for each size."""
    rows: list[dict[str, Any]] = []
    for servos, buses in SIZES:
        each = servos // buses
        cycles, cpu = measured(each, buses, seconds)
        label = f"servos: {servos}, buses: {buses}"
        limit = BAUD / 10 / cycle_bytes(each)
        rows += [
            row(f"{label}: cycles", cycles, "1/s", peer="wire limit", peer_value=limit),
            row(f"{label}: CPU", cpu, "%"),
        ]
    return rows


def cycle_bytes(servos: int) -> int:
    """Bytes of a fast read and a write of so many servos on one bus, instructions and answers."""
    read, answer, write = 14 + servos, 8 + 14 * servos, 14 + 5 * servos
    return read + answer + write


def measured(each: int, buses: int, seconds: float) -> tuple[float, float]:
    """Cycles per second of the slowest bus, and percent of a core, with 100 commands per second and bus."""
    with ExitStack() as stack:
        servers = [
            stack.enter_context(Child("servo_server.py", BAUD, "--paced", f"--servos={each}"))
            for _ in range(buses)
        ]
        running = []
        for server in servers:
            bus = make_bus(server.line()["port"], BAUD, 100_000.0, servos=each)
            stack.callback(bus.stop)
            running.append((bus, {servo.config.joint: Target(0.5) for servo in bus.servos}))
        before = [answers(bus) for bus, _ in running]
        begun, cpu = time.perf_counter(), time.process_time()
        while time.perf_counter() - begun < seconds:
            for bus, targets in running:
                bus.command(targets)
            time.sleep(0.01)
        wall = time.perf_counter() - begun
        used = time.process_time() - cpu
        counts = [answers(bus) - first for (bus, _), first in zip(running, before, strict=True)]
    return min(counts) / wall, 100.0 * used / wall


if __name__ == "__main__":
    from run import show

    show(run(*(float(word) for word in sys.argv[1:])))
