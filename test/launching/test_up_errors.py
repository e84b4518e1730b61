# SPDX-License-Identifier: Apache-2.0
"""Nodes that one process cannot run are refused with file and line, before anything is started."""

from pathlib import Path

import pytest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph


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
