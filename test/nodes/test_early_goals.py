# SPDX-License-Identifier: Apache-2.0
"""Goals that are quicker than the news of a body, over real DDS."""

import json
import time

import pytest
from embodiment_bridge.msg import LinkState, NodeEvent
from std_msgs.msg import String

from embodiment_bridge.launching.executables import behavior_tree, mock_body
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree import goal_gate
from embodiment_bridge.nodes.tree.bml_client import BmlClient

PATIENCE = 30.0  # s; the machine may be busy
SHAKE = json.dumps({"type": "body", "action": "HEAD_SHAKE", "duration": 0.5})


class Stage:
    def __init__(self, runtime):
        self.runtime = runtime
        self.common = {"context": runtime.context, "namespace": "/early"}
        self.tree = runtime.add(behavior_tree(**self.common))
        self.watcher = runtime.add(Watcher(**self.common))
        self.client = BmlClient(self.watcher, lambda feedback: None)
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
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", PATIENCE)
    stage.client.send(SHAKE, source="test")
    stage.until(lambda: stage.tree._gate.waiting)
    stage.runtime.add(mock_body(**stage.common))
    assert stage.result().outcome == "SUCCEEDED", stage.result().reason


def test_goal_does_not_wait_for_ever(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", 0.2)
    stage.client.send(SHAKE, source="test")
    assert stage.result().outcome == "REJECTED"
    assert "NO_BODY: no body has published its skills in this namespace" in stage.result().reason


def test_a_body_that_cannot_be_configured_is_quoted(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", PATIENCE)
    words = ["--ros-args", "-p", "body_file:=/no/such.yaml"]
    stage.runtime.add(mock_body(cli_args=words, **stage.common))
    stage.until(lambda: stage.tree._run_executor.ports.body.absence.count("/no/such.yaml"))
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", 0.0)
    stage.client.send(SHAKE, source="test")
    assert "NO_BODY" in stage.result().reason
    assert "; /early/mock_body: not configured: " in stage.result().reason


def test_a_body_that_has_come_is_no_longer_missed(stage):
    body = stage.runtime.add(mock_body(**stage.common))
    stage.until(lambda: body.active and stage.tree.skills)
    assert stage.tree._run_executor.ports.body._failed is None


def test_goal_that_is_canceled_while_it_waits_moves_nothing(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", PATIENCE)
    stage.client.send(SHAKE, source="test")
    stage.until(lambda: stage.tree._gate.waiting)
    stage.client.cancel()
    stage.until(lambda: stage.client.sent.cancel_taken)
    stage.runtime.add(mock_body(**stage.common))
    assert stage.result().outcome == "CANCELED"


def test_node_that_is_deactivated_refuses_what_waits(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", PATIENCE)
    stage.client.send(SHAKE, source="test")
    stage.until(lambda: stage.tree._gate.waiting)
    stage.tree.trigger_deactivate()
    assert stage.result().outcome == "REJECTED"


def test_goal_waits_for_a_body_that_is_joining(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "link", PATIENCE)
    stage.runtime.add(mock_body(**stage.common))
    body = stage.tree._run_executor.ports.body
    stage.until(lambda: stage.tree.skills and body.link == LinkState.READY)
    body._take_link(LinkState(state=LinkState.HANDSHAKE))
    stage.client.send(SHAKE, source="test")
    stage.until(lambda: stage.tree._gate.waiting)
    body._take_link(LinkState(state=LinkState.CONNECTING))
    assert stage.tree._gate.waiting
    body._take_link(LinkState(state=LinkState.READY))
    assert stage.result().outcome == "SUCCEEDED", stage.result().reason


def test_goal_does_not_wait_for_a_body_that_cannot_be_joined(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "link", PATIENCE)
    stage.runtime.add(mock_body(**stage.common))
    gate, body = stage.tree._gate, stage.tree._run_executor.ports.body
    stage.until(lambda: stage.tree.skills and body.link == LinkState.READY)
    body._take_link(LinkState(state=LinkState.CONNECTING))
    stage.client.send(SHAKE, source="test")
    stage.until(lambda: gate.waiting)
    body._take_link(LinkState(state=LinkState.BACKOFF))
    assert not gate.waiting


def test_document_on_the_topic_waits_for_the_body_too(stage, monkeypatch):
    monkeypatch.setitem(goal_gate.PATIENCE_S, "body", PATIENCE)
    events = []
    stage.watcher.create_subscription(NodeEvent, "behavior_tree/events", events.append, profile("events"))
    topic = stage.watcher.create_publisher(String, "bml", profile("command"))
    stage.until(topic.get_subscription_count)
    topic.publish(String(data=SHAKE))
    stage.until(lambda: stage.tree._gate.waiting)
    stage.runtime.add(mock_body(**stage.common))
    stage.until(lambda: any(event.event == "success" for event in events))
