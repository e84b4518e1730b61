# SPDX-License-Identifier: Apache-2.0
"""package.xml, by which rosdep installs what is needed, names what is imported, and nothing that is not used."""

import ast
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "embodiment_bridge"
NAMES = ("gi", "hypothesis", "jsonschema", "lxml", "numpy", "packaging", "pytest", "serial", "yaml")
KEYS = {name: f"python3-{name}" for name in NAMES}
KEYS["typing_extensions"] = "python3-typing-extensions"
# Optional parts from PyPI; each is needed for one thing only, whose page in docs/ says how to install it.
PYPI_ONLY = {"mcap", "mcap_ros2", "miniaudio", "mujoco", "rosbags", "viser", "websocket"}
PYPI_ONLY |= {"anyio", "httpx2", "mcp", "pydantic", "starlette", "uvicorn"}  # the extra mcp
PYPI_ONLY |= {"apsw", "backports", "lz4"}  # come with rosbags, and are used to unpack bags only
PYPI_ONLY |= {
    "_typeshed",
    "compression",
}  # for a type checker only; of the standard library since Python 3.14
PYPI_ONLY |= {
    "PIL",
    "msgspec",
    "rich",
    "trimesh",
    "websockets",
}  # come with viser, and are used for its page only
USED_OTHERWISE = {
    "action_msgs": "generated actions",
    "control_msgs": "the action follow_joint_trajectory",
    "launch": "the launch files",
    "launch_ros": "the launch files",
    "launch_xml": "the launch files",
    "lifecycle_msgs": "rclpy's lifecycle nodes",
    "py_trees_ros": "py-trees-tree-watcher",
    "python3-numpy": "generated messages",
    "rosidl_default_runtime": "generated messages",
    "service_msgs": "generated services",
}


def declared(*kinds: str) -> set[str]:
    root = ET.parse(ROOT / "package.xml").getroot()
    return {element.text or "" for kind in kinds for element in root.iter(kind)}


@cache  # all files of the tests take seconds
def imported(folder: str) -> set[str]:
    """rosdep keys of everything from outside that the Python files of a folder import, wherever in the file."""
    files = (ROOT / folder).rglob("*.py")
    modules = {name.split(".")[0] for file in files for name in imports(ast.parse(file.read_text()))}
    files_of_ours = [
        file for place in ("test", "tools", "benchmarks") for file in (ROOT / place).rglob("*.py")
    ]
    own = {PACKAGE, *(file.parent.name if file.stem == "__init__" else file.stem for file in files_of_ours)}
    return {KEYS.get(name, name) for name in modules - own - PYPI_ONLY - set(sys.stdlib_module_names)}


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_imports_are_found():
    assert {"rclpy", "python3-lxml", "py_trees", "std_msgs"} <= imported(PACKAGE)
    assert "python3-pytest" in imported("test")


def test_every_import_is_a_dependency():
    assert imported(PACKAGE) - declared("depend", "exec_depend") == set()


def test_every_import_of_the_tests_is_a_dependency():
    assert imported("test") - declared("depend", "exec_depend", "test_depend") == set()


def test_every_dependency_is_used():
    assert declared("depend", "exec_depend") == imported(PACKAGE) | set(USED_OTHERWISE)


def test_interfaces_of_cmake_are_dependencies():
    text = (ROOT / "CMakeLists.txt").read_text()
    found = {line.split("(")[1].split()[0] for line in text.splitlines() if "find_package(" in line}
    assert found <= declared("depend", "buildtool_depend", "test_depend")
