# SPDX-License-Identifier: Apache-2.0
"""The type of a demo, and the stage on which it performs: the running graph, a line about the robot, a client."""

import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from embodiment_bridge.cli.demos.bodies import DemoBody
from embodiment_bridge.cli.ending import INTERRUPTED, OTHER, exit_code, where_and_why
from embodiment_bridge.cli.files import read_text
from embodiment_bridge.cli.following import GoneError, follow
from embodiment_bridge.cli.terminal import Progress, say, together
from embodiment_bridge.launching.environment import find_share

if TYPE_CHECKING:
    from embodiment_bridge.action import ExecuteBml
    from embodiment_bridge.launching.up import Graph
    from embodiment_bridge.nodes.base.watcher import Watcher


def say_lines(lines: Iterable[str]) -> None:
    """Write lines of a report to standard output."""
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


SHOW_EVERY = 0.2  # s


class StatusLine:
    """Shows the active nodes: one line redrawn in place on a terminal; otherwise a line for each change."""

    def __init__(self, watcher: "Watcher") -> None:
        self._watcher = watcher
        self._progress = Progress(sys.stderr)
        self._active = ""
        self._next = 0.0

    def update(self, feedback: "ExecuteBml.Feedback") -> None:
        """Set the active nodes, and print warnings."""
        paused = [] if feedback.state == "RUNNING" else [feedback.state]
        self._active = " ".join([*paused, together(feedback.doing)])
        for warning in feedback.warnings:
            say(warning)

    def show(self) -> bool:
        """Write the line if it is time. Always returns False, for use in the condition of a loop."""
        now = time.monotonic()
        if now >= self._next and self._active:
            self._next = now + SHOW_EVERY
            w = self._watcher
            place = f"x {w.x:6.2f} y {w.y:6.2f} z {w.z:5.3f} m"
            line = f"{w.percepts:6d} percepts | {place} | {w.posture:8} | {self._active}"
            self._progress.rewrite(line, self._active)
        return False

    def end(self) -> None:
        """End the line, which keeps its last text."""
        self._progress.end()


JOIN_TIMEOUT = 120.0  # s; a simulator may compile its world first, and the machine may be busy
PLACING_S = 10.0  # s at most for each step of placing a robot
SETTLING_S = 2.0  # s in which it lands on its feet
FROM_BALL_M = 2.0
CALL_TIMEOUT = 30.0  # s for a service


class Stage:
    """Represents a running ``graph``.

    ``stopped()``: whether Ctrl-C was pressed; ``feedback``: the last one of the document.

    ``afterwards`` ends what the graph is connected to, once the graph has ended. ``document``: what the command line
    asks for in place of the demo's own. ``port``: the free TCP port that the show was given before the graph began.
    """

    def __init__(
        self,
        graph: "Graph",
        body: DemoBody,
        stopped: Callable[[], bool],
        afterwards: ExitStack,
        document: str | None,
        port: int,
    ) -> None:
        from embodiment_bridge.action import ExecuteBml
        from embodiment_bridge.nodes.base.watcher import Watcher
        from embodiment_bridge.nodes.tree.bml_client import BmlClient

        self.graph = graph
        self.body = body
        self.stopped = stopped
        self.afterwards = afterwards
        self.document = document
        self.port = port
        self.feedback = ExecuteBml.Feedback(expected=math.nan)  # until the first one comes
        self.watcher = graph.runtime.add(Watcher(context=graph.runtime.context))
        self.status = StatusLine(self.watcher)
        self.client = BmlClient(self.watcher, self._on_feedback)
        self._begun = 0.0

    @property
    def result(self) -> "ExecuteBml.Result | None":
        """The result of the document; None until it has ended."""
        return self.client.result

    @property
    def placed(self) -> bool:
        """Whether the robot's place is known, or never will be."""
        return self.watcher.placed or not self.body.placed

    @property
    def upright(self) -> bool:
        """Whether the robot stands."""
        return self.watcher.posture != "fallen" and (
            not self.body.upright or self.watcher.z > self.body.upright
        )

    def wait(self, condition: Callable[[], bool], seconds: float = math.inf) -> bool:
        """Serve until the condition holds, the time is over, or Ctrl-C; returns whether the condition holds."""
        deadline = time.monotonic() + seconds
        self.graph.spin(
            lambda: self.status.show() or condition() or self.stopped() or time.monotonic() > deadline
        )
        return condition()

    def await_body(self) -> bool:
        """Wait until the body is there, and its place known; says so if it does not come in time."""
        w = self.watcher
        there = self.wait(lambda: w.link == "ready" and self.placed, JOIN_TIMEOUT)
        if not there:
            say(f"the body did not come within {JOIN_TIMEOUT:g} s: link {w.link} {w.reason}")
        return there

    def join(self) -> bool:
        """Wait until the robot is ready for documents; prints why if it does not get ready in time."""
        w = self.watcher
        there = self.wait(
            lambda: w.link == "ready" and self.placed and self.client.server_is_there, JOIN_TIMEOUT
        )
        if not there and self.stopped():
            say("the robot had not joined yet")
        elif not there and not self.graph.failed:
            say(f"the robot did not join within {JOIN_TIMEOUT:g} s: link {w.link} {w.reason}")
        if there and self.body.near_ball:
            self._come_near()
        w.mark()
        return there

    @property
    def not_joined(self) -> int:
        """The exit code of a demo whose robot has not joined."""
        return INTERRUPTED if self.stopped() else OTHER

    def _come_near(self) -> None:
        """Place the robot 2 m from the ball, as a simulator of soccer allows before kick-off."""
        from embodiment_bridge.srv import Beam

        w = self.watcher
        client = w.create_client(Beam, "beam")
        try:
            if self.wait(client.service_is_ready, PLACING_S):
                client.call_async(Beam.Request(x=-FROM_BALL_M))
                self.wait(lambda: math.hypot(w.x, w.y) < FROM_BALL_M + 0.5, PLACING_S)
                self.wait(lambda: False, SETTLING_S)
                self.wait(lambda: self.upright, PLACING_S)
        finally:
            w.destroy_client(client)

    def begin(self, document: str) -> None:
        """Send a document; ``result`` is set later."""
        self._begun = time.monotonic()
        self._goal = self.client.send(document, source="demo")

    def call(self, service: str) -> bool:
        """Call a service of the behaviour-tree node (pause, resume, step, stop); returns whether it succeeded."""
        from std_srvs.srv import Trigger

        client = self.watcher.create_client(Trigger, f"behavior_tree/{service}")
        try:
            if not self.wait(client.service_is_ready, CALL_TIMEOUT):
                return False
            answer = client.call_async(Trigger.Request())
            return self.wait(answer.done, CALL_TIMEOUT) and bool(answer.result().success)
        finally:
            self.watcher.destroy_client(client)

    def await_result(self) -> "ExecuteBml.Result":
        """Wait for the end of the document. Ctrl-C cancels it, a second one gives it up.

        Raises:
            GoneError: there will be no result, because the server has gone or was given up.
        """
        try:
            follow(
                self._goal,
                lambda until: self.graph.spin(lambda: self.status.show() or until()),
                self.stopped,
            )
        finally:
            self.status.end()
        if self.result is None:
            raise GoneError("the document was given up without a result")
        return self.result

    def finish(self) -> int:
        """Wait for the end of the document and print the summary; returns the exit code.

        Raises:
            GoneError: as ``await_result``.
        """
        result = self.await_result()
        say_lines([*result.problems, *self._summary(result)])
        code = exit_code(result.outcome)
        return code if code or self.upright else 1

    def perform(self, document: str) -> int:
        """Wait for the robot, run a document to its end, and return the exit code."""
        if not self.join():
            return self.not_joined
        self.begin(document)
        return self.finish()

    def close(self) -> None:
        """Remove the client from the graph."""
        self.client.destroy()

    def _on_feedback(self, feedback: "ExecuteBml.Feedback") -> None:
        self.feedback = feedback
        self.status.update(feedback)

    def _summary(self, result: "ExecuteBml.Result") -> list[str]:
        w, timing = self.watcher, self.watcher.timing
        posture = "upright" if self.upright else "FALLEN"
        lines = [
            f"outcome            {result.outcome}{where_and_why(result)}",
            f"run time           {result.elapsed:.1f} s ({time.monotonic() - self._begun:.1f} s of wall time)",
        ]
        if w.placed:
            lines += [
                f"walked             {w.distance:.2f} m, turned {math.degrees(w.turned):.0f} degrees",
                f"torso height       {w.z:.3f} m, lowest {w.lowest:.3f} m: {posture}",
            ]
        answered = "answered in {} ms (p50), {} ms (p99)".format(
            timing.get("percept_to_frame_p50_ms", "?"), timing.get("percept_to_frame_p99_ms", "?")
        )
        return [*lines, f"percepts           {w.percepts}" + (f", {answered}" if timing else "")]


@dataclass(frozen=True, slots=True)
class Show:
    """Describes one demo.

    bodies: those that it is made for, the usual one first. brain: the launch argument of that name.
    perform: performs it on the stage of a running graph and returns the exit code, 0 only if everything went well.
    words: gives further launch arguments, ``name:=value``. It takes a free TCP port, which the stage has too, and the
    stack that ends what is opened for the show.
    """

    summary: str
    bodies: tuple[str, ...]
    perform: Callable[[Stage], int]
    brain: str = "none"
    words: Callable[[int, ExitStack], Sequence[str]] = lambda port, afterwards: ()


def own_document(name: str) -> str:
    """Return the text of a document of this package, ``config/bml/<name>.json``."""
    return read_text(str(find_share("embodiment_bridge") / "config" / "bml" / f"{name}.json"))
