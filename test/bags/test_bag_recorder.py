# SPDX-License-Identifier: Apache-2.0
"""The recorder on a graph with a topic that cannot be recorded, and when it is configured anew."""

import pytest
from rclpy.exceptions import NoTypeSupportImportedException
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String
from waiting import spin_until

from embodiment_bridge.launching.environment import find_share
from embodiment_bridge.nodes.bags.bag_recorder import BagRecorder
from embodiment_bridge.nodes.base.runtime import Runtime


@pytest.fixture
def runtime():
    with Runtime() as runtime:
        yield runtime


def recorder(runtime: Runtime, output: object) -> BagRecorder:
    given = {"output": str(output), "include": "/talk/"}
    overrides = [Parameter(name, value=value) for name, value in given.items()]
    return runtime.add(BagRecorder(find_share, parameter_overrides=overrides, context=runtime.context))


def test_a_topic_that_cannot_be_recorded_keeps_no_other_from_it(runtime, tmp_path, monkeypatch) -> None:
    subscribe = BagRecorder.create_subscription

    def subscribed(self: BagRecorder, kind: object, topic: str, *others: object, **options: object) -> object:
        if topic == "/talk/a":
            raise NoTypeSupportImportedException
        return subscribe(self, kind, topic, *others, **options)

    monkeypatch.setattr(BagRecorder, "create_subscription", subscribed)
    talker = runtime.add(Node("talker", namespace="/talk", context=runtime.context))
    for name in ("a", "b", "c"):
        talker.create_publisher(String, name, 1)
    node = recorder(runtime, tmp_path / "bag")
    spin_until(runtime, lambda: node.topics == ["/talk/b", "/talk/c"])
    assert node.active
    assert node.guard.count == 1


def test_a_recorder_that_is_configured_anew_makes_what_it_is_told_to(runtime, tmp_path) -> None:
    node = recorder(runtime, tmp_path / "one")
    spin_until(runtime, lambda: node.active)
    node.trigger_deactivate()
    node.trigger_activate()
    assert node.path == tmp_path / "one_2"
    node.trigger_deactivate()
    node.trigger_cleanup()
    node.set_parameters([Parameter("output", value=str(tmp_path / "two"))])
    node.trigger_configure()
    node.trigger_activate()
    assert node.path == tmp_path / "two"
    assert {path.name for path in tmp_path.iterdir()} == {"one", "one_2", "two"}
