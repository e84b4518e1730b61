# SPDX-License-Identifier: Apache-2.0
"""A chain of documents that each fetch the next one: does anything grow with its length?

    python benchmarks/bench_requests.py [LINKS]

100,000 links on a virtual clock; the fetcher answers from memory. Each document is a sequence with a body action of
0.6 s and the request of the next one. Memory is what Python has allocated after every tenth of the chain, compared
with that after the first tenth; depth is the deepest call stack seen while a document is taken on. Beside it a tree of
plain py_trees nodes in which every fetched tree becomes a child of the node that fetched it, as far as it gets.
"""

import gc
import inspect
import json
import sys
import time
import tracemalloc
from importlib.metadata import version
from typing import Any

import py_trees
from rows import row

from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import FetchReport, FetchStatus, Ports, Read
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualSkills
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.body.state import SkillInfo

LINKS = 100_000
STEP = 0.3  # s of virtual time between two ticks
SKILLS = {"head_shake": SkillInfo("head_shake", "motion", ("head",), 1.0, 0.1)}
URL = "https://skills.example/next"
NEXT = {"type": "request", "url": URL}
LINK = json.dumps(
    {"type": "sequence", "behaviors": [{"type": "body", "action": "HEAD_SHAKE", "duration": 0.6}, NEXT]}
)


class Memory:
    """A port for requests that has the reply at once."""

    def __init__(self) -> None:
        self.fetched = 0
        self.depth = 0

    def start(self, request_id: str, url: str, read: Read) -> None:
        self.fetched += 1
        if self.fetched % 1000 == 0:
            self.depth = max(self.depth, len(inspect.stack(0)))

    def report(self, request_id: str) -> FetchReport:
        return FetchReport(request_id, FetchStatus.DONE, text=LINK)

    def cancel(self, request_id: str) -> None:
        """Nothing is under way."""


def run(links: int = LINKS) -> list[dict[str, Any]]:
    """Measure; a row for each number."""
    memory, depths, seconds = chain(links)
    growth = (max(memory) - memory[0]) / 1024
    return [
        row(f"chain of {links} links: memory gained after the first tenth", growth, "KiB", at_most=64.0),
        row(f"chain of {links} links: calls inside each other", depths, "calls", at_most=60.0),
        row("one link (fetch, read, check, build, run)", seconds / links * 1e3, "ms"),
        row(f"links until nested trees of py_trees {version('py-trees')} break", nested_links(), "links"),
    ]


def chain(links: int) -> tuple[list[int], int, float]:
    """Bytes allocated after each tenth, deepest stack, CPU seconds (without the tracing of memory)."""
    seconds = _perform(max(links // 10, 1), [])[1] * 10
    tracemalloc.start()
    memory: list[int] = []
    port, _ = _perform(links, memory)
    tracemalloc.stop()
    return memory, port.depth, seconds


def _perform(links: int, memory: list[int]) -> tuple[Memory, float]:
    skills, port = VirtualSkills(SKILLS), Memory()
    run_of_it = Run(json.dumps(NEXT), Ports(skills, VirtualMedia({}), port), Rules(SKILLS))
    now, marks = 0.0, iter(range(max(links // 10, 1), links + 1, max(links // 10, 1)))
    mark = next(marks)
    begun = time.process_time()
    while port.fetched < links:
        skills.advance_to(now)
        run_of_it.tick(now)
        run_of_it.take_events()
        if run_of_it.ending is not None:
            raise RuntimeError(f"the chain broke: {run_of_it.ending}")
        now += STEP
        if tracemalloc.is_tracing() and port.fetched >= mark:
            gc.collect()
            memory.append(tracemalloc.get_traced_memory()[0])
            mark = next(marks, links)
    return port, time.process_time() - begun


def nested_links() -> int:
    """How many trees py_trees' own nodes hold inside each other before a tick breaks, up to 1000."""
    root = py_trees.composites.Sequence("0", memory=True)
    inner, links = root, 0
    try:
        while links < 1000:
            links += 1
            child = py_trees.composites.Sequence(str(links), memory=True)
            inner.add_child(child)
            inner = child
            if links % 10 == 0:
                inner.add_child(py_trees.behaviours.Running("waits"))
                for _ in root.tick():
                    pass
                root.stop(py_trees.common.Status.INVALID)
                inner.remove_all_children()
    except RecursionError:
        pass
    return links


if __name__ == "__main__":
    from run import show

    show(run(int(sys.argv[1]) if len(sys.argv) > 1 else LINKS))
