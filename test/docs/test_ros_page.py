# SPDX-License-Identifier: Apache-2.0
"""docs/ros.md lists the Debian packages that package.xml needs, and the container has all that the build takes."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ros.md").read_text()
CONTAINER = (ROOT / "tools" / "container" / "Containerfile").read_text()
FROM_ROS_BASE = {  # the variant of Jazzy: rclpy, common_interfaces, geometry2, launch and the generators
    "action_msgs", "ament_cmake", "ament_cmake_python", "builtin_interfaces", "diagnostic_msgs", "geometry_msgs",
    "launch", "launch_ros", "launch_xml", "lifecycle_msgs", "nav_msgs", "rcl_interfaces", "rclpy", "rosgraph_msgs",
    "rosidl_default_generators", "rosidl_default_runtime", "sensor_msgs", "service_msgs", "std_msgs", "std_srvs",
    "tf2_msgs", "trajectory_msgs", "unique_identifier_msgs", "visualization_msgs",
}  # fmt: skip


def needed() -> set[str]:
    root = ET.parse(ROOT / "package.xml").getroot()
    kinds = ("depend", "buildtool_depend", "exec_depend")
    return {str(element.text) for kind in kinds for element in root.iter(kind)}


def debian(key: str) -> str:
    return key if key.startswith("python3-") else f"ros-jazzy-{key.replace('_', '-')}"


def test_what_ros_base_lacks_is_in_the_list() -> None:
    (command,) = re.findall(r"sudo apt install ((?:.*\\\n)*.*)\n", PAGE)
    listed = {word for word in command.split() if word.startswith(("ros-jazzy-", "python3-"))}
    beside = {"ros-jazzy-ros-base", "python3-colcon-common-extensions"}
    assert listed - beside == {debian(key) for key in needed() - FROM_ROS_BASE}


def test_the_container_has_what_cmake_reads() -> None:
    copied = set(re.findall(r"^COPY (?:.* )?(\w+) \./\1$", CONTAINER, flags=re.M))
    text = (ROOT / "CMakeLists.txt").read_text()
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and re.search(rf"\b{path.name}\b", text)}
    assert copied == folders - {"test", "build"}
    assert re.search(r"^COPY .*CMakeLists\.txt", CONTAINER, flags=re.M)


def test_the_container_is_documented() -> None:
    assert "tools/container/Containerfile" in PAGE
