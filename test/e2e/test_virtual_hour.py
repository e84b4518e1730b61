# SPDX-License-Identifier: Apache-2.0
"""An hour of virtual time on the mock body, performing all the while: memory stays what it was (`make soak`)."""

import os
import sys
from pathlib import Path

import pytest
from mock_node_stage import Mock
from waiting import SIMULATION

from embodiment_bridge.nodes.base.runtime import Runtime

HOUR = 3600.0  # s of the body's time
WARM = 300.0  # s after which memory is compared
GROWTH = 10_000  # kB
SELF_TEST = Path(__file__).parents[1] / "data/bml/11_self_test_all_actions.json"
FAST = {"publish_clock": True, "use_sim_time": True, "speed": 100.0, "rate": 10.0}


def resident_kb() -> int:
    """What the process has now, not the most that it ever had."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


@pytest.mark.soak
def test_an_hour_of_performing_needs_no_more_memory() -> None:
    with Runtime() as runtime:
        mock = Mock(runtime, "/hour", **FAST)
        mock.patience = SIMULATION  # for one performance, which takes 1.2 s where nothing else runs
        try:
            mock.join()
            begun, rounds, warm = mock.tree._now(), 0, 0
            while (passed := mock.tree._now() - begun) < HOUR:
                result = mock.run(SELF_TEST.read_text())
                assert (result.outcome, result.reason) == ("SUCCEEDED", ""), f"round {rounds}"
                rounds += 1
                if not warm and passed > WARM:
                    warm = resident_kb()
            grown = resident_kb() - warm
            sys.stdout.write(f"{rounds} performances; {warm} kB after {WARM:g} s, {grown} kB more at the end")
        finally:
            mock.close()
    assert rounds > 100
    assert grown < GROWTH
