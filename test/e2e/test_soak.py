# SPDX-License-Identifier: Apache-2.0
"""What takes long: `make soak`."""

import resource
from pathlib import Path

import pytest

SELF_TEST = Path(__file__).parents[1] / "data/bml/11_self_test_all_actions.json"
ROUNDS = 30
UPRIGHT = 0.6  # m
GROWTH = 20_000  # kB that a process may grow after it has warmed up


def resident_kb() -> int:
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
        warm = resident_kb() if number == 2 else warm
    assert resident_kb() - warm < GROWTH


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
