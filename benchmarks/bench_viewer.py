# SPDX-License-Identifier: Apache-2.0
"""What a page left open costs: the process of the robot, and the viewer's own, with and without a page.

    python benchmarks/bench_viewer.py [SECONDS]

The robot is a mock body at 50 Hz with a behaviour tree: once with a brain that listens to its joints and pose, as in
use, and once with nobody, when it publishes nothing until a page opens. The viewer is the process that the command `up`
puts beside it. Turns with and without a page alternate, so that both see the same machine. The page is a client that
takes all it is sent, without a browser: what that costs is its own affair.
"""

import json
import socket
import sys
import threading
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from processes import Child, isolate
from rows import percentile, row

ROOT = Path(__file__).parents[1]
SECONDS = 5.0  # of each turn
TURNS = 3  # with a page, and as many without
SETTLE = 1.5  # s from opening or closing a page until a turn counts
PATIENCE = 30.0  # s
WITHOUT, OPEN = "no page", "one page"
BRAIN, ALONE = "that a brain listens to", "without listeners"
MOST_OF_ROBOT = 1.5  # times the CPU of the robot's process, where a brain listens too
MOST_LATE = 1.2  # times as far from step to step
MOST_CPU = 5.0  # % of a core of the viewer's process


class Turns:
    """What was measured in turns of one kind."""

    def __init__(self) -> None:
        self.seconds = self.robot = self.viewer = 0.0  # s: of wall, and of CPU
        self.steps: list[float] = []  # s from each step of the robot to the next

    def percent(self, cpu: float) -> float:
        """CPU time as % of a core."""
        return 100.0 * cpu / self.seconds


def run(seconds: float = SECONDS) -> list[dict[str, Any]]:
    """Measure; rows of CPU and of how far the steps of the robot are apart."""
    isolate()
    from embodiment_bridge.launching.executables import behavior_tree
    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.body.mock_body import MockBody

    port = free_port()
    with Runtime() as runtime, Child(sys.executable, __file__, "--viewer", port, talks=False) as viewer:
        body = runtime.add(MockBody(lambda: ROOT, context=runtime.context))
        runtime.add(behavior_tree(context=runtime.context))
        moments: list[float] = []
        body.create_timer(0.02, lambda: moments.append(time.monotonic()))  # beside the body's own steps
        runtime.spin(Until(lambda: is_open(port)))
        runtime.settle()
        stage = Stage(runtime, viewer, port, moments, seconds)
        alone = measure(stage, ALONE)
        with Child("listener.py", "joint_states", "pose") as brain:
            brain.line()
            heard = measure(stage, BRAIN)
    return [*rows_of(BRAIN, heard, MOST_OF_ROBOT), *rows_of(ALONE, alone, None), *rows_of_viewer(heard)]


def rows_of(robot: str, found: dict[str, Turns], most: float | None) -> list[dict[str, Any]]:
    """What the robot pays; ``most``: times its CPU without a page that are aimed at, None for no aims."""
    without, shown = found[WITHOUT], found[OPEN]
    rows = [
        row(f"robot {robot}, one page open: CPU of its process", shown.percent(shown.robot), "% of a core",
            peer=WITHOUT, peer_value=without.percent(without.robot), at_most=most)
    ]  # fmt: skip
    for share, label in ((0.5, "p50"), (0.99, "p99")):
        far, usual = (percentile(turns.steps, share) * 1e3 for turns in (shown, without))
        rows.append(
            row(f"robot {robot}, one page open: from step to step {label}", far, "ms",
                peer=WITHOUT, peer_value=usual, at_most=None if most is None else MOST_LATE)
        )  # fmt: skip
    return rows


def rows_of_viewer(found: dict[str, Turns]) -> list[dict[str, Any]]:
    """What the viewer pays."""
    without, shown = found[WITHOUT], found[OPEN]
    return [
        row("viewer, one page open: CPU of its process", shown.percent(shown.viewer), "% of a core",
            at_most=MOST_CPU),
        row("viewer, no page: CPU of its process", without.percent(without.viewer), "% of a core"),
    ]  # fmt: skip


class Stage(NamedTuple):
    """A robot in this process, and a viewer beside it. moments: when the robot made its steps, monotonic s."""

    runtime: Any
    viewer: Child
    port: int
    moments: list[float]
    seconds: float  # of a turn


def measure(stage: Stage, robot: str) -> dict[str, Turns]:
    """Turns of both kinds."""
    found = {WITHOUT: Turns(), OPEN: Turns()}
    for number in range(TURNS):
        print(f"  robot {robot}: turn {number + 1} of {TURNS}, {stage.seconds:g} s each way", flush=True)
        turn(stage, found[WITHOUT])
        with Child(sys.executable, __file__, "--page", stage.port) as page:
            page.line()
            turn(stage, found[OPEN])
    return found


def turn(stage: Stage, turns: Turns) -> None:
    """One turn, once what has been opened or closed has settled."""
    settled = time.monotonic() + SETTLE
    stage.runtime.spin(lambda: time.monotonic() > settled)
    stage.moments.clear()
    begun, robot, shown = time.monotonic(), time.process_time(), stage.viewer.cpu_s()
    stage.runtime.spin(lambda: time.monotonic() > begun + stage.seconds)
    turns.seconds += time.monotonic() - begun
    turns.robot += time.process_time() - robot
    turns.viewer += stage.viewer.cpu_s() - shown
    turns.steps += [b - a for a, b in pairwise(stage.moments)]


class Until:
    """A condition with an end to patience."""

    def __init__(self, condition: Any) -> None:
        self._condition, self._deadline = condition, time.monotonic() + PATIENCE

    def __call__(self) -> bool:
        if time.monotonic() > self._deadline:
            raise RuntimeError("the viewer does not come up")
        return bool(self._condition())


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def is_open(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def be_viewer(port: str) -> int:
    from embodiment_bridge.cli.command_line import main

    return main(["view", "--port", port])


def be_page(port: str) -> None:
    """A page that takes all it is sent, until a line or the end comes on standard input."""
    import msgspec.msgpack
    import viser
    import websocket

    camera = {
        "type": "ViewerCameraMessage", "wxyz": (1.0, 0.0, 0.0, 0.0), "position": (1.0, 0.0, 0.0), "fov": 1.0,
        "near": 0.1, "far": 100.0, "image_height": 100, "image_width": 100,
        "look_at": (0.0, 0.0, 0.0), "up_direction": (0.0, 0.0, 1.0),
    }  # fmt: skip
    address, protocol = f"ws://127.0.0.1:{port}", f"viser-v{viser.__version__}"
    with closing(websocket.create_connection(address, subprotocols=[protocol])) as connection:
        connection.send_binary(msgspec.msgpack.encode(camera))
        threading.Thread(target=lambda: (sys.stdin.readline(), connection.shutdown()), daemon=True).start()
        print(json.dumps({"open": port}), flush=True)
        while connection.recv():
            pass


if __name__ == "__main__":
    if sys.argv[1:2] == ["--viewer"]:
        sys.exit(be_viewer(sys.argv[2]))
    elif sys.argv[1:2] == ["--page"]:
        be_page(sys.argv[2])
    else:
        for item in run(*map(float, sys.argv[1:2])):
            print(item)
