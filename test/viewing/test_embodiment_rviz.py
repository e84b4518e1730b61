# SPDX-License-Identifier: Apache-2.0
"""config/embodiment.rviz names topics that nodes of this package have, with a QoS that fits them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from nav_msgs.msg import OccupancyGrid

from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.view.viewer import TOPICS
from embodiment_bridge.protocols import registry

ROOT = Path(__file__).parents[2]
CONFIG = yaml.safe_load((ROOT / "config" / "embodiment.rviz").read_text())["Visualization Manager"]
FROM_NODES = {"/robot_description": "latched", "/markers": "state", "/goal_pose": "command"}


def rooms_topics():
    found = {
        f"/{one.topic}": one.role for name in registry.protocols() for one in registry.spec(name).topics()
    }
    return found | FROM_NODES


def topics(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield from (value[key] for key in ("Topic", "Description Topic") if key in value)
        for inner in value.values():
            yield from topics(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from topics(inner)


NAMED = list(topics(CONFIG))


@pytest.mark.parametrize("topic", NAMED, ids=lambda topic: topic["Value"])
def test_topic_is_there(topic):
    known = rooms_topics()
    assert topic["Value"] in known
    if topic.get("Durability Policy") == "Transient Local":
        assert known[topic["Value"]] == "latched"
    reliable = profile(known[topic["Value"]]).reliability.name.lower()
    assert topic.get("Reliability Policy", "Reliable").lower() == reliable


def test_topics_come_from_where_the_table_says():
    sources = "".join(path.read_text() for path in (ROOT / "embodiment_bridge" / "nodes").rglob("*.py"))
    for topic in FROM_NODES:
        assert f'"{topic[1:]}"' in sources


def test_what_the_package_has_to_show_is_shown():
    kinds = {display["Class"].rpartition("/")[2] for display in CONFIG["Displays"] if display["Enabled"]}
    assert {"RobotModel", "MarkerArray", "Map"} <= kinds
    maps = {name for name, (kind, _) in TOPICS.items() if kind is OccupancyGrid}
    assert {f"/{name}" for name in maps} <= {topic["Value"] for topic in NAMED}
