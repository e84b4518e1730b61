# SPDX-License-Identifier: Apache-2.0
"""The lists on the pages are those of the program: bodies, commands, topics, parameters, servos, emotions, codes."""

import re
from pathlib import Path

import pytest

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
from embodiment_bridge.protocols.registry import Output

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
