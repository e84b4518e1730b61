# SPDX-License-Identifier: Apache-2.0
"""`up` makes one node after the other: a body moves while the libraries of the next node are still loading."""

import os
import time
from pathlib import Path

import pytest
from waiting import PROCESS

from embodiment_bridge.launching import executables
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.bridge_node import BridgeNode

LAUNCH = """<launch>
<node pkg="embodiment_bridge" exec="first" name="first"/>
<node pkg="embodiment_bridge" exec="second" name="second"/>
</launch>"""


def test_a_node_has_begun_when_the_next_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mine.launch.xml"
    file.write_text(LAUNCH)
    made: list[BridgeNode] = []
    active_before: list[list[bool]] = []

    def make(**node_kwargs: object) -> BridgeNode:
        active_before.append([node.active for node in made])
        made.append(BridgeNode(f"node{len(made)}", (), **node_kwargs))
        return made[-1]

    monkeypatch.setattr(executables, "EXECUTABLES", {"first": make, "second": make})
    plan = read_launch(file, {}, find_share=lambda name: tmp_path, environment=os.environ)
    with Graph(plan, lambda line: None):
        assert active_before == [[], [True]]
        assert [node.begun for node in made] == [True, True]


def test_a_program_has_the_environment_of_its_place_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, told = tmp_path / "mine.launch.xml", tmp_path / "told"
    file.write_text(
        f"""<launch><executable cmd="sh -c 'env > {told}.part; mv {told}.part {told}; sleep 60'"/>
<set_env name="OF_THE_NODES" value="5"/><node pkg="embodiment_bridge" exec="only" name="only"/></launch>"""
    )
    monkeypatch.setenv("OF_THE_NODES", "before")
    only = {"only": lambda **node_kwargs: BridgeNode("only", (), **node_kwargs)}
    monkeypatch.setattr(executables, "EXECUTABLES", only)
    monkeypatch.chdir(tmp_path)
    plan = read_launch(file, {}, find_share=lambda name: tmp_path, environment=os.environ)
    deadline = time.monotonic() + PROCESS
    with Graph(plan, lambda line: None) as graph:
        graph.spin(lambda: told.exists() or time.monotonic() > deadline)
        assert os.environ["OF_THE_NODES"] == "5"
    lines = told.read_text().splitlines()
    assert "OF_THE_NODES=before" in lines
    assert f"PWD={tmp_path}" in lines
