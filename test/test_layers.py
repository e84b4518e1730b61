# SPDX-License-Identifier: Apache-2.0
"""Every module imports only what its layer may, also through others (docs/architecture.md has the table)."""

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "embodiment_bridge"
ROS = {
    "rclpy",
    "rcl_interfaces",
    "*_msgs",
    "std_srvs",
    "py_trees_ros_interfaces",
    "ament_index_python",
    f"{PACKAGE}.msg",
    f"{PACKAGE}.action",
}
ROS |= {f"{PACKAGE}.srv"}
IO = {"socket", "select", "serial", "subprocess", "threading", "asyncio"}
PARSERS = {"lxml", "xml", "yaml", "json"}

# First match wins: (layer, modules, what must not be imported, directly or through a module of ours).
LAYERS = (
    (
        "words",
        ("errors", "units", "body", "closing", "description", "rotation"),
        ROS | IO | PARSERS | {"numpy", "py_trees", "time", "logging"},
    ),
    ("ROS", ("nodes", "nodes.*", "behaviour.ros_leaves"), {"socket", "serial"} | PARSERS),
    (
        "edge",
        (
            "cli", "registry", "commands", "commands.*", "doctor", "doctor.*",
            "launching.up", "launching.executables", "launching.environment", "launching.programs",
        ),
        set(),
    ),
    (
        "meaning",
        (
            "protocols.*.convert", "protocols.*messages", "scene.messages", "scene.markers", "scene.shapes",
            "state_messages", "mock.messages", "devices.dynamixel.joints", "devices.dynamixel.goals",
            "devices.dynamixel.layout", "devices.dynamixel.messages",
        ),
        {"rclpy"} | IO,
    ),
    ("link", ("protocols.*.managed*", "protocols.*.link"), ROS),
    (
        "wire",
        (
            "framing", "line_framing", "sexpr", "decode", "encode", "body_file", "config_section", "skill_section",
            "emotion_section", "track_section",
            "plans", "plans.*",
            "urdf", "urdf.*", "scene", "scene.*", "protocols", "protocols.*", "bml", "bml.*", "launching",
            "launching.*", "devices", "devices.dynamixel", "devices.dynamixel.arguments", "devices.dynamixel.co*",
            "devices.dynamixel.crc", "devices.dynamixel.decoder", "devices.dynamixel.events",
            "devices.dynamixel.instructions", "devices.dynamixel.packet*", "devices.dynamixel.plain_body",
            "devices.dynamixel.servo_config",
            "devices.dynamixel.writer", "devices.dynamixel.table_reader",
        ),
        ROS | IO | {"time", "logging"},
    ),
    ("link", ("devices.dynamixel.registers", "devices.dynamixel.sdk*", "devices.dynamixel.virtual*"), ROS),
    (
        "link",
        tuple(
            f"devices.dynamixel.{name}"
            for name in (
                "bus", "calibration", "care", "client", "cycle", "cycle_times", "goal_writer", "health", "port",
                "reading", "robot", "servo", "settings", "work",
            )
        ),
        ROS,
    ),
    ("link", ("bags", "bags.*"), ROS),
    ("link", ("transports", "transports.*", "event_link", "own_thread", "session", "peers", "peers.*"), ROS),
    ("link", ("viewing", "viewing.*"), ROS),
    ("link", ("network_element", "network_element.*"), ROS),
    ("link", ("media", "media.*"), ROS),
    ("link", ("fetching", "fetching.*"), ROS),
    ("motion", ("motion", "motion.*", "mock", "mock.*", "grid", "grid.*"), ROS | IO | PARSERS | {"time", "py_trees"}),
    ("tree", ("behaviour", "behaviour.*"), ROS | IO | {"time"}),
)  # fmt: skip
DIRECTLY = {"ROS"}  # nodes hold sessions, which own sockets: only what a node itself imports counts


def modules() -> list[str]:
    files = (ROOT / PACKAGE).rglob("*.py")
    names = [".".join(f.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for f in files]
    return sorted(n for n in names if n != PACKAGE)


def path_of(module: str) -> Path:
    base = ROOT.joinpath(*module.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def layer_of(module: str) -> tuple[str, set[str]]:
    short = module.removeprefix(PACKAGE + ".")
    for name, patterns, forbidden in LAYERS:
        if any(fnmatch(short, p) for p in patterns):
            return name, forbidden
    raise AssertionError(f"{module} is in no layer: add it to the table")


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker sees."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        yield from statements(node)


@cache
def imports(module: str) -> frozenset[str]:
    found = set()
    for node in statements(ast.parse(path_of(module).read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else node.module for name in inside}
    return frozenset(found)


MODULES = set(modules())


def reached(module: str) -> dict[str, str]:
    """Everything imported from a module on: name -> the module of ours that imports it."""
    seen: dict[str, str] = {}
    todo = [module]
    while todo:
        current = todo.pop()
        for name in imports(current):
            if name not in seen:
                seen[name] = current
                if name in MODULES:
                    todo.append(name)
    return seen


@pytest.mark.parametrize("module", sorted(MODULES))
def test_module_keeps_its_layer(module: str) -> None:
    layer, forbidden = layer_of(module)
    seen = dict.fromkeys(imports(module), module) if layer in DIRECTLY else reached(module)
    for name, importer in seen.items():
        top = name if name.startswith(PACKAGE) else name.split(".")[0]
        bad = [pattern for pattern in forbidden if fnmatch(top, pattern)]
        assert not bad, f"{module} ({layer}) reaches {name} through {importer}"


@pytest.mark.parametrize("module", sorted(MODULES))
def test_edge_is_imported_by_the_edge_only(module: str) -> None:
    if layer_of(module)[0] == "edge":
        return
    edge = {m for m in MODULES if layer_of(m)[0] == "edge"}
    assert not imports(module) & edge
