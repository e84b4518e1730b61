# SPDX-License-Identifier: Apache-2.0
"""A Maeden agent: how long packets take to read, how many commands a second go through, how long a way takes to find.

    python benchmarks/bench_maeden.py

Packets are recorded ones. The floors know nothing of packets: `json.loads` on the lines of a JSON dialect, and
`ast.literal_eval` on the same values as Python would write them, for the text dialect (lists in commas; a floor that
a reader which checks the shape of each line cannot reach). Commands go to a stand-in with a cycle of 1 ms; the peer
of our link is a socket that sends the same line and waits for the same answer. Ways lead from corner to corner of a
map of 200 x 200 cells with 30 % walls, and through a maze of walls with one gap each; they are found bit by bit, and
the longest bit is how long a tick may have to wait.
"""

import ast
import json
import random
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench_decode import CHUNK, best_times
from rows import percentile, row

from embodiment_bridge.grid.planner import search_to
from embodiment_bridge.grid.pose import GridPose, Heading, Place
from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.link.transports.tcp import TcpClient
from embodiment_bridge.protocols.maeden import SPEC
from embodiment_bridge.protocols.maeden.codec import Codec
from embodiment_bridge.protocols.maeden.conversation import Answer
from embodiment_bridge.protocols.maeden.events import Act, Percept
from embodiment_bridge.protocols.maeden.link import make_link
from embodiment_bridge.protocols.maeden.routine import POSES_A_TICK
from embodiment_bridge.standins.maeden.server import MaedenServer

RECORDINGS = Path(__file__).parents[1] / "test/data/maeden/recordings"
TEXT, JSON = RECORDINGS / "text2013/key_door.A0.s2c.raw", RECORDINGS / "json2018/key_door.A0.s2c.raw"
LINE = b'{"command":"w","arguments":[]}\n'
PERIOD = 0.001  # s of a cycle
SIDE = 200  # cells
WALLS = 0.3  # share of cells
LONGEST_MS = 20.0  # that a tick may have to wait


def run(commands: int = 300) -> list[dict[str, Any]]:
    """Measure; one row per peer."""
    return [*_decoding(), *_commands(commands), *_planning()]


def _decoding() -> list[dict[str, Any]]:
    rows = []
    for name, path, floor in (("text", TEXT, ast.literal_eval), ("JSON", JSON, json.loads)):
        stream = path.read_bytes()
        percepts = [event for event in Codec().feed(stream) if isinstance(event, Percept)]
        lines = [_values(percept) if name == "text" else percept.raw for percept in percepts]
        best = best_times({"ours": _reader(stream), "floor": _each(floor, lines)})
        ours, peer = (round(best[who] / len(percepts) * 1e6, 1) for who in ("ours", "floor"))
        rows.append(row(f"{name}: packet read", ours, "us", peer=floor.__name__, peer_value=peer))
    return rows


def _values(percept: Percept) -> str:
    view = [[list(cell) for cell in cells] for cells in percept.view]
    parts = [percept.smell, list(percept.inventory), view, list(percept.ground), [], percept.energy, "ok"]
    return repr([*parts, percept.world_time])


def _reader(stream: bytes) -> Callable[[], None]:
    def read() -> None:
        codec = Codec()
        for start in range(0, len(stream), CHUNK):
            codec.feed(stream[start : start + CHUNK])

    return read


def _each(floor: Callable[[str], Any], lines: list[str]) -> Callable[[], None]:
    def read() -> None:
        for line in lines:
            floor(line)

    return read


def _commands(number: int) -> list[dict[str, Any]]:
    with MaedenServer(period=PERIOD) as server:
        raw = _raw_rate(server, number)
        ours = _our_rate(server, number)
    return [row("commands", round(ours), "1/s", peer="raw socket", peer_value=round(raw), at_least=0.5)]


def _raw_rate(server: MaedenServer, number: int) -> float:
    with socket.create_connection((server.host, server.port)) as connection:
        lines = connection.makefile("rb")
        lines.readline(), lines.readline()
        begun = time.perf_counter()
        for _ in range(number):
            connection.sendall(LINE)
            lines.readline()
        return number / (time.perf_counter() - begun)


def _our_rate(server: MaedenServer, number: int) -> float:
    values = {parameter.name: parameter.default for parameter in SPEC.parameters} | {"dialect": "json"}
    transport = TcpClient(server.host, server.port)
    link = make_link(values, transport, Codec("json"), Counters(), time.monotonic)
    _wait(link)
    begun = time.perf_counter()
    for _ in range(number):
        link.write([Act("wait")])
        _wait(link)
    rate = number / (time.perf_counter() - begun)
    link.close()
    return rate


def _wait(link: Any) -> None:
    while not any(isinstance(event, Answer) for event in link.read(1.0)):
        pass


def _planning() -> list[dict[str, Any]]:
    times = {"30 % walls": [_plan(_scattered(seed)) for seed in range(5)], "maze": [_plan(_maze())]}
    rows = []
    for name, taken in times.items():
        what, totals = f"way on {SIDE} x {SIDE}, {name}", [sum(bits) for bits in taken]
        longest = max(max(bits) for bits in taken) * 1e3
        rows.append(row(what, round(percentile(totals, 0.5) * 1e3, 1), "ms (median)"))
        rows.append(row(f"{what}: longest bit", round(longest, 1), "ms", at_most=LONGEST_MS))
    return rows


def _scattered(seed: int) -> set[Place]:
    dice = random.Random(seed)
    cells = [(x, y) for x in range(SIDE) for y in range(SIDE)]
    return {cell for cell in cells if dice.random() >= WALLS} | {(0, 0), (SIDE - 1, SIDE - 1)}


def _maze() -> set[Place]:
    """A wall in every fourth column, with one gap at the top or the bottom in turn."""
    gaps = {x: (0 if x % 8 else SIDE - 1) for x in range(4, SIDE - 1, 4)}
    return {(x, y) for x in range(SIDE) for y in range(SIDE) if x not in gaps or gaps[x] == y}


def _plan(free: set[Place]) -> list[float]:
    """How long each bit takes, s of the processor: what other processes take is none of its doing."""
    start, goal = GridPose(0, 0, Heading.E), (SIDE - 1, SIDE - 1)
    search = search_to(start, goal, lambda place: 0 if place in free else None)
    bits: list[float] = []
    while not search.done:
        begun = time.thread_time()
        search.advance(POSES_A_TICK)
        bits.append(time.thread_time() - begun)
    return bits


if __name__ == "__main__":
    from run import show

    show(run())
