# SPDX-License-Identifier: Apache-2.0
"""How long a map of a thousand things takes to write and to read, beside lxml alone that parses the same bytes.

    python benchmarks/bench_opencog.py [THINGS]

All in the same run, in turns; the best of several turns counts, in CPU time. Ours reads bytes to typed events, and
writes typed messages to bytes, with every value checked; lxml makes a tree of it, and no number is read yet.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from lxml import etree
from rows import row

from embodiment_bridge.protocols.opencog.xml.events import MapInfo
from embodiment_bridge.protocols.opencog.xml.parts import Blip, Entity, Rotation, Vector
from embodiment_bridge.protocols.opencog.xml.xml_documents import read, write

THINGS = 1000
TURNS = 12
AIM = 2.0  # times lxml alone
STAMP = "2011-08-20T10:00:00.500"


def run(things: int = THINGS) -> list[dict[str, Any]]:
    """Measure; one row each for reading and writing."""
    message = world(things)
    document = write([message])
    peer = f"lxml.etree.fromstring {etree.LXML_VERSION[0]}.{etree.LXML_VERSION[1]}"
    best = best_times(
        {
            "read": lambda: read(document),
            "write": lambda: write([message]),
            "lxml": lambda: etree.fromstring(document),
        }
    )
    return [
        row(
            f"{name} a map-info of {things} things, {len(document) // 1000} kB",
            round(best[name] * 1e3, 2),
            "ms",
            peer=peer,
            peer_value=round(best["lxml"] * 1e3, 2),
            at_most=AIM,
        )
        for name in ("read", "write")
    ]


def world(things: int) -> MapInfo:
    """A map with so many moving things, each different."""
    return MapInfo(
        global_position_x=-16000,
        global_position_y=-16000,
        global_position_offset=32000,
        blips=tuple(thing(number) for number in range(things)),
    )


def thing(number: int) -> Blip:
    """One thing with the properties that every thing has, and one of its own."""
    return Blip(
        STAMP,
        Entity(f"thing_{number}", "object", f"thing {number}", "fido"),
        Vector(number * 1.25, -number * 2.5, 100.5),
        Rotation(0.0, 0.0, number * 0.001),
        Vector(0.25, number * 0.0005, 0.0),
        properties=(
            ("visibility-status", "visible"),
            ("length", "220.0"),
            ("width", "220.0"),
            ("height", "220.0"),
            ("detector", "true"),
            ("class", "ball"),
        ),
    )


def best_times(works: dict[str, Callable[[], object]]) -> dict[str, float]:
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

    show(run(*(int(word) for word in sys.argv[1:])))
