# SPDX-License-Identifier: Apache-2.0
"""Random kills, stops and nonsense over all peers: every link comes back, and the process is what it was (`make soak`).

``KILLS=100`` in the environment: so many deeds, of 1000.
"""

import os
import sys
import threading
from collections import Counter, defaultdict
from pathlib import Path
from random import Random

import pytest
from kill_peers import BODIES, Victim

from embodiment_bridge.nodes.base.runtime import Runtime

KILLS = int(os.environ.get("KILLS", "1000"))
WARM = 10  # deeds after which the process is compared
GROWTH_KB = 20_000
MORE_FILES = 8  # a peer may be joining when they are counted


def resident_kb() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def used() -> tuple[int, int, int]:
    """Threads, descriptors, kB of this process."""
    return threading.active_count(), len(list(Path("/proc/self/fd").iterdir())), resident_kb()


@pytest.mark.soak
def test_kills_stops_and_nonsense(tmp_path) -> None:
    random = Random()
    done: Counter[str] = Counter()
    took: dict[str, list[float]] = defaultdict(list)
    with Runtime() as runtime:
        victims: list[Victim] = []
        try:
            for name in BODIES:
                victims.append(Victim(runtime, tmp_path, name, random))
                victims[-1].until(victims[-1].ready)
            for number in range(KILLS):
                victim, deed = random.choice(victims), random.choice(list(victims[0].deeds))
                victim.deeds[deed]()
                took[deed].append(victim.comes_back())
                done[f"{victim.name} {deed}"] += 1
                if number == WARM:
                    warm = used()
                if number % 100 == 99:
                    sys.stdout.write(f"{number + 1} deeds: {used()}\n")
            for victim in victims:
                victim.until(victim.ready)
            now = used()
        finally:
            for victim in victims:
                victim.end()
    times = {
        deed: f"{sorted(all_)[len(all_) // 2]:.2f} s, at most {max(all_):.2f} s"
        for deed, all_ in took.items()
    }
    sys.stdout.write(f"{KILLS} deeds: {dict(done)}; back within {times}; {warm} then {now}\n")
    assert now[0] <= warm[0]
    assert now[1] <= warm[1] + MORE_FILES
    assert now[2] <= warm[2] + GROWTH_KB
