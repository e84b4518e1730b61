# SPDX-License-Identifier: Apache-2.0
"""A whole team: which types of robots a server lets in, and that the launch files ask for such."""

from collections import Counter
from pathlib import Path

import pytest
from nao_stage import Nao

from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.protocols.simspark.robots import ROBOTS, types_fit
from embodiment_bridge.standins.simspark.world import CYCLE_S, World

ROOT = Path(__file__).parents[3]
PLAYERS = range(1, 12)


@pytest.mark.parametrize(
    ("types", "fit"),
    [
        ([], True),
        ([0] * 7, True),
        ([0] * 8, False),
        ([0] * 7 + [1] * 2, True),
        ([0] * 7 + [1] * 3, False),
        ([0] * 5 + [1] * 5, False),
        ([0] * 7 + [1] * 2 + [4] * 2, True),
    ],
)
def test_types_of_a_team(types, fit):
    assert types_fit(types) is fit


def test_stand_in_lets_in_7_of_a_type_and_moves_others_out_of_the_way():
    world = World(noise=False)
    players = [world.add(ROBOTS["nao"].scene) for _ in PLAYERS]
    joined = [world.join(player, "a", number) for number, player in zip(PLAYERS, players, strict=True)]
    assert joined == [True] * 7 + [False] * 4
    assert players[10].place == (0.0, 0.0, 10.0)
    assert world.join(players[10], "b", 11)  # the other team has room
    toed = world.add(ROBOTS["nao4"].scene)
    assert world.join(toed, "a", 8)


def parameters(node):
    return {
        name: value for entry in node.parameters if isinstance(entry, dict) for name, value in entry.items()
    }


@pytest.mark.parametrize("robot", ["auto", "nao3"])
def test_launch_file_starts_a_team_that_a_server_lets_in(robot):
    plan = read_launch(
        ROOT / "launch/team.launch.xml",
        {"body": "simspark", "players": "11", "robot": robot},
        find_share=lambda _: ROOT,
        environment={},
    )
    bodies = {}
    for node in plan.nodes:
        if node.executable == "agent_bridge":
            found = parameters(node)
            bodies[found["number"]] = found
    assert sorted(bodies) == list(PLAYERS)
    robots = [ROBOTS[bodies[number]["robot"]] for number in PLAYERS]
    assert types_fit(robot.type for robot in robots) is (robot == "auto")
    if robot == "auto":
        assert Counter(robot.name for robot in robots) == {"nao": 7, "nao2": 2, "nao4": 2}
    for number, found in bodies.items():
        model = "nao_toe" if found["robot"] == "nao4" else "nao"
        assert Path(found["body_file"]).stem == model, number


def joined(start_pose: str, seconds: float) -> list[Nao]:
    """Eleven robots that appear at once, so many s later."""
    world = World(noise=False)
    robots = ["nao"] * 7 + ["nao2"] * 2 + ["nao4"] * 2
    team = [
        Nao(
            world,
            number=number,
            robot=robot,
            body="nao_toe.yaml" if robot == "nao4" else "nao.yaml",
            start_pose=start_pose,
        )
        for number, robot in zip(PLAYERS, robots, strict=True)
    ]
    for _ in range(round(seconds / CYCLE_S)):
        world.step()
        for nao in team:
            nao.percept()
    assert [world.player("left", number) for number in PLAYERS] == world.players
    return team


def test_whole_team_joins_and_stands_in_its_line_up():
    assert {nao.runner.status for nao in joined("line_up", 4.0)} == {"standing"}


def test_those_who_appear_in_one_place_push_each_other_over_as_on_the_real_server():
    assert "fallen" in {nao.runner.status for nao in joined("server", 2.0)}
