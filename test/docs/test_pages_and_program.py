# SPDX-License-Identifier: Apache-2.0
"""The lists and pictures on the pages are those of the program: bodies, commands, topics, parameters, servos, codes."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image

from embodiment_bridge.bml import read
from embodiment_bridge.bml.authoring import builder
from embodiment_bridge.body.skill_info import EMOTIONS
from embodiment_bridge.cli.command_line import COMMANDS
from embodiment_bridge.cli.commands import run_bml
from embodiment_bridge.cli.ending import EXIT_CODES
from embodiment_bridge.dynamixel.tables.table_reader import models, table
from embodiment_bridge.launching.read import read_arguments
from embodiment_bridge.nodes.body import joint_driver, mock_body
from embodiment_bridge.nodes.mujoco import mujoco_body as mujoco
from embodiment_bridge.nodes.tree.behavior_tree import PARAMETERS
from embodiment_bridge.protocols import dummy, maeden, rcsssmj, simspark
from embodiment_bridge.protocols.registry import OURS, Output, spec
from embodiment_bridge.standins.bml.replies import FAULTS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PAGES = {page.stem: page.read_text() for page in sorted((ROOT / "docs").glob("*.md"))}
OUTPUTS = {
    "mock": mock_body.OUTPUTS,
    "dynamixel": (*joint_driver.OUTPUTS, joint_driver.BATTERY),
    "dummy": dummy.SPEC.topics(),
    "maeden": maeden.SPEC.topics(),
    "rcsssmj": rcsssmj.SPEC.topics(),
    "mujoco": mujoco.OUTPUTS,
    "simspark": simspark.SPEC.topics(),
}


def rows(text: str, after: str) -> list[list[str]]:
    """The cells of the first table behind ``after``."""
    table = text[text.index(after) :]
    lines = re.search(r"(?:^\|.*\n)+", table, re.MULTILINE)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_bodies_and_brains_are_those_of_the_launch_file() -> None:
    arguments = {a.name: a for a in read_arguments(ROOT / "launch/bringup.launch.xml")}
    assert {quoted(row[0])[0] for row in rows(README, "| `body:=` |")} == set(arguments["body"].choices)


def test_the_arguments_of_the_launch_file_are_in_the_table() -> None:
    arguments = {argument.name for argument in read_arguments(ROOT / "launch/bringup.launch.xml")}
    listed = {name for row in rows(PAGES["launch"], "| argument |") for name in quoted(row[0])}
    assert arguments == listed, "the table of arguments in docs/launch.md"


def test_every_command_is_in_the_table() -> None:
    table = " ".join(row[0] for row in rows(README, "| `embodiment_bridge ...` |"))
    known = {name.replace("_", "-") for name in COMMANDS}
    missing = {name for name in known if not re.search(rf"`{name}\b|, `?{name}\b", table)}
    assert not missing, f"the table of commands in README.md lacks {missing}"


def type_of(output: Output) -> str:
    module, _, name = output.type.partition(":")
    return f"{module.removesuffix('.msg')}/{name}"


@pytest.mark.parametrize("body", OUTPUTS)
def test_what_a_body_publishes_is_on_a_page_with_its_type(body: str) -> None:
    listed = {}
    for row in rows(README, "## The graph"):
        topics, types = quoted(row[0]), [one.strip() for one in row[1].split(",")]
        package = ""
        for place, topic in enumerate(topics):
            kind = types[min(place, len(types) - 1)]
            package, kind = kind.split("/") if "/" in kind else (package, kind)
            listed[topic] = f"{package}/{kind}"
    for output in OUTPUTS[body]:
        if output.topic in listed:
            assert listed[output.topic] == type_of(output)
        else:
            assert f"`{output.topic}`" in PAGES[body], f"{output.topic} is on no page"


def test_a_topic_is_listed_as_sensed_only_where_a_body_publishes_it() -> None:
    published = {output.topic for outputs in OUTPUTS.values() for output in outputs}
    of_every_body = {"body_status", "link_state", "skills", "robot_description", "markers"}
    for row in rows(README, "## The graph"):
        for topic in quoted(row[0]):
            assert topic.startswith("/") or topic in published | of_every_body, f"no body publishes {topic}"


@pytest.mark.parametrize("parameter", PARAMETERS, ids=lambda parameter: parameter.name)
def test_every_parameter_of_the_tree_is_on_a_page(parameter) -> None:
    assert any(
        f"`{parameter.name}`" in text or f"`{parameter.name} " in text or f"`{parameter.name}:" in text
        for text in PAGES.values()
    )


@pytest.mark.parametrize("page", ["safety", "requests"])
def test_defaults_on_the_pages_are_those_of_the_program(page: str) -> None:
    known = {parameter.name: parameter.default for parameter in PARAMETERS}
    checked = 0
    for row in rows(PAGES[page], "| parameter | default |"):
        names, written = quoted(row[0]), row[1]
        number = re.match(r"(\d+(?:\.\d+)?)", written)
        for name in names:
            if name.endswith("..."):
                continue
            assert name in known, f"{name} is no parameter"
            if number and len(names) == 1 and "iB" not in written:
                assert known[name] == float(number[1])
                checked += 1
            elif written == "none":
                assert known[name] in ("", [""])
                checked += 1
    assert checked >= 5


def test_the_servo_models_are_those_with_a_control_table() -> None:
    named = [name for row in rows(PAGES["dynamixel"], "| series | models |") for name in row[1].split(", ")]
    assert sorted(table(name).name for name in named) == sorted(models())


def test_the_emotions_are_the_usual_ones() -> None:
    """Which bodies have them is for ``test/motion/test_lights.py``."""
    (listed,) = re.findall(r"have the emotions `([a-z ]+)`", " ".join(PAGES["bml"].split()))
    assert tuple(listed.split()) == EMOTIONS
    (shown,) = re.findall(
        r"skill of the body \(([a-z`, ]+)\), and `neutral`", " ".join(PAGES["opencog"].split())
    )
    assert {*quoted(shown), "neutral"} == set(EMOTIONS)


def test_the_exit_codes_that_help_tells_are_those_of_the_program() -> None:
    told = {
        name: int(code)
        for code, names in re.findall(r"(\d) ([A-Z]+(?: or [A-Z]+)?)", run_bml.EXAMPLES)
        for name in names.split(" or ")
    }
    assert {name: code for name, code in told.items() if name in EXIT_CODES} == EXIT_CODES


def test_tables_are_current_and_whole() -> None:
    words = [sys.executable, str(ROOT / "tools/fault_table.py"), "--check"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_picture_is_current() -> None:
    words = [sys.executable, str(ROOT / "tools/folder_picture.py"), "--check"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


ARCHITECTURE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
SECTION = ARCHITECTURE.partition("## Where do I change ...?")[2].partition("\n## ")[0]
STREETS = ARCHITECTURE.partition("## The two streets")[2].partition("\n## ")[0]
ROWS = [line for line in SECTION.splitlines() if line.startswith("|")][2:]


def test_the_requests_are_answered():
    requests = {re.split(r"[|:]", row)[1].strip() for row in ROWS}
    assert requests == {
        "an effector",
        "a percept",
        "a BML node type",
        "a field of an OpenCog message",
        "a servo model",
        "a gait",
        "a launch argument",
        "an emotion",
        "a command",
        "a fault of virtual servos",
        "a skill",
        "an action of a plan",
        "an MCP tool",
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_its_files_exist(row):
    paths = [path for path in re.findall(r"`([^` ]+)`", row) if "/" in path]
    assert paths
    for path in paths:
        made = "<" not in path  # else its file is made by the change
        there = path if made else path.partition("/")[0]
        assert any((folder / there).exists() for folder in (ROOT, ROOT / "embodiment_bridge")), path


def test_the_files_of_the_streets_exist():
    files = re.findall(r"`([a-z_/]+\.py)`", STREETS)
    assert len(files) > 30
    assert [file for file in files if "/" in file and not (ROOT / "embodiment_bridge" / file).is_file()] == []


DOCS = Path(__file__).parents[2] / "docs"
BUILDER = (DOCS / "builder.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", BUILDER, re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS)
def test_code(code):
    names = {}
    exec(code, names)
    assert read(names["text"], strict=True).document is not None


def test_there_is_code():
    assert len(BLOCKS) == 1


def test_the_error_that_is_shown():
    with pytest.raises(builder.BuildError) as caught:
        builder.sequence(builder.delay(1), builder.delay(-1)).build()
    assert f"    {caught.value}\n" in BUILDER


def test_all_functions_and_methods_are_named():
    own = [one for name, one in vars(builder).items() if getattr(one, "__module__", "") == builder.__name__]
    names = {one.__name__ for one in own} | {*vars(builder.Part)}
    for name in names - {"data", "problems"}:
        assert name.startswith("_") or re.search(rf"\b{name}\b", BUILDER), name


def test_all_faults_are_named():
    page = (DOCS / "requests.md").read_text(encoding="utf-8")
    assert f"`{' '.join(FAULTS)}`" in page


ROS_PAGE = (ROOT / "docs" / "ros.md").read_text()
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
    (command,) = re.findall(r"sudo apt install ((?:.*\\\n)*.*)\n", ROS_PAGE)
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
    assert "tools/container/Containerfile" in ROS_PAGE


TOPIC = re.compile(r"`([a-z_/]+)`")
# What every body publishes by nodes/body, and /clock and /diagnostics, which are of no namespace.
EVERY_BODY = {
    "body_status", "link_state", "skills", "robot_description", "/tf", "/tf_static", "markers", "odom", "/clock",
    "/diagnostics",
}  # fmt: skip


def listed() -> set[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = text.split("A body publishes", 1)[1].split("The other nodes", 1)[0].splitlines()
    cells = [row.split("|")[1] for row in rows if row.startswith("| `")]
    return {name for cell in cells for name in TOPIC.findall(cell)}


def test_every_topic_of_the_table_is_published_by_a_body() -> None:
    outputs = [*mock_body.OUTPUTS, *joint_driver.OUTPUTS]
    outputs += [output for name in OURS for output in spec(name).topics()]
    published = {output.topic for output in outputs}
    assert listed() > {"joint_states", "entities"}
    assert listed() - published <= EVERY_BODY
    assert "touch" not in listed()  # no robot of these simulators has touch sensors


def test_the_readme_begins_with_a_moving_picture() -> None:
    first = re.search(r"!\[[^]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text())
    assert first is not None
    path = ROOT / first[1]
    assert path.stat().st_size < 2_000_000
    with Image.open(path) as picture:
        assert picture.n_frames > 50
        assert picture.info["duration"] >= 50  # ms; browsers slow faster ones down
