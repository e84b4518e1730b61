# SPDX-License-Identifier: Apache-2.0
"""What the viewer costs the process in which the robot is: without it, without a page, and with one page open.

    python benchmarks/bench_viewer.py

A mock body at 50 Hz is the robot; what is late is a callback of its executor. The page is a client that takes all it is
sent, without a browser: what that costs is its own affair.
"""

import os
import sys
import threading
import time
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from processes import isolate
from rows import percentile, row

ROOT = Path(__file__).parents[1]
SECONDS = 8.0  # of each turn
WITHOUT, CLOSED, OPEN = "no viewer", "viewer, no page", "viewer, one page"
MOST_LATE = 1.2  # times as late as without a page
MOST_CPU = 15.0  # % of a core that a page may cost


def run(seconds: float = SECONDS) -> list[dict[str, Any]]:
    """Measure; rows of CPU and of how far the steps of the robot are apart, with a page against without a viewer."""
    isolate()
    found = {name: measure(name, seconds) for name in (WITHOUT, CLOSED, OPEN)}
    rows = []
    for name in (CLOSED, OPEN):
        extra = found[name][0] - found[WITHOUT][0]
        rows.append(row(f"{name}: CPU more than without", round(extra, 1), "% of a core", at_most=MOST_CPU))
        for share, label in ((0.5, "p50"), (0.99, "p99")):
            late, usual = (percentile(found[which][1], share) * 1e3 for which in (name, WITHOUT))
            rows.append(
                row(f"{name}: from step to step {label}", round(late, 2), "ms",
                    peer=WITHOUT, peer_value=round(usual, 2), at_most=MOST_LATE)
            )  # fmt: skip
    return rows


def measure(name: str, seconds: float) -> tuple[float, list[float]]:
    """CPU of this process, % of a core, and times between percepts, s."""
    from rclpy.parameter import Parameter

    from embodiment_bridge.launching.executables import viewer
    from embodiment_bridge.nodes.mock_body import MockBody
    from embodiment_bridge.nodes.runtime import Runtime

    print(f"  {name}, {seconds:g} s", flush=True)
    with Runtime() as runtime:
        body = runtime.add(MockBody(lambda: ROOT, context=runtime.context))
        steps = watch_steps(body)
        shown = None
        if name != WITHOUT:
            port = [Parameter("port", value=0)]
            shown = runtime.add(viewer(parameter_overrides=port, context=runtime.context))
            runtime.spin(lambda: shown.url)
        begin = time.monotonic() + 2.0
        with page(shown.url if name == OPEN else ""):
            runtime.spin(lambda: time.monotonic() > begin)
            steps.clear()
            cpu, begun = time.process_time(), time.monotonic()
            runtime.spin(lambda: time.monotonic() > begun + seconds)
            share = 100.0 * (time.process_time() - cpu) / (time.monotonic() - begun)
    return share, [b - a for a, b in pairwise(steps)]


def watch_steps(body: Any) -> list[float]:
    """When the body makes its steps; a callback of the same executor, at the same rate."""
    steps: list[float] = []
    body.create_timer(0.02, lambda: steps.append(time.monotonic()))
    return steps


@contextmanager
def page(url: str) -> Any:
    """A page that takes all it is sent, in a process of its own; none without an address."""
    if not url:
        yield
        return
    read_end, write_end = os.pipe()
    os.set_inheritable(read_end, True)
    child = os.fork()
    if child == 0:
        os.close(write_end)
        visit(url, read_end)
    os.close(read_end)
    try:
        yield
    finally:
        os.close(write_end)
        os.waitpid(child, 0)


def visit(url: str, end: int) -> None:
    os.execv(sys.executable, [sys.executable, __file__, "--visit", url, str(end)])


def be_page(url: str, end: int) -> None:
    import msgspec.msgpack
    import viser
    import websocket

    camera = {
        "type": "ViewerCameraMessage", "wxyz": (1.0, 0.0, 0.0, 0.0), "position": (1.0, 0.0, 0.0), "fov": 1.0,
        "near": 0.1, "far": 100.0, "image_height": 100, "image_width": 100,
        "look_at": (0.0, 0.0, 0.0), "up_direction": (0.0, 0.0, 1.0),
    }  # fmt: skip
    threading.Thread(target=lambda: (os.read(end, 1), os._exit(0)), daemon=True).start()
    address, protocol = url.replace("http", "ws"), f"viser-v{viser.__version__}"
    with closing(websocket.create_connection(address, subprotocols=[protocol])) as connection:
        connection.send_binary(msgspec.msgpack.encode(camera))
        while connection.recv():
            pass


if __name__ == "__main__":
    if sys.argv[1:2] == ["--visit"]:
        be_page(sys.argv[2], int(sys.argv[3]))
    else:
        for item in run():
            print(item)
