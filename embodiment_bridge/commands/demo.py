# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge demo`: the real soccer simulator, a robot in it, and a BML document that moves it."""

import argparse
import math
import socket
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from embodiment_bridge.commands.files import read_text
from embodiment_bridge.commands.outcome import OTHER, exit_code
from embodiment_bridge.commands.shares import find_share
from embodiment_bridge.commands.up import find_launch_file, plan_of, say

if TYPE_CHECKING:
    from embodiment_bridge.launching.up import Graph
    from embodiment_bridge.nodes.watcher import Watcher

JOIN_TIMEOUT = 60.0  # s; the simulator compiles its world first
UPRIGHT = 0.6  # m, height of a standing T1's torso is 0.67
SHOW_EVERY = 0.2  # s


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = commands.add_parser(
        "demo",
        help="start the RoboCup MuJoCo simulator with a T1 and let a BML document move it",
        description="Start the RoboCup MuJoCo simulator (headless), put a T1 into it, and run a BML document on it.",
    )
    command.add_argument("--bml", metavar="FILE", help="the document (default: the first steps)")
    command.add_argument("--stay", action="store_true", help="stay up afterwards, until Ctrl-C")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Exit code 0 when the document succeeded and the robot stands, 1 when it does not, else as `run-bml`."""
    path = arguments.bml or str(find_share("embodiment_bridge") / "config" / "bml" / "first_steps.json")
    document = read_text(path)
    port, monitor_port = _free_ports()
    words = ["body:=rcsssmj", "start_peer:=true", f"port:={port}", f"monitor_port:={monitor_port}"]
    plan = plan_of(find_launch_file("bringup.launch.xml"), words)
    from embodiment_bridge.launching.up import Graph
    from embodiment_bridge.nodes.signals import stop_on_signals
    from embodiment_bridge.nodes.watcher import Watcher

    say("starting the RoboCup MuJoCo simulator and joining it with a T1 (about 10 s)")
    with stop_on_signals() as stopped, Graph(plan, say) as graph:
        watcher = graph.runtime.add(Watcher(context=graph.runtime.context))
        code = _perform(graph, watcher, document, stopped)
        if arguments.stay and not stopped():
            say("staying up; Ctrl-C ends")
            graph.spin(stopped)
    return code


def _perform(graph: "Graph", watcher: "Watcher", document: str, stopped: Callable[[], bool]) -> int:
    from embodiment_bridge.nodes.bml_client import BmlClient

    status = StatusLine(watcher)
    client = BmlClient(watcher, status.take)
    deadline = time.monotonic() + JOIN_TIMEOUT

    def there() -> bool:
        return watcher.link == "ready" and watcher.placed and client.server_is_there

    graph.spin(lambda: there() or stopped() or time.monotonic() > deadline)
    if not there():
        say(f"the robot did not join within {JOIN_TIMEOUT:g} s: link {watcher.link} {watcher.reason}")
        return OTHER
    watcher.mark()
    begun = time.monotonic()
    client.send(document, source="demo")
    graph.spin(lambda: status.show() or client.result is not None or stopped())
    status.end()
    if client.result is None:
        client.cancel()
        graph.spin(lambda: client.result is not None)
    client.destroy()
    return _summary(client.result, watcher, time.monotonic() - begun)


class StatusLine:
    """One line that is written over while it changes; on no terminal, a line for each change of what is active."""

    def __init__(self, watcher: "Watcher") -> None:
        self._watcher = watcher
        self._active = ""
        self._told = ""
        self._next = 0.0

    def take(self, feedback: Any) -> None:
        """Hear what is active."""
        self._active = " ".join(feedback.active)
        for warning in feedback.warnings:
            say(warning)

    def show(self) -> bool:
        """Write the line if it is time; always False, so that it can stand in a loop's condition."""
        now = time.monotonic()
        if now < self._next or (not sys.stderr.isatty() and self._active == self._told):
            return False
        self._next = now + SHOW_EVERY
        self._told = self._active
        w = self._watcher
        line = f"{w.percepts:6d} percepts | x {w.x:6.2f} y {w.y:6.2f} z {w.z:5.3f} m | {w.posture:8} | {self._active}"
        sys.stderr.write(f"\r\x1b[K{line}" if sys.stderr.isatty() else f"{line}\n")
        sys.stderr.flush()
        return False

    def end(self) -> None:
        """Leave the line as it is."""
        if sys.stderr.isatty():
            sys.stderr.write("\n")


def _summary(result: Any, watcher: "Watcher", seconds: float) -> int:
    upright = watcher.z > UPRIGHT
    timing = watcher.timing
    lines = [
        f"outcome            {result.outcome}"
        + (f" at {result.pointer}: {result.reason}" if result.reason else ""),
        f"run time           {result.elapsed:.1f} s ({seconds:.1f} s of wall time)",
        f"walked             {watcher.distance:.2f} m, turned {math.degrees(watcher.turned):.0f} degrees",
        f"torso height       {watcher.z:.3f} m, lowest {watcher.lowest:.3f} m: {'upright' if upright else 'FALLEN'}",
        f"percepts           {watcher.percepts}, answered in {timing.get('percept_to_frame_p50_ms', '?')} ms (p50), "
        f"{timing.get('percept_to_frame_p99_ms', '?')} ms (p99)",
    ]
    sys.stdout.writelines(f"{line}\n" for line in [*result.problems, *lines])
    code = exit_code(result.outcome)
    return code if code or upright else 1


def _free_ports() -> tuple[int, int]:
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        return first.getsockname()[1], second.getsockname()[1]
