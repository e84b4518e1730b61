# SPDX-License-Identifier: Apache-2.0
"""How long the percepts of rcssserver3d take to read: ours to typed events, others to untyped nested lists.

    python benchmarks/bench_simspark.py [RECORDING]

As bench_decode.py: CPU time of the best of several turns, ours from the stream as received. orjson reads percepts that
were translated to JSON arrays beforehand, which is a floor that no Python reader comes near. "times real time": seconds
of the game per second of CPU, for one robot; a percept is 0.02 s.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench_decode import CHUNK, best_times
from rows import row
from untyped import untyped

from embodiment_bridge.protocols.simspark.codec import Codec
from embodiment_bridge.wire.framing import Framer

RECORDING = Path(__file__).parents[1] / "test/data/simspark/short_agent_nao.bin"
PERIOD = 0.02  # s of the game per percept
OURS = "stream to typed events"
DECODING = 100.0  # times real time


def run(recording: Path = RECORDING) -> list[dict[str, Any]]:
    """Measure; one row per peer."""
    stream = recording.read_bytes()
    payloads = [found.payload for found in Framer().feed(stream)]
    works: dict[str, Callable[[], None]] = {OURS: lambda: decode(stream)} | untyped(payloads)
    best = best_times(works)
    seconds = best.pop(OURS)
    each = {name: round(taken / len(payloads) * 1e6, 1) for name, taken in best.items()}
    ours = round(seconds / len(payloads) * 1e6, 1)
    return [
        row("decoding", round(len(payloads) * PERIOD / seconds), "times real time", at_least=DECODING),
        row("decoding", round(len(stream) / seconds / 1e6, 1), "MB/s"),
        *(row(OURS, ours, "us/percept", peer=name, peer_value=taken) for name, taken in each.items()),
    ]


def decode(stream: bytes) -> None:
    """Ours: as a session does it, chunk by chunk, each event dropped when the next comes."""
    codec = Codec()
    for start in range(0, len(stream), CHUNK):
        codec.feed(stream[start : start + CHUNK])


if __name__ == "__main__":
    from run import show

    show(run(*map(Path, sys.argv[1:])))
