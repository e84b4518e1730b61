# SPDX-License-Identifier: Apache-2.0
"""What a run does is told to those who subscribe, and not made into messages when there are none."""

import pytest
from embodiment_bridge.msg import NodeEvent, TreeSnapshot
from rclpy.node import Node
from waiting import spin_until

from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests, VirtualSkills
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.tree.runs import tree_publisher


def begun():
    text = '{"type": "sequence", "behaviors": [{"type": "delay", "duration": 9}]}'
    run = Run(text, Ports(VirtualSkills({}), VirtualMedia({}), VirtualRequests({})), Rules({}))
    run.tick(0.0)
    return run


def reached(node, topic):
    """How many subscribers the publisher of this topic has found."""
    (publisher,) = [one for one in node.publishers if one.topic_name.endswith(f"/{topic}")]
    return publisher.get_subscription_count()


@pytest.fixture
def stage():
    with Runtime() as runtime:
        node = Node("tree", context=runtime.context, namespace="/viewed")
        runtime.executor.add_node(node)
        publisher = tree_publisher.TreePublisher(node)
        yield runtime, node, publisher
        runtime.executor.remove_node(node)
        node.destroy_node()


def test_no_event_is_made_without_a_subscriber(stage, monkeypatch):
    monkeypatch.setattr(tree_publisher, "_event", lambda *words: pytest.fail("a message that is not sent"))
    stage[2].publish("run", begun())


def test_subscriber_gets_events_and_tree(stage):
    runtime, node, publisher = stage
    events, trees = [], []
    node.create_subscription(NodeEvent, "~/events", events.append, profile("events"))
    node.create_subscription(TreeSnapshot, "~/tree", trees.append, profile("state"))

    spin_until(runtime, lambda: all(node.count_subscribers(f"~/{topic}") for topic in ("events", "tree")))
    spin_until(runtime, lambda: reached(node, "events") and reached(node, "tree"))
    publisher.publish("run", begun())
    spin_until(runtime, lambda: len(events) == 2 and trees)
    assert [(event.event, event.pointer) for event in events] == [("start", ""), ("start", "/behaviors/0")]
    assert len(trees[0].nodes) == 2


def test_a_pause_is_told_though_no_node_changes(stage):
    runtime, node, publisher = stage
    trees = []
    node.create_subscription(TreeSnapshot, "~/tree", trees.append, profile("state"))
    spin_until(runtime, lambda: reached(node, "tree"))
    run = begun()
    publisher.publish("run", run)
    run.pause()
    publisher.publish("run", run)
    publisher.publish("run", run)
    spin_until(runtime, lambda: len(trees) > 1)
    assert [tree.state for tree in trees] == ["RUNNING", "PAUSING"]


def test_a_pause_without_a_run_is_told_and_so_is_its_end(stage):
    runtime, node, publisher = stage
    trees = []
    node.create_subscription(TreeSnapshot, "~/tree", trees.append, profile("state"))
    spin_until(runtime, lambda: reached(node, "tree"))
    for paused in (False, True, True, False, False):
        publisher.rest(paused=paused)
    spin_until(runtime, lambda: len(trees) > 1)
    assert [(tree.run_id, tree.state) for tree in trees] == [("", "PAUSED"), ("", "ENDED")]


def test_who_comes_during_a_pause_is_told_of_it(stage):
    runtime, node, publisher = stage
    told = []

    publisher.rest(paused=True)
    first = node.create_subscription(TreeSnapshot, "~/tree", told.append, profile("state"))
    spin_until(runtime, lambda: told)
    assert (told[-1].state, told[-1].run_id) == ("PAUSED", "")
    node.destroy_subscription(first)
    spin_until(runtime, lambda: publisher._watchers == 0)
    node.create_subscription(TreeSnapshot, "~/tree", told.append, profile("state"))
    spin_until(runtime, lambda: len(told) == 2)
    publisher.rest(paused=False)
    spin_until(runtime, lambda: told[-1].state == "ENDED")
    spin_until(runtime, lambda: publisher._greeter is None)


def test_who_comes_during_a_pause_when_another_goes_is_told_of_it(stage):
    runtime, node, publisher = stage
    told = []
    first = node.create_subscription(TreeSnapshot, "~/tree", told.append, profile("state"))
    spin_until(runtime, lambda: reached(node, "tree"))
    publisher.rest(paused=True)
    for number in (1, 2, 3):
        spin_until(runtime, lambda number=number: len(told) == number)
        assert [tree.state for tree in told] == ["PAUSED"] * number
        node.destroy_subscription(first)
        first = node.create_subscription(TreeSnapshot, "~/tree", told.append, profile("state"))


def test_paused_run_is_told_to_who_comes(stage):
    runtime, node, publisher = stage
    run, told = begun(), []
    run.pause()
    run.tick(0.1)
    publisher.publish("run", run)
    publisher.rest(paused=False)
    node.create_subscription(TreeSnapshot, "~/tree", told.append, profile("state"))
    spin_until(runtime, lambda: told)
    assert (told[-1].run_id, told[-1].state) == ("run", "PAUSED")
