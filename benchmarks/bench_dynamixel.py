# SPDX-License-Identifier: Apache-2.0
"""Cycles of a bus of 20 servos: 10 bytes read and 4 written per servo; our driver, dynamixel-sdk, rustypot, the wire.

    python benchmarks/bench_dynamixel.py [SECONDS]

The servos are virtual ones in a process of their own: paced to a bit rate (no return delay, no USB), or as fast as they
can. Ours is the whole driver as it drives a robot (units, limits, soft start, health) in its thread; the others do the
two group instructions and unpack the raw values. CPU is that of the client's process. All read fast (one combined
answer). The bare client is the floor: it sends the same bytes again and again, waits for the expected number of bytes,
and does not read them; the rest of the time goes to the terminal, the scheduler and the virtual servos. Unpaced, the
servos take most of the time, so there are also rows of a bus that answers with stored bytes, where the client counts.
The emergency stop is measured from the call to the moment at which the torque-off packet of all servos is handed to
the port.

Unpaced, the bare client sleeps in each cycle and has to be woken; a client that works meanwhile finds the answer ready,
and may be faster.
"""

import os
import select
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from processes import Child
from rows import percentile, row
from servo_server import MODEL, SERVOS

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.client import FAST_BLOCK, FAST_HEAD
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.port import Port, open_port
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoConfig
from embodiment_bridge.dynamixel.wire.packet import fast_sync_read, sync_write

SECONDS = 3.0
BAUDS = {1_000_000: 0.95, 3_000_000: 0.9, 4_500_000: 0.88}  # 1/s: share of the wire limit that is the aim
CYCLE_BYTES = 436  # fast read and write of 20 servos, instructions and answers
FLOOR_AIM = {4_500_000: 0.97}  # times the bare client
CPU_AIM = {4_500_000: 9.0}  # percent of a core; else 10
PEER_AIM, STOP_AIM_MS = 2.0, 10.0  # times, ms
IDS = range(1, SERVOS + 1)
READ, WRITE = (126, 10), (116, 4)  # address, bytes
STOPS = 100
MARGIN_S = 0.1  # s: a late answer of a busy machine is not a silent servo
PATIENCE_S = 1.0  # s, for the other clients

Rate = tuple[float, float]  # cycles per second, percent of a core


def run(seconds: float = SECONDS) -> list[dict[str, Any]]:
    """Measure; rows for each bit rate, then as fast as it goes, then the emergency stop."""
    rows: list[dict[str, Any]] = []
    for baud, aim in BAUDS.items():
        limit = baud / 10 / CYCLE_BYTES
        with Child("servo_server.py", baud, "--paced") as server:
            name = server.line()["port"]
            ours, sdk = driver(name, baud, seconds), sdk_loop(name, baud, seconds)
            floor = bare_loop(name, baud, seconds)
            server.finish()
        label = f"{baud / 1e6:g} Mbaud"
        rows += [
            row(f"{label}: cycles", ours[0], "1/s", peer="wire limit", peer_value=limit, at_least=aim),
            row(
                f"{label}: cycles",
                ours[0],
                "1/s",
                peer="bare client",
                peer_value=floor[0],
                at_least=FLOOR_AIM.get(baud),
            ),
            row(f"{label}: cycles", ours[0], "1/s", peer="dynamixel-sdk", peer_value=sdk[0]),
            row(
                f"{label}: CPU",
                ours[1],
                "%",
                peer=f"bare client: {floor[1]:.1f} %; dynamixel-sdk: {sdk[1]:.0f} %",
                at_most=CPU_AIM.get(baud, 10.0),
            ),
        ]
    rows += unpaced("unpaced", seconds)
    return [*rows, *unpaced("bus that takes no time", seconds, "--canned"), emergency_stop()]


def unpaced(label: str, seconds: float, *options: str) -> list[dict[str, Any]]:
    """Servos that answer at once."""
    with Child("servo_server.py", 1_000_000, *options) as server:
        name = server.line()["port"]
        ours = driver(name, 1_000_000, seconds)
        peers = {"dynamixel-sdk": sdk_loop(name, 1_000_000, seconds)[0]}
        if (rust := rustypot_loop(name, seconds)) is not None:
            peers["rustypot"] = rust[0]
        floor = bare_loop(name, 1_000_000, seconds)
        server.finish()
    return [
        *(
            row(f"{label}: cycles", ours[0], "1/s", peer=peer, peer_value=rate, at_least=PEER_AIM)
            for peer, rate in peers.items()
        ),
        row(f"{label}: cycles", ours[0], "1/s", peer="bare client", peer_value=floor[0]),
    ]


def timed(step: Callable[[], object], seconds: float) -> Rate:
    """Do ``step`` for a while."""
    count, begun, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < seconds:
        step()
        count += 1
    wall = time.perf_counter() - begun
    return count / wall, 100.0 * (time.process_time() - cpu) / wall


def make_bus(
    name: str,
    baud: int,
    rate_hz: float,
    opener: Callable[[str, int], Port] = open_port,
    servos: int = SERVOS,
) -> ServoBus:
    """Our driver, its joints driven."""
    configs = tuple(
        ServoConfig(f"joint_{id}", id, MODEL, velocity=4.0, lower=-3.0, upper=3.0)
        for id in range(1, servos + 1)
    )
    bus = ServoBus(BusConfig("bench", name, configs, baud, rate_hz), margin_s=MARGIN_S, open_port=opener)
    bus.start()
    bus.activate(True)
    wait_for(bus, lambda: bus.state is BusState.ACTIVE and all(reading.torque for reading in bus.readings()))
    return bus


def wait_for(bus: ServoBus, condition: Callable[[], bool]) -> None:
    """Wait for servos."""
    deadline = time.monotonic() + 20.0
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(f"the servos were not found: {bus.state.value}: {bus.reason}")
        time.sleep(0.01)


def driver(name: str, baud: int, seconds: float) -> Rate:
    """Our driver as fast as the wire allows, with 100 commands per second."""
    bus = make_bus(name, baud, 100_000.0)
    targets = {servo.config.joint: Target(0.5) for servo in bus.servos}
    try:
        bus.command(targets)
        time.sleep(0.5)
        before, begun, cpu = answers(bus), time.perf_counter(), time.process_time()
        while time.perf_counter() - begun < seconds:
            bus.command(targets)
            time.sleep(0.01)
        wall = time.perf_counter() - begun
        return (answers(bus) - before) / wall, 100.0 * (time.process_time() - cpu) / wall
    finally:
        bus.stop()


def answers(bus: ServoBus) -> int:
    """Complete cycles: the number of positions of the servo that answered least."""
    return min(reading.answers for reading in bus.readings())


def sdk_loop(name: str, baud: int, seconds: float) -> Rate:
    """The two group instructions of dynamixel-sdk. Its table of baud rates lacks 4.5 Mbaud and is bypassed."""
    import dynamixel_sdk as sdk

    port = sdk.PortHandler(name)
    port.getCFlagBaud = lambda wanted: wanted
    port.baudrate = baud
    port.openPort()
    port.setBaudRate(baud)
    protocol = sdk.PacketHandler(2.0)
    read = sdk.GroupSyncRead(port, protocol, *READ)
    write = sdk.GroupSyncWrite(port, protocol, *WRITE)
    for id in IDS:
        read.addParam(id)
    goal = list((2048).to_bytes(4, "little"))

    def step() -> None:
        write.clearParam()
        for id in IDS:
            write.addParam(id, goal)
        write.txPacket()
        if read.fastSyncRead() == 0:
            for id in IDS:
                read.getData(id, 126, 2)
                read.getData(id, 128, 4)
                read.getData(id, 132, 4)

    try:
        return timed(step, seconds)
    finally:
        port.closePort()


def rustypot_loop(name: str, seconds: float) -> Rate | None:
    """The same with rustypot; None if it is not installed."""
    try:
        from rustypot import Xl430PyController
    except ImportError:
        print("rustypot is not installed", file=sys.stderr)
        return None
    servos = Xl430PyController(name, 1_000_000, PATIENCE_S)
    servos.set_fast_sync_read(True)
    ids, goal = list(IDS), list((2048).to_bytes(4, "little"))

    def step() -> None:
        servos.sync_write_raw_data(ids, WRITE[0], [goal] * len(ids))
        servos.sync_read_raw_data(ids, *READ)

    return timed(step, seconds)


def bare_loop(name: str, baud: int, seconds: float) -> Rate:
    """The minimum of any client: the same question, the expected number of bytes, without reading them."""
    goals = sync_write(WRITE[0], WRITE[1], dict.fromkeys(IDS, (2048).to_bytes(4, "little")))
    question = goals + fast_sync_read(READ[0], READ[1], list(IDS))
    wanted = FAST_HEAD + (FAST_BLOCK + READ[1]) * len(IDS)
    port = open_port(name, baud)
    file = port.fileno()
    waiting = select.poll()
    waiting.register(file, select.POLLIN)

    def step() -> None:
        os.write(file, question)
        missing = wanted
        while missing > 0:
            if not waiting.poll(1e3 * PATIENCE_S):
                raise RuntimeError("the servos do not answer")
            missing -= len(os.read(file, 4096))

    try:
        step()
        return timed(step, seconds)
    finally:
        port.close()


def emergency_stop() -> dict[str, Any]:
    """Time from the call to sending torque-off, at 100 Hz and 1 Mbaud; the bus is busy a third of the time."""
    stop = sync_write(64, 1, dict.fromkeys(IDS, b"\0"))
    written = threading.Event()
    sent: list[float] = []

    def opener(name: str, baud: int) -> Port:
        port = open_port(name, baud)
        write = port.write

        def watched(data: bytes) -> None:
            write(data)
            if data == stop:
                sent.append(time.perf_counter())
                written.set()

        port.write = watched  # type: ignore[method-assign]
        return port

    times_ms: list[float] = []
    with Child("servo_server.py", 1_000_000, "--paced") as server:
        bus = make_bus(server.line()["port"], 1_000_000, 100.0, opener)
        try:
            for turn in range(STOPS):
                wait_for(bus, lambda: all(reading.torque for reading in bus.readings()))
                time.sleep(0.01 + 0.0037 * (turn % 11))
                written.clear()
                begun = time.perf_counter()
                bus.emergency_stop("torque_off")
                if not written.wait(5.0):
                    raise RuntimeError("the stop was not sent")
                times_ms.append(1e3 * (sent[-1] - begun))
                bus.emergency_stop("")
        finally:
            bus.stop()
        server.finish()
    return row(
        "emergency stop to torque-off on the wire, p99", percentile(times_ms, 0.99), "ms", at_most=STOP_AIM_MS
    )


if __name__ == "__main__":
    from run import show

    show(run(*map(float, sys.argv[1:2])))
