# SPDX-License-Identifier: Apache-2.0
"""Goals that are quicker than the news of a body, over real DDS."""

import json

import pytest
from embodiment_bridge.msg import LinkState, NodeEvent
from graph_stage import Stage
from std_msgs.msg import String
from waiting import GRAPH, until

from embodiment_bridge.launching.executables import behavior_tree, mock_body
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.tree import goal_gate

SHAKE = json.dumps({"type": "body", "action": "HEAD_SHAKE", "duration": 0.5})


class Early(Stage):
    """A tree without a body."""

    def __init__(self, runtime):
        super().__init__(runtime, "/early")
        self.tree = self.add(behavior_tree)
        self.until(lambda: self.bml.server_is_there)

    @property
    def waiting(self):
        return self.tree.diagnose()[2].get("goals waiting")

    def says(self, *states):
        """The body says how its link is."""
        for state in states:
            self.links.publish(LinkState(state=state))

    def with_body(self):
        """A body has come, and its link is the test's."""
        self.add(mock_body)
        self.until(lambda: self.tree.skills and self.watcher.link == "ready")
        self.links = self.publisher(LinkState, "link_state", "latched")


@pytest.fixture
def stage():
    with Runtime() as runtime:
        made = Early(runtime)
        yield made
        made.close()


def test_goal_waits_for_the_body(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", GRAPH)
    stage.begin(SHAKE)
    stage.until(lambda: stage.waiting)
    stage.add(mock_body)
    assert stage.finish().outcome == "SUCCEEDED", stage.finish().reason


def test_goal_does_not_wait_for_ever(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", 0.2)
    stage.begin(SHAKE)
    assert stage.finish().outcome == "REJECTED"
    assert "NO_BODY: no body has published its skills in this namespace" in stage.finish().reason


def test_a_body_that_cannot_be_configured_is_quoted(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", 0.0)
    stage.add(mock_body, body_file="/no/such.yaml")
    until(lambda: "/no/such.yaml" in stage.run(SHAKE).reason, stage.why, GRAPH)
    assert "NO_BODY" in stage.finish().reason
    assert "; /early/mock_body: not configured: " in stage.finish().reason


def test_goal_that_is_canceled_while_it_waits_moves_nothing(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", GRAPH)
    stage.begin(SHAKE)
    stage.until(lambda: stage.waiting)
    stage.bml.cancel()
    stage.until(lambda: stage.bml.sent.cancel_taken)
    stage.add(mock_body)
    assert stage.finish().outcome == "CANCELED"


def test_node_that_is_deactivated_refuses_what_waits(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", GRAPH)
    stage.begin(SHAKE)
    stage.until(lambda: stage.waiting)
    stage.tree.trigger_deactivate()
    assert stage.finish().outcome == "REJECTED"


def test_goal_waits_for_a_body_that_is_joining(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "link", GRAPH)
    stage.with_body()
    stage.says(LinkState.HANDSHAKE)
    stage.until(lambda: stage.watcher.link == "handshake")
    stage.begin(SHAKE)
    stage.until(lambda: stage.waiting)
    stage.says(LinkState.CONNECTING)
    stage.until(lambda: stage.watcher.link == "connecting")
    assert stage.waiting
    stage.says(LinkState.READY)
    assert stage.finish().outcome == "SUCCEEDED", stage.finish().reason


def test_goal_does_not_wait_for_a_body_that_cannot_be_joined(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "link", GRAPH)
    stage.with_body()
    stage.says(LinkState.CONNECTING)
    stage.until(lambda: stage.watcher.link == "connecting")
    stage.begin(SHAKE)
    stage.until(lambda: stage.waiting)
    stage.says(LinkState.BACKOFF)
    stage.until(lambda: not stage.waiting)


def test_document_on_the_topic_waits_for_the_body_too(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", GRAPH)
    events = stage.collect(NodeEvent, "behavior_tree/events", "events")
    stage.publish(String, "bml", String(data=SHAKE))
    stage.until(lambda: stage.waiting)
    stage.add(mock_body)
    stage.until(lambda: any(event.event == "success" for event in events))
