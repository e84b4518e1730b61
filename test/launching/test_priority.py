# SPDX-License-Identifier: Apache-2.0
"""What has a process of its own, and the priority that it asks for."""

import os

import pytest

from embodiment_bridge.launching import executables


@pytest.fixture
def asked(monkeypatch):
    """What was asked of the system."""
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(os, "nice", lambda number: asked.append(("nice", number)))
    monkeypatch.setattr(
        os,
        "sched_setscheduler",
        lambda process, kind, parameters: asked.append((process, kind, parameters.sched_priority)),
    )
    return asked


def test_a_driver_asks_for_real_time_and_a_viewer_gives_way(asked) -> None:
    executables.take_priority("joint_driver")
    assert asked == [
        ("nice", -10),
        (0, os.SCHED_RR, 10),
    ]  # without reset on fork, which threads would lose it by
    asked.clear()
    executables.take_priority("viewer")
    executables.take_priority("behavior_tree")
    assert asked == [("nice", 10), ("nice", 0)]


def test_a_driver_that_gets_no_priority_runs_without_it(monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "nice", refuse)
    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    executables.take_priority("joint_driver")
