# SPDX-License-Identifier: Apache-2.0
"""How long the percepts of RCSSServerMJ take to read: ours to typed events, others to untyped nested lists.

    python benchmarks/bench_decode.py [RECORDING]

All read the same recorded stream (default: the short one of a T1 in test/data) in the same run, in turns. The
best of several turns counts, in CPU time, so that other programs disturb little. Ours starts from the stream as
received (framing, UTF-8, typed events), the others from whole payloads. A ratio says how many times as long as
ours a peer takes. A peer that is not installed is left out.
"""

import importlib
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from embodiment_bridge.framing import Framer
from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.sexpr import parse

RECORDING = Path(__file__).parents[1] / "test/data/rcsssmj/short_agent_t1.bin"
CHUNK = 4096  # bytes per read from a socket
TURNS = 10
OURS = "rcsssmj: stream to events"


def run(recording: Path = RECORDING) -> list[dict[str, Any]]:
    """Measure; one row per contestant, ours first, with the ratio of its time to ours."""
    stream = recording.read_bytes()
    payloads = [found.payload for found in Framer().feed(stream)]
    best = best_times({OURS: lambda: decode(stream)} | parsers(payloads))
    return [
        {
            "name": name,
            "value": round(seconds / len(payloads) * 1e6, 1),
            "unit": "us/frame",
            "peer": "" if name == OURS else name,
            "ratio": round(seconds / best[OURS], 2),
        }
        for name, seconds in best.items()
    ]


def decode(stream: bytes) -> None:
    """Ours: as a session does it, chunk by chunk, each event dropped when the next comes."""
    codec = Codec()
    for start in range(0, len(stream), CHUNK):
        codec.feed(stream[start : start + CHUNK])


def parsers(payloads: list[bytes]) -> dict[str, Callable[[], None]]:
    """The untyped parsers at hand, by name and version."""
    found: dict[str, Callable[[bytes], object]] = {"embodiment_bridge.sexpr": parse}
    for package, module, parser in (
        ("rcsssmj", "rcsssmj.utils.sexpression", lambda m: m.SExpression.from_array),
        ("sexpdata", "sexpdata", lambda m: lambda payload: m.parse(payload.decode())),
    ):
        try:
            found[f"{module} {version(package)}"] = parser(importlib.import_module(module))
        except ImportError:  # noqa: PERF203 - two turns
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
    for row in run(Path(sys.argv[1]) if len(sys.argv) > 1 else RECORDING):
        print(f"{row['name']:35} {row['value']:8.1f} {row['unit']}   {row['ratio']:6.2f} times ours")
