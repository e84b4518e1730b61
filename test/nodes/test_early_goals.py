# SPDX-License-Identifier: Apache-2.0
"""Goals that are quicker than the news of a body, over real DDS."""

import json
import time

import pytest

from embodiment_bridge.launching.executables import behavior_tree, mock_body
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree import early_goals
from embodiment_bridge.nodes.tree.bml_client import BmlClient

PATIENCE = 30.0  # s; the machine may be busy
SHAKE = json.dumps({"type": "body", "action": "HEAD_SHAKE", "duration": 0.5})


class Stage:
    def __init__(self, runtime):
        self.runtime = runtime
        self.common = {"context": runtime.context, "namespace": "/early"}
        self.tree = runtime.add(behavior_tree(**self.common))
        self.client = BmlClient(runtime.add(Watcher(**self.common)), lambda feedback: None)
        self.until(lambda: self.client.server_is_there)

    def until(self, condition):
        deadline = time.monotonic() + PATIENCE
        self.runtime.spin(lambda: condition() or time.monotonic() > deadline)
        assert condition()

    def result(self):
        self.until(lambda: self.client.result is not None)
        return self.client.result


@pytest.fixture
def stage():
    with Runtime() as runtime:
        made = Stage(runtime)
        yield made
        made.client.destroy()


def test_goal_waits_for_the_body(stage, monkeypatch):
    monkeypatch.setattr(early_goals, "WAIT_S", PATIENCE)
    stage.client.send(SHAKE, source="test")
    stage.until(lambda: stage.tree._parts.early._goals)
    stage.runtime.add(mock_body(**stage.common))
    assert stage.result().outcome == "SUCCEEDED", stage.result().reason


def test_goal_does_not_wait_for_ever(stage, monkeypatch):
    monkeypatch.setattr(early_goals, "WAIT_S", 0.2)
    stage.client.send(SHAKE, source="test")
    assert stage.result().outcome == "REJECTED"
    assert "NO_BODY: no body has published its skills in this namespace" in stage.result().reason


def test_goal_that_is_canceled_while_it_waits_moves_nothing(stage, monkeypatch):
    monkeypatch.setattr(early_goals, "WAIT_S", PATIENCE)
    stage.client.send(SHAKE, source="test")
    stage.until(lambda: stage.tree._parts.early._goals)
    stage.client.cancel()
    stage.until(lambda: stage.tree._parts.early._goals[0][1].is_cancel_requested)
    stage.runtime.add(mock_body(**stage.common))
    assert stage.result().outcome == "CANCELED"


def test_node_that_is_deactivated_refuses_what_waits(stage, monkeypatch):
    monkeypatch.setattr(early_goals, "WAIT_S", PATIENCE)
    stage.client.send(SHAKE, source="test")
    stage.until(lambda: stage.tree._parts.early._goals)
    stage.tree.trigger_deactivate()
    assert stage.result().outcome == "REJECTED"
