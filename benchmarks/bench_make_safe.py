# SPDX-License-Identifier: Apache-2.0
"""From the end of a driver to torque off on the wire: SIGTERM, SIGHUP, kill -9; and how many servos stay driven.

    python benchmarks/bench_make_safe.py [TIMES]

The joint driver is a process of its own, as `ros2 run` starts it, and drives twenty virtual servos of this process.
The time is that from the call that sends the signal to the first packet which takes the torque of all of them. After
kill -9 it is the guardian of the driver that writes it.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from processes import isolate
from rows import percentile, row

from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort
from embodiment_bridge.urdf import read_urdf

TIMES = 20
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
AIM_MS = 500.0
PATIENCE_S = 60.0
AFTER_S = 0.5  # s after the kill at which servos are counted that are still driven
ROOT = Path(__file__).parents[1]
URDF = ROOT / "urdf/desk_humanoid.urdf"
NODE = """\
import sys
from embodiment_bridge.launching.executables import joint_driver
from embodiment_bridge.nodes.base.runtime import run

sys.exit(run(joint_driver))
"""
TORQUE_OFF = b"\x83\x40\0\1\0"  # a sync write of one byte at torque_enable


def run(times: int = TIMES) -> list[dict[str, Any]]:
    """Measure; a row of times and one of servos that stayed driven for each signal."""
    isolate()
    rows: list[dict[str, Any]] = []
    for number in SIGNALS:
        found = [_once(number) for _ in range(times)]
        late = [1e3 * seconds for seconds, _ in found]
        driven = sum(count > 0 for _, count in found)
        name = number.name
        note = f"n = {times}"
        rows += [
            row(f"{name} to torque off, median", percentile(late, 0.5), "ms", peer=note),
            row(f"{name} to torque off, worst", max(late), "ms", peer=note, at_most=AIM_MS),
            row(f"{name}: times that a servo stayed driven", driven, "", peer=note, at_most=0.0),
        ]
    return rows


def _once(number: signal.Signals) -> tuple[float, int]:
    """Seconds until torque off was on the wire, and servos that are driven half a second after the signal."""
    servos = [(servo.id, servo.model) for servo in read_servo_setup(read_urdf(URDF)).servos]
    bus = VirtualBus(servos)
    with tempfile.TemporaryDirectory() as folder, VirtualPort(bus, link=f"{folder}/servos") as port:
        process = _driver(folder, str(port.link))
        try:
            _until(process, bus, len(servos))
            seen, came = threading.Event(), [0.0]

            def note(_: float, way: str, raw: bytes) -> None:
                if way == "rx" and raw[7:].startswith(TORQUE_OFF) and not seen.is_set():
                    came[0] = time.perf_counter()
                    seen.set()

            bus.on_packet = note
            sent = time.perf_counter()
            process.send_signal(number)
            if not seen.wait(PATIENCE_S):
                came[0] = float("inf")
            time.sleep(max(sent + AFTER_S - time.perf_counter(), 0.0))
            return came[0] - sent, _driven(bus)
        finally:
            process.kill()
            process.wait()


def _driver(folder: str, port: str) -> "subprocess.Popen[bytes]":
    values = {
        "robot_description_file": URDF,
        "body_file": ROOT / "config/bodies/desk_humanoid.yaml",
        "port_name": port,
        "calibration_file": f"{folder}/calibration.yaml",
        "answer_margin": 0.05,
    }
    words = [word for name, value in values.items() for word in ("-p", f"{name}:={value}")]
    return subprocess.Popen(
        [sys.executable, "-c", NODE, "--ros-args", *words],
        cwd=ROOT,
        env=os.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _driven(bus: VirtualBus) -> int:
    return sum(registers["torque_enable"] for registers in bus.snapshot().values())


def _until(process: "subprocess.Popen[bytes]", bus: VirtualBus, servos: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while _driven(bus) < servos:
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("the joint driver does not drive its servos")
        time.sleep(0.05)


if __name__ == "__main__":
    from run import show

    show(run(*map(int, sys.argv[1:2])))
