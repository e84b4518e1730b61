# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge record` and `replay` as people use them."""

import json
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml
from bag_files import write_texts
from rclpy.qos import DurabilityPolicy

from embodiment_bridge.bags.reader import BagReader
from embodiment_bridge.cli.command_line import main
from embodiment_bridge.launching.executables import behavior_tree, mock_body
from embodiment_bridge.nodes.base import signals
from embodiment_bridge.nodes.base.runtime import Runtime

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
