# SPDX-License-Identifier: Apache-2.0
"""A recording that is played as a body asks nothing of a body."""

import os
from pathlib import Path

import pytest

from embodiment_bridge.launching.environment import find_share
from embodiment_bridge.launching.executables import node_factory
from embodiment_bridge.launching.launch_description import ros_args
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.nodes.bags.bag_playback import asked_of_a_body
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.protocols import registry

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
