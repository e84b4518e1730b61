# SPDX-License-Identifier: Apache-2.0
"""How long the percepts of RCSSServerMJ take to read: ours to typed events, others to untyped nested lists.

    python benchmarks/bench_decode.py [RECORDING]

All read the same recorded stream (default: the short one of a T1 in test/data) in the same run, in turns. The
best of several turns counts, in CPU time, so that other programs disturb little. Ours starts from the stream as
received (framing, UTF-8, typed events), the others from whole payloads. The ratio is our time to the peer's. A peer
that is not installed is left out.
"""

import importlib
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rows import row

from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.wire.framing import Framer
from embodiment_bridge.wire.sexpr import parse

RECORDING = Path(__file__).parents[1] / "test/data/rcsssmj/short_agent_t1.bin"
CHUNK = 4096  # bytes per read from a socket
TURNS = 10
OURS = "stream to typed events"
AIMS = {"rcsssmj": 0.5, "sexpdata": 0.1}  # times the peer, which does less


def run(recording: Path = RECORDING) -> list[dict[str, Any]]:
    """Measure; one row per peer."""
    stream = recording.read_bytes()
    payloads = [found.payload for found in Framer().feed(stream)]
    best = best_times({OURS: lambda: decode(stream)} | parsers(payloads))
    each = {name: round(seconds / len(payloads) * 1e6, 1) for name, seconds in best.items()}
    ours = each.pop(OURS)
    return [
        row(
            OURS,
            ours,
            "us/percept",
            peer=name,
            peer_value=seconds,
            at_most=AIMS.get(name.partition(".")[0].partition(" ")[0]),
        )
        for name, seconds in each.items()
    ]


def decode(stream: bytes) -> None:
    """Ours: as a session does it, chunk by chunk, each event dropped when the next comes."""
    codec = Codec()
    for start in range(0, len(stream), CHUNK):
        codec.feed(stream[start : start + CHUNK])


def parsers(payloads: list[bytes]) -> dict[str, Callable[[], None]]:
    """The installed untyped parsers, by name and version."""
    found: dict[str, Callable[[bytes], object]] = {"embodiment_bridge.wire.sexpr": parse}
    for package, module, parser in (
        ("rcsssmj", "rcsssmj.utils.sexpression", lambda m: m.SExpression.from_array),
        ("sexpdata", "sexpdata", lambda m: lambda payload: m.parse(payload.decode())),
    ):
        try:
            found[f"{module} {version(package)}"] = parser(importlib.import_module(module))
        except ImportError:
            print(f"{package} is not installed", file=sys.stderr)
    return {name: lambda read=read: [read(p) for p in payloads] and None for name, read in found.items()}


def best_times(works: dict[str, Callable[[], None]]) -> dict[str, float]:
    """CPU seconds of the fastest turn of each."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(TURNS):
        for name, work in works.items():
            start = time.process_time()
            work()
            best[name] = min(best[name], time.process_time() - start)
    return best


if __name__ == "__main__":
    from run import show

    show(run(*(Path(word) for word in sys.argv[1:])))
