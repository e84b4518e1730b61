# SPDX-License-Identifier: Apache-2.0
"""A folder is a layer: each imports only the folders and the outside means that its row names."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = "embodiment_bridge"

# What an outside import gives a folder; what is in none of these sets is free.
MEANS = {
    "ros": {"rclpy", "rcl_interfaces", "ament_index_python"},
    "messages": {"std_srvs", "py_trees_ros_interfaces", "builtin_interfaces"},  # and *_msgs, and our own
    "io": {
        "socket", "select", "selectors", "socketserver", "ssl", "http", "urllib", "serial", "termios", "fcntl",
        "subprocess", "threading", "multiprocessing", "concurrent", "asyncio", "queue", "signal", "time",
    },
    "parsers": {"lxml", "xml", "yaml", "json"},
}  # fmt: skip

# folder, means, folders of ours. A row may name only folders of earlier rows, so there is no circle and no way up.
LAYERS = (
    ("core", "io parsers", ""),  # a thread that ends with a with block, an address to listen at, the one YAML reader
    ("wire", "parsers", "core"),
    ("body", "messages", "core"),
    ("urdf", "parsers", "core"),
    ("link/transports", "io", "core wire"),
    ("link", "io", "core link/transports wire"),
    ("bags", "io parsers", "core"),
    ("grid", "", ""),
    ("scene", "messages", "core urdf"),
    ("plans", "parsers", "body core"),
    ("dynamixel/wire", "", "core wire"),
    ("dynamixel/tables", "", "body core"),
    ("dynamixel/config", "parsers", "body core urdf"),
    ("dynamixel/bus", "io", "core dynamixel/config dynamixel/tables dynamixel/wire"),
    ("dynamixel/commission", "io", "core dynamixel/bus dynamixel/config dynamixel/tables dynamixel/wire"),
    ("dynamixel/virtual", "io parsers", "core dynamixel/tables dynamixel/wire wire"),
    ("dynamixel", "messages", "body dynamixel/bus urdf"),
    ("motion/joints", "", "body core"),
    ("motion/policy", "", "body core motion/joints"),
    ("motion/gait", "", "body motion/joints motion/policy"),
    ("motion/walking", "", "body core motion/gait motion/joints"),
    ("motion/locomotion", "", "body motion/gait motion/joints motion/walking"),
    ("motion/skills", "", "body core motion/gait motion/joints motion/locomotion motion/walking"),
    (
        "motion", "",
        "body core motion/gait motion/joints motion/locomotion motion/skills motion/walking",
    ),
    ("mock", "", "body core motion/skills scene urdf"),
    ("physics", "parsers", "body core scene urdf"),
    ("physics/servos", "io", "core dynamixel/config dynamixel/tables dynamixel/virtual physics"),
    ("protocols", "", "body core motion/skills wire"),
    ("protocols/dummy", "messages", "body core protocols wire"),
    ("protocols/dynamixel", "", "protocols"),
    (
        "protocols/maeden", "messages parsers",
        "body core grid link link/transports motion/skills protocols scene wire",
    ),
    ("protocols/soccer", "messages", "body core motion/skills protocols scene urdf wire"),
    ("protocols/rcsssmj", "io messages", "body core link motion/skills protocols protocols/soccer scene wire"),
    ("protocols/simspark", "messages", "body core protocols protocols/soccer scene urdf wire"),
    ("protocols/soccer_monitor/scene", "", "core"),
    ("protocols/soccer_monitor", "messages", "core protocols protocols/soccer protocols/soccer_monitor/scene wire"),
    ("protocols/rcsssmj_monitor", "", "core protocols protocols/soccer protocols/soccer_monitor wire"),
    ("protocols/simspark_monitor", "", "core protocols protocols/soccer_monitor wire"),
    ("protocols/opencog/router", "", "core wire"),
    ("protocols/opencog/xml", "parsers", "core wire"),
    ("protocols/opencog/world", "", "body core plans protocols/opencog/xml"),
    ("protocols/opencog/network", "io", "core link link/transports protocols/opencog/router wire"),
    ("protocols/opencog/plans", "messages", "plans protocols protocols/opencog/world protocols/opencog/xml"),
    (
        "protocols/opencog", "messages",
        "core protocols protocols/opencog/plans protocols/opencog/world protocols/opencog/xml scene",
    ),
    ("bml/base", "parsers", "core"),
    ("bml/fields", "", "bml/base"),
    ("bml/nodes", "", "bml/base bml/fields body"),
    ("bml/reading", "parsers", "bml/base bml/fields bml/nodes core"),
    ("bml/analysis", "", "bml/base bml/nodes body"),
    ("bml/rules", "parsers", "bml/base bml/nodes body core"),
    ("bml/authoring", "parsers", "bml/analysis bml/base bml/fields bml/nodes bml/reading bml/rules core"),
    ("bml", "", "bml/analysis bml/authoring bml/base bml/nodes bml/reading bml/rules"),
    ("behaviour", "", ""),
    ("behaviour/engine", "parsers", "bml bml/base bml/reading bml/rules body core"),
    ("behaviour/nodes", "parsers", "behaviour/engine bml/base bml/fields bml/nodes body core"),
    ("behaviour/runs", "", "behaviour/engine behaviour/nodes bml core"),
    ("behaviour/rehearsal", "", "behaviour/engine behaviour/runs bml bml/base body core"),
    ("behaviour/run_log", "parsers", "behaviour/engine behaviour/runs bml/base bml/rules body core"),
    ("fetching", "io", "behaviour/engine bml/reading bml/rules core"),
    ("media/files", "io parsers", "bml/rules core"),
    ("media/outputs", "io parsers", "core"),
    ("media/speech", "io parsers", "bml/base bml/rules core fetching media/files"),
    ("media", "io parsers", "bml bml/base bml/nodes core media/files media/outputs media/speech"),
    ("viewing", "io messages", "core protocols/soccer_monitor/scene urdf"),
    ("standins", "io", "core link/transports wire"),
    ("standins/bml", "io parsers", "core fetching"),
    ("standins/mcp_host", "parsers", ""),
    ("standins/maeden", "io parsers", "core grid link/transports protocols/maeden wire"),
    ("standins/oac", "io parsers", "core link/transports protocols/opencog/router protocols/opencog/xml wire"),
    ("standins/simspark", "io", "core protocols/simspark wire"),
    ("nodes", "", ""),
    ("nodes/base", "io messages ros", "core link link/transports urdf"),
    (
        "nodes/sound", "io messages ros",
        "behaviour/engine bml/rules core fetching media media/files media/outputs media/speech motion/skills "
        "nodes/base",
    ),
    (
        "nodes/body", "io messages ros",
        "body core dynamixel dynamixel/bus dynamixel/config dynamixel/virtual link link/transports mock motion "
        "motion/joints motion/skills nodes/base nodes/sound protocols scene urdf wire",
    ),
    (
        "nodes/mujoco", "io messages ros",
        "body core nodes/base nodes/body physics protocols scene",
    ),
    ("nodes/view", "io messages ros", "core nodes/base nodes/body viewing"),
    ("nodes/bags", "io messages ros", "bags body core motion nodes/base nodes/body"),
    (
        "nodes/soccer", "messages ros",
        "core link link/transports nodes/base nodes/body protocols protocols/soccer_monitor "
        "protocols/soccer_monitor/scene urdf wire",
    ),
    ("nodes/tree/values", "io messages ros", "behaviour/engine bml/base core nodes/base"),
    (
        "nodes/tree/runs", "io messages ros",
        "behaviour/engine behaviour/nodes behaviour/runs bml/analysis bml/base bml/reading "
        "bml/rules body core fetching nodes/base nodes/body nodes/sound nodes/tree/values",
    ),
    (
        "nodes/tree", "io messages ros",
        "behaviour/engine behaviour/nodes behaviour/run_log behaviour/runs bml bml/base body core nodes/base "
        "nodes/sound nodes/tree/runs nodes/tree/values plans protocols/opencog/plans",
    ),
    (
        "nodes/opencog", "io messages ros",
        "core link nodes/base nodes/body nodes/tree plans protocols/opencog protocols/opencog/network "
        "protocols/opencog/plans protocols/opencog/router protocols/opencog/world protocols/opencog/xml wire",
    ),
    (
        "launching", "io parsers",
        "core nodes/bags nodes/base nodes/body nodes/mujoco nodes/opencog nodes/soccer nodes/sound nodes/tree "
        "nodes/view protocols",
    ),
    (
        "robot", "io messages parsers ros",
        "bml bml/base bml/nodes bml/rules body core launching nodes/base nodes/body",
    ),
    (
        "mcp_server", "io messages parsers ros",
        "bml/authoring bml/base bml/nodes bml/reading bml/rules body core nodes/base robot",
    ),
    ("cli", "io parsers ros", "body core launching motion/joints nodes/base"),
    (
        "cli/robots", "io ros",
        "bags behaviour/engine bml/base bml bml/reading bml/rules body cli core launching nodes/bags nodes/base "
        "nodes/mujoco nodes/tree/runs nodes/tree/values",
    ),
    ("cli/doctor", "io messages ros", "core launching nodes/base"),
    (
        "cli/demos", "io messages parsers",
        "cli launching mcp_server nodes/base nodes/tree robot standins/bml standins/mcp_host standins/oac",
    ),
    (
        "cli/commands", "io messages parsers ros",
        "bags behaviour/engine behaviour/rehearsal behaviour/run_log bml bml/authoring "
        "body cli cli/demos cli/doctor cli/robots core dynamixel/bus dynamixel/commission dynamixel/config "
        "dynamixel/virtual launching mcp_server media media/files media/speech nodes/bags nodes/base nodes/body "
        "physics/servos plans protocols protocols/opencog protocols/opencog/world "
        "protocols/opencog/xml robot standins/oac urdf wire",
    ),
)  # fmt: skip
ROWS = {folder: (set(means.split()), set(allowed.split())) for folder, means, allowed in LAYERS}

FILES = sorted(path for path in (ROOT / PACKAGE).rglob("*.py") if path.parent != ROOT / PACKAGE)
MODULES = {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in FILES}


def layer_of(path: Path) -> str:
    """The folder of a file, or the nearest one above it that has a row."""
    folder = path.parent.relative_to(ROOT / PACKAGE)
    for place in (folder, *folder.parents):
        if place.as_posix() in ROWS:
            return place.as_posix()
    raise AssertionError(f"{folder} has no row")


def imports(path: Path) -> set[str]:
    """Full names of all modules that a file imports, those that only a type checker sees included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in MODULES else str(node.module) for name in inside}
    return found


def means_of(name: str) -> set[str]:
    """What a module from outside, or a generated one of ours, gives."""
    first, _, rest = name.partition(".")
    if first == PACKAGE:
        return {"messages"} if rest.split(".")[0] in {"msg", "srv", "action"} else set()
    if name == "urllib.parse":  # text only
        return set()
    kinds = {kind for kind, names in MEANS.items() if first in names}
    return kinds | {"messages"} if first.endswith("_msgs") else kinds


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT / PACKAGE).as_posix())
def test_module_keeps_its_layer(path: Path) -> None:
    layer = layer_of(path)
    means, allowed = ROWS[layer]
    for name in imports(path):
        assert means_of(name) <= means, f"{layer} may not use {name}"
        if name in MODULES:
            other = layer_of(MODULES[name])
            assert other == layer or other in allowed, f"{layer} may not import {name}"


def test_a_row_names_earlier_rows_only() -> None:
    seen: set[str] = set()
    for folder, _, allowed in LAYERS:
        assert set(allowed.split()) <= seen, f"{folder} imports what stands below it in the table"
        assert folder not in seen
        seen.add(folder)


def test_no_file_imports_itself_by_way_of_others() -> None:
    ours = {name: imports(path) & MODULES.keys() for name, path in MODULES.items()}
    TopologicalSorter(ours).prepare()  # raises CycleError, with the circle


def test_nothing_in_the_table_is_left_over() -> None:
    used: dict[str, set[str]] = {folder: set() for folder in ROWS}
    means: dict[str, set[str]] = {folder: set() for folder in ROWS}
    for path in FILES:
        layer = layer_of(path)
        names = imports(path)
        used[layer] |= {layer_of(MODULES[name]) for name in names if name in MODULES} - {layer}
        means[layer] |= set().union(*map(means_of, names))
    assert {folder: (means[folder], used[folder]) for folder in ROWS} == ROWS
