# SPDX-License-Identifier: Apache-2.0
"""A document of the parameters is begun once, whatever becomes of the run before it."""

from types import SimpleNamespace

import pytest
from embodiment_bridge.action import ExecuteBml

from embodiment_bridge.nodes.tree.bml_server import LOOK_S, StartRequests

RETRY_S = 10.0


class StartingNode:
    """A node with a document to begin; timers fire when the test calls them."""

    def __init__(self, path):
        self.active, self.timers, self.begun = True, [], []
        self.values = {
            "start_url": "", "start_file": str(path), "start_subtrees": [""], "start_retry": RETRY_S,
        }  # fmt: skip
        self.starts = StartRequests(self, self)

    def can_begin(self):
        return True

    def enter_document(self, *goal):
        self.begun.append(goal)

    def create_subscription(self, *_): ...

    def create_timer(self, period, callback, clock=None):
        self.timers.append(SimpleNamespace(callback=callback, timer_period_ns=period * 1e9))
        return self.timers[-1]

    def destroy_timer(self, timer):
        self.timers.remove(timer)

    def get_logger(self):
        return SimpleNamespace(info=lambda text: None, warning=lambda text: None)

    @property
    def periods(self):
        return [timer.timer_period_ns / 1e9 for timer in self.timers]

    def end(self, goal, outcome, reason=""):
        """The run of a goal that was begun has ended."""
        goal, _, _, finish = goal
        finish(goal, succeeded=False, result=ExecuteBml.Result(outcome=outcome, reason=reason))


@pytest.fixture
def stage(tmp_path):
    (tmp_path / "start.json").write_text('{"type": "delay", "duration": 9}')
    return StartingNode(tmp_path / "start.json")


def test_a_run_that_failed_is_begun_again_later(stage):
    stage.starts.arm()
    assert stage.periods == [LOOK_S]
    stage.timers[0].callback()
    assert (stage.periods, len(stage.begun)) == ([], 1)
    stage.end(stage.begun[0], "FAILED")
    assert stage.periods == [RETRY_S]
    stage.timers[0].callback()
    assert (stage.periods, len(stage.begun)) == ([], 2)


def test_a_run_that_ends_after_the_next_activation_leaves_one_timer(stage):
    stage.starts.arm()
    stage.timers[0].callback()
    stage.starts.disarm()
    stage.starts.arm()
    stage.end(stage.begun[0], "CANCELED", "VETOED: the battery is low")
    assert len(stage.timers) == 1
    stage.timers[0].callback()
    assert (stage.periods, len(stage.begun)) == ([], 2)
