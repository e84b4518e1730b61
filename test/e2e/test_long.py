# SPDX-License-Identifier: Apache-2.0
"""What takes long: `make soak`."""

import os
import resource
import sys
from pathlib import Path

import pytest
from mock_node_stage import Mock
from waiting import SIMULATION

from embodiment_bridge.nodes.base.runtime import Runtime

SELF_TEST = Path(__file__).parents[1] / "data/bml/11_self_test_all_actions.json"
ROUNDS = 30
UPRIGHT = 0.6  # m
GROWTH_KB = 20_000  # kB that a process may grow after it has warmed up


def most_resident_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.soak
def test_all_actions_again_and_again_keep_the_robot_up_and_the_memory_small(server, robots) -> None:
    robot = robots(server)
    robot.join()
    warm = 0
    for number in range(ROUNDS):
        result = robot.run(SELF_TEST.read_text())
        assert (result.outcome, result.reason) == ("SUCCEEDED", ""), f"round {number}"
        assert robot.watcher.z > UPRIGHT
        warm = most_resident_kb() if number == 2 else warm
    assert most_resident_kb() - warm < GROWTH_KB


@pytest.mark.soak
def test_leaving_and_joining_does_not_end_the_server(server, robots) -> None:
    robot = robots(server)
    for _ in range(ROUNDS):
        robot.join()
        robot.agent.trigger_deactivate()
        robot.agent.trigger_activate()
        robot.watcher.percepts = 0
    robot.join()
    assert server.process.poll() is None


HOUR = 3600.0  # s of the body's time
WARM = 300.0  # s after which memory is compared
GROWTH = 10_000  # kB
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
            begun, rounds, warm = mock.tree.seconds(), 0, 0
            while (passed := mock.tree.seconds() - begun) < HOUR:
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
