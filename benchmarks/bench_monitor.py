# SPDX-License-Identifier: Apache-2.0
"""What it takes to watch a soccer game: recorded streams decoded, and 22 players decoded and published.

    python benchmarks/bench_monitor.py [SECONDS]

Decoding: CPU time of the best of several turns, from the stream as received to typed events that fit the scene.
sexpdata reads the same text to nested lists; orjson reads it translated to JSON arrays beforehand, which is a floor
that no Python reader comes near. "times real time": seconds of the game per second of CPU; a message is 0.04 s.

22 players: changes of a recorded Nao for all of them, all moving (crowd.py), from a server at 25 Hz to a node in a
process of its own; entities, markers, poses and transforms have a subscriber. The time from a frame to its topic is
from the server's write to the subscriber's callback. 100 times real time would be 0.4 ms for the 73 kB of such a
message, in which orjson does not even build lists: so that aim is out of reach of one process of Python, and missed.
"""

import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench_decode import best_times
from crowd import crowd, message
from processes import Child, isolate
from rows import percentile, row
from untyped import untyped

from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel
from embodiment_bridge.wire.codec import Codec
from embodiment_bridge.wire.framing import Framer, frame

DATA = Path(__file__).parents[1] / "test/data"
STREAMS = {
    "simspark_monitor": DATA / "simspark_monitor/short_monitor.bin",
    "rcsssmj_monitor": DATA / "rcsssmj_monitor/short_monitor_rsmp.bin",
}
PERIOD = 0.04  # s of the game per message
PLAYERS = 22
FAST = 500  # messages as fast as they are taken
DECODING, PUBLISHING = 100.0, 10.0  # times real time
ENVIRONMENT = (
    "(FieldLength 30)(FieldWidth 20)(GoalWidth 2.1)(GoalDepth 0.6)(GoalHeight 0.8)(play_modes A)(play_mode 0)"
)


def run(seconds: float = 10.0) -> list[dict[str, Any]]:
    """Measure; rows of decoding, then of a full game."""
    rows = [found for name, path in STREAMS.items() for found in _decoding(name, name, path.read_bytes())]
    scene, changes = crowd(PLAYERS)
    payloads = [message(scene, "RSG", 0.0), *(message(graph, "RDS", 0.0) for graph in changes)]
    rows += _decoding("simspark_monitor", f"{PLAYERS} players", b"".join(map(frame, payloads)))
    return rows + _game(scene, changes, seconds)


def _decoding(protocol: str, name: str, stream: bytes) -> list[dict[str, Any]]:
    payloads = [found.payload for found in Framer().feed(stream)]
    make_codec = resolve(registry.spec(protocol).codec)
    works: dict[str, Callable[[], None]] = {"ours": lambda: _apply(make_codec(), stream)} | untyped(payloads)
    best = best_times(works)
    real_time = len(payloads) * PERIOD / best["ours"]
    speed = {work: len(stream) / seconds / 1e6 for work, seconds in best.items()}
    rows = [row(f"{name}: decoding", round(real_time), "times real time", at_least=DECODING)]
    ours = round(speed.pop("ours"), 1)
    rows += [
        row(f"{name}: stream to scene", ours, "MB/s", peer=work, peer_value=round(value, 1))
        for work, value in speed.items()
    ]
    return rows


def _apply(codec: Codec, stream: bytes) -> None:
    model = MonitorModel(can_ask=False)
    for start in range(0, len(stream), 1 << 16):
        for event in codec.feed(stream[start : start + (1 << 16)]):
            model.take(event)
    if model.mismatches:
        raise RuntimeError(f"{model.mismatches} messages do not fit")


def _game(scene: str, changes: list[str], seconds: float) -> list[dict[str, Any]]:
    """A server in this process, a node in another, a subscriber here."""
    isolate()
    with (
        Server(scene, changes) as server,
        Child("monitor_node.py", server.port) as node,
        Listener() as listener,
    ):
        if not server.joined.wait(60.0):
            raise RuntimeError(f"the node does not connect: {node.log()}")
        print("  the node has connected", flush=True)
        listener.spin(3.0, lambda: len(listener.late) > 25)
        listener.late.clear()
        begun, cpu = time.monotonic(), node.cpu_s()
        listener.spin(seconds)
        share = (node.cpu_s() - cpu) / (time.monotonic() - begun)
        late = [value * 1e3 for value in listener.late]
        taken = server.rush()
        node.finish()
    return [
        row(
            f"{PLAYERS} players at 25 Hz: CPU of the node",
            round(share, 3),
            "cores",
            peer="one core",
            peer_value=1.0,
        ),
        row("frame to entities p50", round(percentile(late, 0.5), 2), "ms"),
        row(
            "frame to entities p99",
            round(percentile(late, 0.99), 2),
            "ms",
            peer="frame",
            peer_value=1e3 * PERIOD,
        ),
        row("messages that came", len(late), "of " + str(round(seconds / PERIOD))),
        row("decoding and publishing", round(taken, 1), "times real time", at_least=PUBLISHING),
    ]


class Server:
    """Sends the game at 25 Hz to the one who connects; ``rush`` sends as fast as it is taken."""

    def __init__(self, scene: str, changes: list[str]) -> None:
        self._scene, self._changes = scene, changes
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.joined, self._stop, self._hurry = threading.Event(), threading.Event(), threading.Event()
        self._taken = 0.0
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._hurry.set()
        self._listener.close()
        self._thread.join(10.0)

    def rush(self) -> float:
        """Times real time in which the node takes messages."""
        self._hurry.set()
        self._thread.join(120.0)
        return self._taken

    def _serve(self) -> None:
        try:
            link, _ = self._listener.accept()
        except OSError:
            return
        with link:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 17)
            link.sendall(frame(message(self._scene, "RSG", time.monotonic(), ENVIRONMENT)))
            self.joined.set()
            count, due = 0, time.monotonic()
            while not self._hurry.wait(max(due - time.monotonic(), 0.0)):
                due += PERIOD
                link.sendall(self._next(count))
                count += 1
            begun = time.monotonic()
            for index in range(0 if self._stop.is_set() else FAST):
                link.sendall(self._next(count + index))
            if (
                not self._stop.is_set()
            ):  # what is still under way is part of it: the buffers hold a few messages
                self._taken = FAST * PERIOD / (time.monotonic() - begun)

    def _next(self, count: int) -> bytes:
        return frame(message(self._changes[count % len(self._changes)], "RDS", time.monotonic()))


class Listener:
    """Subscribes to all that a full game is told by; ``late``: s from each frame to its entities."""

    def __enter__(self) -> "Listener":
        from embodiment_bridge.msg import EntityArray, GameState
        from geometry_msgs.msg import PoseStamped
        from rclpy.node import Node
        from tf2_msgs.msg import TFMessage
        from visualization_msgs.msg import MarkerArray

        from embodiment_bridge.nodes.base.qos import profile
        from embodiment_bridge.nodes.base.runtime import Runtime

        self.late: list[float] = []
        self._sent: dict[tuple[int, int], float] = {}
        self._runtime = Runtime()
        self._runtime.__enter__()
        node = self._runtime.add(Node("listener", context=self._runtime.context))
        node.create_subscription(GameState, "game_state", self._on_game, profile("state"))
        node.create_subscription(EntityArray, "entities", self._on_entities, profile("state"))
        for kind, name in ((MarkerArray, "markers"), (TFMessage, "/tf"), (PoseStamped, "ball/pose")):
            node.create_subscription(kind, name, lambda _: None, profile("state"))
        return self

    def __exit__(self, *_: object) -> None:
        self._runtime.__exit__(None, None, None)

    def spin(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Listen for so long."""
        end = time.monotonic() + seconds
        self._runtime.spin(lambda: until() or time.monotonic() > end)

    def _on_game(self, message: Any) -> None:
        self._sent[message.header.stamp.sec, message.header.stamp.nanosec] = message.play_time

    def _on_entities(self, message: Any) -> None:
        sent = self._sent.pop((message.header.stamp.sec, message.header.stamp.nanosec), None)
        if sent is not None:
            self.late.append(time.monotonic() - sent)


if __name__ == "__main__":
    from run import show

    show(run(*(float(word) for word in sys.argv[1:])))
