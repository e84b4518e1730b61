# SPDX-License-Identifier: Apache-2.0
"""Each node of the package with the fewest parameters, given as `--ros-args` like those of a command line."""

from itertools import count
from pathlib import Path
from typing import Any

import yaml
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from embodiment_bridge.bags.writer import BagWriter, definition
from embodiment_bridge.launching.environment import find_share
from embodiment_bridge.launching.executables import EXECUTABLES
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime

ROOT = Path(__file__).parents[2]
NODES = tuple(EXECUTABLES)
_NUMBERS = count()
CLOSED_PORT = 9  # nobody listens there; a node waits for its peer
MINIMAL: dict[str, dict[str, Any]] = {
    "agent_bridge": {
        "protocol": "dummy", "port": CLOSED_PORT, "body_file": str(ROOT / "config/bodies/dummy.yaml"),
    },
    "joint_driver": {
        "robot_description_file": str(ROOT / "urdf/desk_humanoid.urdf"),
        "body_file": str(ROOT / "config/bodies/desk_humanoid.yaml"),
        "port_name": f"socket://127.0.0.1:{CLOSED_PORT}",
    },
    "opencog_bridge": {"port": CLOSED_PORT},
    "soccer_monitor": {"port": CLOSED_PORT},
    "viewer": {"port": 0},
}  # fmt: skip
# Something that makes configure fail; a node that is not here needs a line
BROKEN: dict[str, dict[str, Any]] = {
    "agent_bridge": {"host": "127.0.0.1", "pan_offset": "x", "body_file": "/nowhere.yaml"},
    "behavior_tree": {"plan_file": "/nowhere.yaml"},
    "joint_driver": {"body_file": "/nowhere.yaml"},
    "mujoco_body": {"model": "/nowhere.urdf"},
    "mock_body": {"robot_description_file": "/nowhere.urdf"},
    "opencog_bridge": {"more_agents": ["one@/a", "two@not legal"]},
    "player": {"bag": "/nowhere"},
    "recorder": {"include": "("},
    "soccer_monitor": {"transport": "replay", "recording": "/nowhere"},
}


def parameters_of(executable: str, folder: Path) -> dict[str, Any]:
    """The least that a node needs."""
    if executable == "player":
        return {"bag": str(small_bag(folder)), "publish_clock": False}
    if executable == "recorder":
        return {"output": str(folder / "recorded"), "include": "/nothing"}
    return dict(MINIMAL.get(executable, {}))


def small_bag(folder: Path) -> Path:
    """A recording of one text."""
    path = folder / "played"
    if not path.exists():
        kind = "std_msgs/msg/String"
        writer = BagWriter(path)
        number = writer.add_topic("/said", kind, definition(kind, find_share), [])
        writer.take(number, 1_700_000_000_000_000_000, bytes(serialize_message(String(data="hello"))))
        writer.close()
    return path


def words_of(executable: str, folder: Path, *rules: str, name: str = "/**", **values: Any) -> list[str]:
    """``--ros-args`` with a parameter file; rules: remaps, as after ``-r``."""
    content = {name: {"ros__parameters": {**parameters_of(executable, folder), **values}}}
    file = folder / f"{len(list(folder.iterdir()))}.yaml"
    file.write_text(yaml.safe_dump(content))
    if not any(rule.startswith("__ns:=") for rule in rules):
        rules = (*rules, f"__ns:=/n{next(_NUMBERS)}")  # the graph may still know a node of the test before
    return ["--ros-args", "--params-file", str(file), *(word for rule in rules for word in ("-r", rule))]


def make(runtime: Runtime, executable: str, words: list[str]) -> BridgeNode:
    """A node as one process of several has it."""
    return runtime.add(
        EXECUTABLES[executable](context=runtime.context, cli_args=words, use_global_arguments=False)
    )


def on_graph(node: BridgeNode) -> set[str]:
    """Names of all that a node offers and uses."""
    name, namespace = node.get_name(), node.get_namespace()
    looks = (
        node.get_publisher_names_and_types_by_node,
        node.get_subscriber_names_and_types_by_node,
        node.get_service_names_and_types_by_node,
        node.get_client_names_and_types_by_node,
    )
    return {f"{look.__name__[4:7]} {topic}" for look in looks for topic, _ in look(name, namespace)}
