# SPDX-License-Identifier: Apache-2.0
"""BML: how long a document of 10,000 nodes takes to check, what a tick costs, how well loops keep time.

    python benchmarks/bench_bml.py

The best of several turns counts, in CPU time. Checking: from text to a checked tree, against pydantic (a model of
our own with a discriminated union) and jsonschema (our schema), which check values only; a peer that is not
installed is left out. Ticks: a document of 1,000 nodes of which a few run, as songs with movements are, against
the same tree of py_trees' own nodes in its BehaviourTree. Drift: ten delays of 1 s in a loop over ten minutes of
virtual time, ticked at 20 Hz with 10 % of jitter.
"""

import importlib
import json
import random
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import py_trees
from rows import row

import embodiment_bridge.bml as bml
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests, VirtualSkills
from embodiment_bridge.behaviour.runs.run import Run, RunState

NODES = 10_000
TURNS = 3
TICKS = 2000
TICKED_NODES = 1000
WAIT = {"type": "delay", "duration": 1}
LONG = 1e4  # s, longer than any measurement


def run() -> list[dict[str, Any]]:
    """Measure; one row for each peer."""
    return [*validating(), *ticking(), drifting()]


def validating() -> list[dict[str, Any]]:
    """Our time and that of each peer, ms."""
    text = json.dumps(four_ary(NODES))
    ours = best(lambda: read_checked(text)) * 1e3
    peers = {name: best(work, turns) * 1e3 for name, (work, turns) in validators(text).items()}
    name = f"check {NODES} nodes"
    # pydantic's core is Rust, and it checks values only.
    aims = {peer: 2.5 if peer.startswith("pydantic") else 1.0 for peer in peers}
    rows = [
        row(name, ours, "ms", peer=peer, peer_value=value, at_most=aims[peer])
        for peer, value in peers.items()
    ]
    return rows or [row(name, ours, "ms")]


def read_checked(text: str) -> None:
    """Read a document as the behaviour-tree node does for a goal."""
    result = bml.read(text, strict=True)
    if result.document is None or bml.check(result.document, {}):
        raise RuntimeError(f"the sample is bad: {result.problems[:1]}")


def four_ary(nodes: int) -> dict[str, Any]:
    """A tree of sequences with four children each, and delays as leaves: ``nodes`` in all."""
    root: dict[str, Any] = {"type": "sequence", "behaviors": []}
    open_nodes, count = [root], 1
    while count < nodes:
        parent = open_nodes.pop(0)
        for place in range(min(4, nodes - count)):
            inner = place < 2 and count + 4 * len(open_nodes) < nodes
            child: dict[str, Any] = (
                {"type": "sequence", "behaviors": []} if inner else {**WAIT, "name": f"n{count}"}
            )
            parent["behaviors"].append(child)
            open_nodes += [child] if inner else []
            count += 1
    for empty in open_nodes:
        empty.update(WAIT)
        del empty["behaviors"]
    return root


def validators(text: str) -> dict[str, tuple[Callable[[], object], int]]:
    """The installed peers, by name and version, with their number of turns."""
    found: dict[str, tuple[Callable[[], object], int]] = {}
    for package, maker, turns in (("pydantic", with_pydantic, TURNS), ("jsonschema", with_jsonschema, 1)):
        try:
            found[f"{package} {version(package)}"] = maker(importlib.import_module(package), text), turns
        except ImportError:
            print(f"{package} is not installed", file=sys.stderr)
    return found


def with_pydantic(pydantic: Any, text: str) -> Callable[[], object]:
    """The two node types of the sample as models, told apart by their type."""
    annotated = importlib.import_module("typing").Annotated
    literal = importlib.import_module("typing").Literal
    closed = pydantic.ConfigDict(extra="forbid")
    delay = pydantic.create_model(
        "Delay",
        __config__=closed,
        type=(literal["delay"], ...),
        name=(str, pydantic.Field("", max_length=200)),
        duration=(float, pydantic.Field(ge=0, le=86400)),
    )
    # The name of a model inside of itself, which pydantic resolves when the model is complete.
    node = annotated["Sequence | Delay", pydantic.Field(discriminator="type")]
    sequence = pydantic.create_model(
        "Sequence",
        __config__=closed,
        type=(literal["sequence"], ...),
        name=(str, pydantic.Field("", max_length=200)),
        behaviors=(list[node], pydantic.Field(max_length=1000)),  # type: ignore[valid-type]
    )
    sequence.model_rebuild(_types_namespace={"Sequence": sequence, "Delay": delay})
    return lambda: sequence.model_validate_json(text)


def with_jsonschema(jsonschema: Any, text: str) -> Callable[[], object]:
    """Our published schema."""
    schema = json.loads((Path(bml.__file__).parent / "bml.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    return lambda: list(validator.iter_errors(json.loads(text)))


def ticking() -> list[dict[str, Any]]:
    """Microseconds of one tick in which nothing ends."""
    ours = our_run()
    theirs = py_trees.trees.BehaviourTree(their_tree())
    bare = their_tree()
    times = {
        "ours": best(lambda: [ours.tick(place * 1e-4) for place in range(TICKS)]),
        "tree": best(lambda: [theirs.tick() for _ in range(TICKS)]),
        "root": best(lambda: [_spent(bare) for _ in range(TICKS)]),
    }
    micro = {name: seconds / TICKS * 1e6 for name, seconds in times.items()}
    name, release = f"tick of {TICKED_NODES} nodes", version("py_trees")
    return [
        row(
            name,
            micro["ours"],
            "us",
            peer=f"py_trees {release} BehaviourTree",
            peer_value=micro["tree"],
            at_most=1.0,
        ),
        row(name, micro["ours"], "us", peer=f"py_trees {release} root.tick()", peer_value=micro["root"]),
    ]


def _spent(root: py_trees.behaviour.Behaviour) -> None:
    for _ in root.tick():
        pass


def our_run() -> Run:
    """A running document: a parallel of a long sequence and an endless loop over another one."""
    half = TICKED_NODES // 2 - 2
    steps = [{**WAIT, "duration": LONG}] + [WAIT] * (half - 1)
    document = {
        "type": "parallel",
        "behaviors": [
            {"type": "sequence", "behaviors": steps},
            {"type": "loop", "loop": -1, "behavior": {"type": "sequence", "behaviors": steps}},
        ],
    }
    return begun(document)


def their_tree() -> py_trees.behaviour.Behaviour:
    """The same tree with py_trees' own nodes."""
    half = TICKED_NODES // 2 - 2
    branches = []
    for name in ("song", "dance"):
        branch = py_trees.composites.Sequence(name, memory=True)
        branch.add_children([py_trees.behaviours.Running(f"{name}{place}") for place in range(half)])
        branches.append(branch)
    root = py_trees.composites.Parallel("all", policy=py_trees.common.ParallelPolicy.SuccessOnAll())
    root.add_children([branches[0], py_trees.decorators.Repeat("again", branches[1], -1)])
    return root


def drifting() -> dict[str, Any]:
    """How much longer than 600 s sixty turns of ten delays of 1 s take, in percent."""
    ten = {"type": "sequence", "behaviors": [WAIT] * 10, "loop": 60}
    performance = begun({"type": "sequence", "behaviors": [ten]})
    jitter = random.Random(1)
    now = 0.0
    while performance.tick(now) is not RunState.ENDED:
        now += 0.05 * jitter.uniform(0.9, 1.1)
    seen = abs(now - 600.0) / 600.0 * 100.0
    return row("drift of a 10 x 1 s loop over 10 min, as seen by a clock", seen, "%", at_most=0.02)


def begun(document: dict[str, Any]) -> Run:
    """A run of a document after its first tick."""
    limits = bml.Limits(max_children=NODES)
    rules = Rules(limits=limits)
    performance = Run(
        json.dumps(document), Ports(VirtualSkills({}), VirtualMedia({}), VirtualRequests({})), rules
    )
    while performance.tick(0.0) is RunState.LOADING:
        pass
    if performance.state is not RunState.RUNNING:
        raise RuntimeError(f"the sample does not run: {performance.ending}")
    return performance


def best(work: Callable[[], object], turns: int = TURNS) -> float:
    """CPU seconds of the fastest turn."""
    found = float("inf")
    for _ in range(turns):
        start = time.process_time()
        work()
        found = min(found, time.process_time() - start)
    return found


if __name__ == "__main__":
    for one in run():
        print(f"{one['name']:55} {one['value']:8.3g} {one['unit']}  {one['peer']}  {one['aim']}")
