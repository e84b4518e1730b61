# SPDX-License-Identifier: Apache-2.0
"""How old a place is when the OpenCog Router has it, and what 100 moving entities at 10 Hz cost the bridge.

    python benchmarks/bench_opencog_wire.py [SECONDS]

This process publishes `entities` and is the Router too, so both times are of one clock: from the call of publish to
the whole map-info. The peer is a bare rclpy node that sends one line per message. The second part is the CPU time of
the process of the bridge, with ticks twice a second.
"""

import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from processes import Child, isolate
from rows import percentile, row

SECONDS = 8.0  # of each turn
RATE = 50.0  # Hz of the first part, where one thing moves
FEW, MANY = 10, 100  # entities
MANY_RATE = 10.0  # Hz
AIM = 3.0  # times the peer
AIM_SHARE = 0.25  # of a core
PATIENCE = 30.0  # s
RUN_BRIDGE = (
    "import sys; from embodiment_bridge.launching.executables import main; sys.exit(main('opencog_bridge'))"
)
PLACE = re.compile(rb'<position x="([-0-9.e+]+)"')


def run(seconds: float = SECONDS) -> list[dict[str, Any]]:
    """Measure; rows of the latency and of the CPU share."""
    isolate()
    print(f"  a bare node, {seconds:g} s", flush=True)
    bare = ages_of_bare(seconds)
    print(f"  the bridge, {seconds:g} s; then with {MANY} entities", flush=True)
    ours, share, maps = measure_bridge(seconds)
    peer = "bare node that sends a line"
    return [
        *(
            row(
                f"entities to wire {label}",
                round(percentile(ours, part) * 1e6),
                "us",
                peer=peer,
                peer_value=round(percentile(bare, part) * 1e6),
                at_most=AIM,
            )
            for part, label in ((0.5, "p50"), (0.99, "p99"))
        ),
        row(f"CPU with {MANY} entities at {MANY_RATE:g} Hz", share, "cores", at_most=AIM_SHARE),
        row("map-info messages meanwhile", maps, "messages", at_least=0.9 * seconds * MANY_RATE),
    ]


class Publisher:
    """Publishes entities of which the first is at another x each time."""

    def __init__(self) -> None:
        import rclpy
        from embodiment_bridge.msg import EntityArray
        from rclpy.context import Context

        from embodiment_bridge.nodes.base.qos import profile

        self.context = Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node("benchmark", context=self.context)
        self.publisher = self.node.create_publisher(EntityArray, "entities", profile("sensor"))
        self.sent: dict[int, float] = {}  # mm of the first: when
        self._number = 0

    def wait(self) -> None:
        """Wait for a subscriber."""
        deadline = time.monotonic() + PATIENCE
        while not self.publisher.get_subscription_count():
            if time.monotonic() > deadline:
                raise RuntimeError("there is no subscriber of entities")
            time.sleep(0.05)

    def publish(self, count: int, rate: float, seconds: float, *, all_move: bool = False) -> None:
        """``count`` entities, ``rate`` times a second."""
        from embodiment_bridge.msg import Entity, EntityArray

        message = EntityArray()
        message.header.frame_id = "map"
        message.entities = [Entity(id=f"thing{i}", kind="ball", visible=True) for i in range(count)]
        begun = time.perf_counter()
        for turn in range(int(seconds * rate)):
            time.sleep(max(0.0, begun + turn / rate - time.perf_counter()))
            self._number = (self._number + 100) % 10_000
            for i, entity in enumerate(message.entities):
                entity.pose.position.y = float(i % 10)
                if all_move or i == 0:
                    entity.pose.position.x = self._number / 1000.0
            self.sent[self._number] = time.perf_counter()
            self.publisher.publish(message)

    def close(self) -> None:
        """Remove everything from the graph."""
        import rclpy

        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)


@contextmanager
def publisher() -> Iterator[Publisher]:
    made = Publisher()
    try:
        yield made
    finally:
        made.close()


def ages_of_bare(seconds: float) -> list[float]:
    """Ages in s of the lines that the bare node sends."""
    ages: list[float] = []
    with socket.create_server(("127.0.0.1", 0)) as server, publisher() as ours:
        with Child("bare_forwarder.py", server.getsockname()[1], talks=False):
            link, _ = server.accept()

            def hear() -> None:
                with link, link.makefile("rb") as lines:
                    for line in lines:
                        ages.append(time.perf_counter() - ours.sent[round(float(line) * 1000)])  # noqa: PERF401

            thread = threading.Thread(target=hear)
            thread.start()
            ours.wait()
            ours.publish(FEW, RATE, seconds)
        thread.join()
    return ages


def measure_bridge(seconds: float) -> tuple[list[float], float, int]:
    """Ages in s, the CPU share with many entities, and how many maps came then."""
    from embodiment_bridge.standins.oac.router import Router

    ages: list[float] = []
    maps = [0]
    router = Router()
    with publisher() as ours:

        def hear(message: Any) -> None:
            now = time.perf_counter()
            places = PLACE.findall(message.payload) if b"<map-info" in message.payload else []
            maps[0] += bool(places)
            if len(places) == 1 and round(float(places[0])) in ours.sent:
                ages.append(now - ours.sent[round(float(places[0]))])

        router.attach("fido", hear)
        closing = threading.Event()

        def serve() -> None:
            while not closing.is_set():
                router.step(0.05)

        thread = threading.Thread(target=serve)
        thread.start()
        ros = ("--ros-args", "-p", f"port:={router.port}", "-p", "map_rate:=1000.0")
        with Child(sys.executable, "-c", RUN_BRIDGE, *ros, talks=False) as bridge:
            ours.wait()
            time.sleep(1.0)
            ours.publish(FEW, RATE, seconds)
            time.sleep(0.5)
            before, begun, cpu = maps[0], time.monotonic(), bridge.cpu_s()
            ours.publish(MANY, MANY_RATE, seconds, all_move=True)
            share = (bridge.cpu_s() - cpu) / (time.monotonic() - begun)
            counted = maps[0] - before
        closing.set()
        thread.join()
    router.close()
    return ages, share, counted


if __name__ == "__main__":
    from run import show

    show(run(*(float(word) for word in sys.argv[1:])))
