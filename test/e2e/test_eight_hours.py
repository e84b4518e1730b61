# SPDX-License-Identifier: Apache-2.0
"""Eight hours of virtual time of body and tree, with two brains that compete and all that goes wrong (`make soak`).

``HOURS=0.2`` in the environment: so many hours. docs/faults.md has what came of it.
"""

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from geometry_msgs.msg import Twist
from mock_node_stage import Mock
from rosgraph_msgs.msg import Clock
from waiting import SIMULATION

from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.tree.runs.run_files import RunFiles

HOURS = float(os.environ.get("HOURS", "8"))
WARM = 0.1  # share of the time after which the process is compared
GROWTH_KB = 20_000
FAST = {"publish_clock": True, "use_sim_time": True, "speed": 100.0, "rate": 10.0}
SELF_TEST = Path(__file__).parents[1] / "data/bml/11_self_test_all_actions.json"
SHAKES = '{"type": "loop", "loop": 5, "behavior": {"type": "body", "action": "HEAD_SHAKE"}}'
ENDS = {"SUCCEEDED", "FAILED", "CANCELED", "PREEMPTED", "REJECTED"}


def used() -> tuple[int, int, int]:
    """Threads, descriptors, kB of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    files = len(list(Path("/proc/self/fd").iterdir()))
    return threading.active_count(), files, pages * os.sysconf("SC_PAGE_SIZE") // 1024


class Graph(Mock):
    """A body, its tree, a second brain, and what can happen to them."""

    patience = SIMULATION

    def __init__(self, runtime: Runtime, folder: Path, random: Random) -> None:
        super().__init__(runtime, "/eight", {"log_dir": str(folder), "log_keep": 20}, **FAST)
        self.random = random
        self.other = self.documents()
        self.velocity = self.watcher.create_publisher(Twist, "cmd_vel", profile("command"))
        self.clock = self.watcher.create_publisher(Clock, "/clock", profile("sensor"))
        self.room = True
        self.deeds = [
            self.body_restarts,
            self.tree_restarts,
            self.disk_is_full,
            self.clock_jumps,
            self.runs_are_canceled,
        ]

    def round(self) -> tuple[str, str]:
        """Both brains send a document, the other one perhaps while that of the first goes on; how both end."""
        self.bml.send(SELF_TEST.read_text(), source="one")
        begun, wait = self.tree._now(), self.random.uniform(0.0, 20.0)
        self.until(lambda: self.bml.result is not None or not 0.0 <= self.tree._now() - begun < wait)
        self.other.send(SHAKES, source="other")
        self.velocity.publish(Twist())
        if self.random.random() < 0.5:
            self.random.choice(self.deeds)()
        self.until(lambda: self.bml.result is not None and self.other.result is not None)
        self.room = True
        self.feedback.clear()
        return self.bml.result.outcome, self.other.result.outcome

    def body_restarts(self) -> None:
        self.body.trigger_deactivate()
        self.body.trigger_activate()

    def tree_restarts(self) -> None:
        self.tree.trigger_deactivate()
        self.tree.trigger_activate()
        self.until(lambda: bool(self.tree.skills))

    def disk_is_full(self) -> None:
        self.room = False

    def clock_jumps(self) -> None:
        """Somebody says another time, once."""
        message = Clock()
        message.clock.sec = self.random.choice([0, 10**8])
        self.clock.publish(message)

    def runs_are_canceled(self) -> None:
        self.bml.cancel()
        self.other.cancel()


@pytest.mark.soak
def test_eight_hours_of_two_brains(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ends: Counter[str] = Counter()
    with Runtime() as runtime:
        graph = Graph(runtime, tmp_path, Random(1))
        begin = RunFiles.begin

        def without_room(self: RunFiles, run_id: str) -> Callable[[str], None]:
            written = begin(self, run_id)
            if not graph.room:
                self._open[run_id].close()
                self._open[run_id] = Path("/dev/full").open("w", buffering=1)  # noqa: SIM115 - closed by the tree
            return written

        monkeypatch.setattr(RunFiles, "begin", without_room)
        try:
            graph.join()
            wall, lived, last, warm, rounds = time.monotonic(), 0.0, graph.tree._now(), None, 0
            while lived < HOURS * 3600.0:
                ends.update(graph.round())
                rounds += 1
                now = graph.tree._now()
                before, lived, last = lived, lived + min(max(now - last, 0.0), 600.0), now
                if lived // 3600 > before // 3600:
                    sys.stdout.write(f"{lived / 3600:.2f} h, {rounds} rounds: {dict(ends)}; {used()}\n")
                warm = warm or (used() if lived > WARM * HOURS * 3600.0 else None)
            after = used()
            wall = time.monotonic() - wall
        finally:
            graph.close()
    sys.stdout.write(
        f"{lived / 3600:.2f} h in {wall:.0f} s, {rounds} rounds: {dict(ends)}; {warm} then {after}\n"
    )
    assert set(ends) <= ENDS
    assert ends["SUCCEEDED"]
    assert warm is not None
    assert after[0] <= warm[0]
    assert after[1] <= warm[1] + 4
    assert after[2] <= warm[2] + GROWTH_KB
