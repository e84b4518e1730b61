# SPDX-License-Identifier: Apache-2.0
"""`record` and `replay`, and the nodes behind them."""

import json
import os
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml
from bag_files import write_texts
from rclpy.exceptions import NoTypeSupportImportedException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy
from std_msgs.msg import String
from waiting import spin_until

from embodiment_bridge.bags.reader import BagReader
from embodiment_bridge.cli.command_line import main
from embodiment_bridge.launching.environment import find_share
from embodiment_bridge.launching.executables import behavior_tree, mock_body, node_factory
from embodiment_bridge.launching.launch_description import ros_args
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.nodes.bags.bag_playback import asked_of_a_body
from embodiment_bridge.nodes.bags.bag_recorder import BagRecorder
from embodiment_bridge.nodes.base import signals
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.protocols import registry

ROOT = Path(__file__).parents[2]


def test_record_ends_by_itself_and_sums_up(tmp_path, capfd) -> None:
    assert main(["record", str(tmp_path / "bag"), "--seconds", "1"]) == 0
    summary = json.loads(capfd.readouterr().out)
    assert summary["path"] == str(tmp_path / "bag")
    assert (summary["lost"], summary["error"]) == (0, "")
    with BagReader(tmp_path / "bag") as reader:
        assert sum(topic.messages for topic in reader.topics.values()) == summary["messages"]


def test_record_refuses_a_place_that_is_taken(tmp_path, capfd) -> None:
    assert main(["record", str(tmp_path)]) == 2
    assert "exists" in capfd.readouterr().err


@pytest.mark.parametrize("words", [["record", "new"], ["replay", "bag"]])
def test_what_is_ended_before_it_begins_is_interrupted(words, tmp_path, capfd, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_texts(tmp_path / "bag", {0.0: "a", 1.0: "b"})
    monkeypatch.setattr(signals, "stop_on_signals", lambda: nullcontext(lambda: True))
    assert main(words) == 130
    assert capfd.readouterr().out == ""
    assert not (tmp_path / "new").exists()


def test_replay_plays_to_the_end(tmp_path, capfd) -> None:
    bag = write_texts(tmp_path / "bag", {0.0: "a", 1.0: "b"})
    assert main(["replay", str(bag), "--speed", "20", "--namespace", "/again"]) == 0
    assert "of 1.00 s" in capfd.readouterr().err


@pytest.mark.parametrize("words", [["nowhere"], ["nowhere", "--body"]])
def test_replay_refuses_what_is_not_there(words, capfd) -> None:
    assert main(["replay", *words]) == 2
    assert "nowhere" in capfd.readouterr().err


def test_profiles_for_rosbag2_name_what_is_latched() -> None:
    profiles = yaml.safe_load((ROOT / "config/rosbag2_qos.yaml").read_text())
    assert {"/robot_description", "/tf_static", "/skills", "/link_state"} <= set(profiles)
    assert {one["durability"] for one in profiles.values()} == {"transient_local"}
    with Runtime() as runtime:
        body = runtime.add(mock_body(context=runtime.context))
        tree = runtime.add(behavior_tree(context=runtime.context))
        runtime.spin(lambda: body.active and tree.active)
        for topic in profiles:  # rosbag2 would not record one of these of which late joiners get nothing
            for publisher in tree.get_publishers_info_by_topic(topic):
                assert publisher.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL, topic


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


ASKED = asked_of_a_body(registry.inputs())
BRINGUP = Path(__file__).parents[2] / "launch/bringup.launch.xml"
OF_ROS = ("parameter_events", "/_action/")


@pytest.mark.parametrize("body", ["mock", "rcsssmj", "simspark", "maeden", "dummy", "mujoco"])
def test_what_body_and_tree_take_from_others_is_not_played(body, tmp_path):
    launched = read_launch(
        BRINGUP, {"body": body, "namespace": "/robot"}, find_share=find_share, environment=os.environ
    )
    with Runtime() as runtime:
        nodes = []
        for described in launched.nodes:
            make = node_factory(described.package, described.executable)
            words = ros_args(described, lambda text: _written(tmp_path, text))
            nodes.append(
                runtime.add(make(cli_args=words, use_global_arguments=False, context=runtime.context))
            )
            nodes[-1].trigger_configure()
        made_here = {topic.topic_name for node in nodes for topic in node.publishers}
        taken = {topic.topic_name for node in nodes for topic in node.subscriptions} - made_here
    taken = {topic for topic in taken if not any(part in topic for part in OF_ROS)}
    assert "/robot/bml" in taken
    assert {topic for topic in taken if not ASKED.match(topic)} == set()


def _written(folder: Path, text: str) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_a_body_says_is_played():
    for topic in ("/joint_states", "/body_status", "/heard", "/robot/entities", "/tf"):
        assert not ASKED.match(topic)


def test_what_a_protocol_takes_is_not_played():
    assert asked_of_a_body(["chest_light"]).match("/robot/chest_light")
    assert not asked_of_a_body(()).match("/robot/chest_light")
