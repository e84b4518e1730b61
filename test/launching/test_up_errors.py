# SPDX-License-Identifier: Apache-2.0
"""Nodes that one process cannot run are refused with file and line, before anything is started."""

import os
import time
from pathlib import Path

import pytest
from waiting import PROCESS

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.runtime import NOT_STARTED

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("package", "executable", "reason"),
    [
        ("embodiment_bridge", "mock_boddy", "unknown executable of embodiment_bridge 'mock_boddy'"),
        ("turtlesim", "turtlesim_node", "node of package 'turtlesim'"),
    ],
)
def test_nodes_of_others(package: str, executable: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(f'<launch>\n\n<node pkg="{package}" exec="{executable}"/>\n</launch>\n')
    plan = read_launch(file, {}, find_share=lambda name: tmp_path, environment={})
    with pytest.raises(ConfigError) as refused, Graph(plan, lambda line: None):
        pass
    assert str(refused.value).startswith(f"{file}:3: <node>: {reason}")


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ('cmd="no_such_program"', "program 'no_such_program' is not installed"),
        ('cmd="sleep 1" cwd="/no/such/folder"', "sleep 1: cannot be started: "),
        ('cmd="sleep 1" name="{long}"', "sleep 1: cannot be started: "),
    ],
)
def test_programs_that_cannot_be_started(attributes: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(f"<launch>\n<executable {attributes.format(long='x' * 300)}/>\n</launch>\n")
    plan = read_launch(file, {}, find_share=lambda name: ROOT, environment=os.environ)
    with pytest.raises(ConfigError) as refused, Graph(plan, lambda line: None):
        pass
    assert str(refused.value).startswith(f"{file}:2: {reason}")


NODE = (
    '<launch>\n<node pkg="embodiment_bridge" exec="{0}" name="it">\n'
    '<param name="body_file" value="{1}"/>\n</node>\n</launch>'
)


@pytest.mark.parametrize(
    "executable", ["mock_body", "joint_driver"]
)  # in this process, and in one of its own
def test_a_node_that_cannot_be_configured_ends_all(executable: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(NODE.format(executable, "/no/such.yaml"))
    plan = read_launch(file, {}, find_share=lambda name: ROOT, environment=os.environ)
    told: list[str] = []
    deadline = time.monotonic() + PROCESS
    with Graph(plan, told.append) as graph:
        graph.spin(lambda: time.monotonic() > deadline)
        assert graph.failed
    assert graph.exit_code == NOT_STARTED
    assert any("it did not start" in line for line in told), told
    if executable == "mock_body":
        assert "not configured: " in told[-1]


def test_the_others_go_on_where_that_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(NODE.format("mock_body", "/no/such.yaml"))
    plan = read_launch(file, {}, find_share=lambda name: ROOT, environment=os.environ)
    with Graph(plan, lambda line: None, keep_going=True) as graph:
        graph.spin(lambda: any(node.not_started for node in graph._nodes))
        turns: list[int] = []
        graph.spin(lambda: turns.append(1) or len(turns) > 3)
    assert len(turns) > 3
    assert graph.exit_code == 0
