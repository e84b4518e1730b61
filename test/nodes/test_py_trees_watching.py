# SPDX-License-Identifier: Apache-2.0
"""A watcher over real services and topics."""

import pytest
from graph_stage import Stage
from py_trees_ros_interfaces import srv
from py_trees_ros_interfaces.msg import BehaviourTree
from rclpy.node import Node

from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests, VirtualSkills
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.tree.runs.py_trees_streams import PyTreesStreams

TREE = '{"type": "parallel", "name": "both", "behaviors": [{"type": "delay", "duration": 1}]}'


class Streams(Stage):
    """A node with streams, and a watcher of them."""

    def __init__(self, runtime):
        super().__init__(runtime)
        self.streams = PyTreesStreams(runtime.add(Node("tree", context=runtime.context)))

    def stream(self, name, **request):
        kind = getattr(srv, f"{name.title()}SnapshotStream")
        return self.call(kind, f"/tree/snapshot_streams/{name}", **request)

    def watch(self, topic):
        return self.collect(BehaviourTree, topic, "latched")


@pytest.fixture
def stage():
    with Runtime() as runtime:
        yield Streams(runtime)


def test_watcher_sees_the_tree_change_until_it_has_ended(stage):
    topic = stage.stream("open").topic_name
    seen = stage.watch(topic)
    run = Run(TREE, Ports(VirtualSkills({}), VirtualMedia({}), VirtualRequests({})), Rules({}))
    for number, now in enumerate((0.0, 2.0), start=1):
        run.tick(now)
        stage.streams.publish(run, run.take_events())
        stage.until(lambda number=number: len(seen) == number)
    first, last = seen
    both, delay = first.behaviours
    assert (both.name, both.type, both.status) == ("both", both.PARALLEL, both.RUNNING)
    assert delay.parent_id == both.own_id
    assert list(both.child_ids) == [delay.own_id]
    assert [b.status for b in last.behaviours] == [both.SUCCESS, both.SUCCESS]
    assert [b.own_id for b in last.behaviours] == [both.own_id, delay.own_id]
    assert first.changed
    assert stage.stream("close", topic_name=topic).result is True
    stage.until(lambda: stage.watcher.count_publishers(topic) == 0)


def test_name_that_no_topic_can_have(stage):
    assert stage.stream("open", topic_name="1 bad").topic_name == ""
    assert stage.stream("open", topic_name="good").topic_name == "/tree/snapshot_streams/good"
