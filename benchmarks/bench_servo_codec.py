# SPDX-License-Identifier: Apache-2.0
"""What a cycle of 20 servos costs in the codec: ours against dynamixel-sdk; and over a virtual bus, rustypot too.

    python benchmarks/bench_servo_codec.py [CYCLES]

A cycle writes 4 bytes to each servo and reads 10 from each. `codec`: packets made, and the same answers read, in
memory; CPU time of the best of several turns. `bus`: on an unpaced virtual bus in a process of its own, whose share of
the time is the same for all: cycles per second, and the client's own CPU time. Who is not installed is left out.
"""

import importlib
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rows import row

from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.decoder import PacketDecoder, fast_blocks

ROOT = Path(__file__).parents[1]
IDS = range(1, 21)
ADDRESS, SIZE, GOAL = 126, 10, 116
DATA = bytes((5, 0, 7, 0, 0, 0, 0, 8, 0, 0))
TURNS = 7
AIM_CODEC = 0.7  # times the SDK's CPU time
AIM_BUS = 2.0  # times the peer's cycles
ANSWERS = {
    "sync": b"".join(packet.status(id, 0, DATA) for id in IDS),
    "fast": packet.fast_status([(id, 0, DATA) for id in IDS]),
}


def run(cycles: int = 300) -> list[dict[str, Any]]:
    """Measure; one row per peer and kind of read."""
    return [*codec_rows(cycles), *bus_rows(cycles)]


def codec_rows(cycles: int) -> list[dict[str, Any]]:
    rows = []
    for kind in ANSWERS:
        ours = our_codec(kind)
        peer = sdk_codec(kind)
        mine = theirs = float("inf")
        for _ in range(TURNS):
            mine = min(mine, cpu(ours, cycles))
            theirs = min(theirs, cpu(peer, cycles)) if peer else theirs
        if peer:
            name = f"dynamixel-sdk {version('dynamixel-sdk')}"
            ours_us, theirs_us = round(mine, 1), round(theirs, 1)
            rows.append(
                row(
                    f"codec, {kind} read",
                    ours_us,
                    "us/cycle",
                    peer=name,
                    peer_value=theirs_us,
                    at_most=AIM_CODEC,
                )
            )
    return rows


def cpu(work: Callable[[], None], cycles: int) -> float:
    """CPU time of one cycle, us."""
    start = time.process_time()
    for _ in range(cycles):
        work()
    return (time.process_time() - start) / cycles * 1e6


def our_codec(kind: str) -> Callable[[], None]:
    request = packet.fast_sync_read if kind == "fast" else packet.sync_read
    decoder = PacketDecoder()
    items = [(id, SIZE) for id in IDS]

    def cycle() -> None:
        packet.sync_write(GOAL, 4, {id: (2000 + id).to_bytes(4, "little") for id in IDS})
        request(ADDRESS, SIZE, IDS)
        found = decoder.feed(ANSWERS[kind])
        values = fast_blocks(found[0].raw, items) if kind == "fast" else found
        if len(values) != len(IDS):
            raise SystemExit(f"{len(values)} answers of {len(IDS)}")

    return cycle


def sdk_codec(kind: str) -> Callable[[], None] | None:
    try:
        sdk = importlib.import_module("dynamixel_sdk")
    except ImportError:
        return None
    port, handler = Tape(ANSWERS[kind]), sdk.PacketHandler(2.0)
    read, write = groups(sdk, port, handler)

    def cycle() -> None:
        for id in IDS:
            write.changeParam(id, list((2000 + id).to_bytes(4, "little")))
        write.txPacket()
        port.rewind()
        result = read.fastSyncRead() if kind == "fast" else read.txRxPacket()
        if result:
            raise SystemExit(f"dynamixel-sdk says {result}")
        for id in IDS:
            read.getData(id, 126, 2), read.getData(id, 128, 4), read.getData(id, 132, 4)

    return cycle


def groups(sdk: Any, port: Any, handler: Any) -> tuple[Any, Any]:
    read, write = sdk.GroupSyncRead(port, handler, ADDRESS, SIZE), sdk.GroupSyncWrite(port, handler, GOAL, 4)
    for id in IDS:
        read.addParam(id)
        write.addParam(id, [0, 8, 0, 0])
    return read, write


class Tape:
    """A port that plays the same answer again and again."""

    is_using = False

    def __init__(self, answer: bytes) -> None:
        self._answer, self._at = answer, 0

    def rewind(self) -> None:
        self._at = 0

    def clearPort(self) -> None:  # noqa: N802
        pass

    def writePort(self, data: Any) -> int:  # noqa: N802
        return len(bytes(data))

    def readPort(self, size: int) -> bytes:  # noqa: N802
        self._at += size
        return self._answer[self._at - size : self._at]

    def setPacketTimeout(self, size: int) -> None:  # noqa: N802
        pass

    def isPacketTimeout(self) -> bool:  # noqa: N802
        return False


def bus_rows(cycles: int) -> list[dict[str, Any]]:
    rows = []
    with virtual_bus() as link:
        for kind in ANSWERS:
            measured = {name: measure(open_it, link, kind, cycles) for name, open_it in CLIENTS.items()}
            ours = measured.pop("ours")
            for name, theirs in measured.items():
                if theirs is None or ours is None:
                    continue
                peer = f"{name} {version(name)}"
                (rate, cost), (peer_rate, peer_cost) = ours, theirs
                rows += [
                    row(
                        f"unpaced bus, {kind} read", round(rate), "cycles/s", peer=peer, peer_value=round(peer_rate),
                        at_least=AIM_BUS,
                    ),
                    row(
                        f"client on it, {kind} read", round(cost), "us CPU/cycle", peer=peer,
                        peer_value=round(peer_cost), at_most=AIM_CODEC,
                    ),
                ]  # fmt: skip
    return rows


@contextmanager
def virtual_bus() -> Iterator[str]:
    """A bus with 20 servos in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        link = f"{folder}/ttyDXL0"
        words = [sys.executable, str(ROOT / "scripts/embodiment_bridge"), "virtual-servos"]
        words += [str(ROOT / "urdf/desk_humanoid.urdf"), "--link", link]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
            try:
                if process.stdout is not None:
                    process.stdout.readline()
                yield link
            finally:
                process.terminate()


Opened = tuple[Callable[[], None], Callable[[], None]] | None


def measure(
    open_it: Callable[[str, str], Opened], link: str, kind: str, cycles: int
) -> tuple[float, float] | None:
    """Cycles per second, and CPU time of a cycle in us: the best of several turns each."""
    opened = open_it(link, kind)
    if opened is None:
        return None
    cycle, close = opened
    rate, cost = 0.0, float("inf")
    for _ in range(TURNS):
        start, begun = time.perf_counter(), time.process_time()
        for _ in range(cycles):
            cycle()
        rate = max(rate, cycles / (time.perf_counter() - start))
        cost = min(cost, (time.process_time() - begun) / cycles * 1e6)
    close()
    return rate, cost


def our_client(link: str, kind: str) -> Opened:
    serial = importlib.import_module("serial")
    port = serial.Serial(link, 1_000_000, timeout=0)
    file, decoder = port.fileno(), PacketDecoder()
    waiting = select.poll()
    waiting.register(file, select.POLLIN)
    request = packet.fast_sync_read if kind == "fast" else packet.sync_read

    def cycle() -> None:
        os.write(
            file, packet.sync_write(GOAL, 4, dict.fromkeys(IDS, b"\0\x08\0\0")) + request(ADDRESS, SIZE, IDS)
        )
        missing = 1 if kind == "fast" else len(IDS)
        while missing > 0:
            if not waiting.poll(1000):
                raise SystemExit("no answer")
            missing -= len(decoder.feed(os.read(file, 4096)))

    return cycle, port.close


def sdk_client(link: str, kind: str) -> Opened:
    try:
        sdk = importlib.import_module("dynamixel_sdk")
    except ImportError:
        return None
    port, handler = sdk.PortHandler(link), sdk.PacketHandler(2.0)
    port.openPort()
    port.setBaudRate(1_000_000)
    read, write = groups(sdk, port, handler)

    def cycle() -> None:
        write.txPacket()
        read.fastSyncRead() if kind == "fast" else read.txRxPacket()  # a busy machine may cost it an answer

    return cycle, port.closePort


def rustypot_client(link: str, kind: str) -> Opened:
    try:
        rustypot = importlib.import_module("rustypot")
    except ImportError:
        return None
    servos = rustypot.Xl430PyController(link, 1_000_000, 0.1)
    servos.set_fast_sync_read(kind == "fast")
    ids, goals = list(IDS), [[0, 8, 0, 0] for _ in IDS]

    def cycle() -> None:
        servos.sync_write_raw_data(ids, GOAL, goals)
        servos.sync_read_raw_data(ids, ADDRESS, SIZE)

    return cycle, servos.close


CLIENTS = {"ours": our_client, "dynamixel-sdk": sdk_client, "rustypot": rustypot_client}

if __name__ == "__main__":
    from run import show

    show(run(*map(int, sys.argv[1:])))
