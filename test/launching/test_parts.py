# SPDX-License-Identifier: Apache-2.0
"""`up --processes N`: which process runs which robots."""

from pathlib import Path

import pytest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.launch_description import LaunchDescription
from embodiment_bridge.launching.parts import other_parts, part_of
from embodiment_bridge.launching.read import read_launch

ROOT = Path(__file__).parents[2]
TEAM = ROOT / "launch/team.launch.xml"


def team(**arguments: str) -> LaunchDescription:
    return read_launch(TEAM, arguments, find_share=lambda name: ROOT, environment={})


def names(description: LaunchDescription) -> list[str]:
    return sorted(node.full_name or node.executable for node in description.nodes)


def test_robots_are_shared_out_and_none_is_twice() -> None:
    whole = team(players="5", viewer="true", start_peer="true")
    parts = [part_of(whole, part, 2) for part in range(2)]
    assert sorted(names(parts[0]) + names(parts[1])) == names(whole)
    spaces = [{node.namespace for node in part.nodes} for part in parts]
    assert spaces[0] == {"/bridge", "/bridge/player1", "/bridge/player3", "/bridge/player5"}
    assert spaces[1] == {"/bridge/player2", "/bridge/player4"}
    assert [len(part.executables) for part in parts] == [1, 0]


def test_one_process_runs_everything() -> None:
    whole = team(players="2")
    assert part_of(whole, 0, 1) == whole
    assert other_parts(["a.launch.xml"], 1, 77) == ()


def test_the_other_processes_run_the_same_file() -> None:
    (second, third) = other_parts(["a.launch.xml", "players:=5"], 3, 77)
    assert second.cmd[:4] == ("embodiment_bridge", "up", "a.launch.xml", "players:=5")
    assert second.cmd[4:] == ("--processes", "3", "--part", "1", "--end-with", "77")
    assert third.name == "process 3 of 3"


@pytest.mark.parametrize("parts", [0, -1, 3])
def test_no_process_is_without_a_robot(parts: int) -> None:
    with pytest.raises(ConfigError, match=f"--processes is {parts}: possible is 1 to 2"):
        part_of(team(players="2"), 0, parts)


def test_a_shared_world_is_in_one_process() -> None:
    with pytest.raises(ConfigError, match="a world with transport managed is in one"):
        part_of(team(players="2", transport="managed"), 0, 2)
