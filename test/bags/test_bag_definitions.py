# SPDX-License-Identifier: Apache-2.0
"""Definitions of message types: complete, parsed by another reader, with the hash that the middleware tells."""

import json

import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from embodiment_bridge.bags.writer import definition
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import find_share

TYPES = [
    "std_msgs/msg/String",
    "sensor_msgs/msg/JointState",
    "visualization_msgs/msg/MarkerArray",
    "tf2_msgs/msg/TFMessage",
    "embodiment_bridge/msg/EntityArray",
    "embodiment_bridge/msg/TreeSnapshot",
    "action_msgs/msg/GoalStatusArray",
    "embodiment_bridge/action/ExecuteSkill_FeedbackMessage",
    "embodiment_bridge/action/ExecuteBml_FeedbackMessage",
]


@pytest.mark.parametrize("name", TYPES)
def test_another_reader_computes_the_same_hash(name) -> None:
    found = definition(name, find_share)
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(found.text, name))
    if "/action/" not in name:  # the other reader takes every dependency for one of msg/
        assert store.hash_rihs01(name) == found.rihs01
    assert found.rihs01.startswith("RIHS01_")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "String",
        "std_msgs/String",
        "std_msgs/msg/Nothing",
        "nowhere_msgs/msg/String",
        "a/b/c/d",
        "../../etc/x",
    ],
)
def test_unknown_types_are_refused_by_name(name) -> None:
    with pytest.raises(ConfigError) as refused:
        definition(name, find_share)
    assert repr(name) in str(refused.value)


def test_damaged_files_are_refused(tmp_path) -> None:
    (tmp_path / "msg").mkdir()
    for content in ("", "[]", "{}", json.dumps({"type_hashes": [], "type_description_msg": {}})):
        (tmp_path / "msg" / "Odd.json").write_text(content)
        with pytest.raises(ConfigError, match="odd_msgs/msg/Odd"):
            definition("odd_msgs/msg/Odd", lambda package: tmp_path)
