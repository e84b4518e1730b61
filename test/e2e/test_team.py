# SPDX-License-Identifier: Apache-2.0
"""Seven players of one team in one process, each in its own namespace, on the real server."""

import json
import math
import os
import shutil
from pathlib import Path

import pytest
from real_server import free_ports
from tf2_msgs.msg import TFMessage
from waiting import PROCESS, spin_until

from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree.bml_client import BmlClient
from embodiment_bridge.standins.simspark.server import SimsparkServer
from embodiment_bridge.standins.simspark.world import BALL_RADIUS, FIELD_LENGTH, FIELD_WIDTH, GOAL_WIDTH

ROOT = Path(__file__).parents[2]
PLAYERS = 7
CENTRE_CIRCLE = 2.0  # m, radius, of rcssserver3d


def plan(**arguments: str):
    return read_launch(
        ROOT / "launch/team.launch.xml", arguments, find_share=lambda package: ROOT, environment=os.environ
    )


def test_seven_players_join_and_each_obeys_its_own_brain() -> None:
    port, monitor_port = map(str, free_ports())
    told: list[str] = []
    arguments = {
        "players": str(PLAYERS), "start_peer": "true", "use_sim_time": "true", "team": "seven", "port": port,
        "monitor_port": monitor_port,
    }  # fmt: skip
    with Graph(plan(**arguments), told.append) as graph:
        namespaces = [f"/seven/player{number}" for number in range(1, PLAYERS + 1)]
        watchers = [
            graph.runtime.add(Watcher(context=graph.runtime.context, namespace=name)) for name in namespaces
        ]
        frames: set[str] = set()
        watchers[0].create_subscription(
            TFMessage,
            "/tf",
            lambda m: frames.update(t.child_frame_id for t in m.transforms),
            profile("events"),
        )

        def all_until(condition) -> None:
            spin_until(
                graph, condition, lambda: (told, [(w.link, w.reason) for w in watchers]), patience=PROCESS
            )

        all_until(lambda: all(w.link == "ready" and w.posture == "standing" for w in watchers))
        all_until(lambda: len({(w.x, w.y) for w in watchers}) == PLAYERS)  # all know where they are
        clients = [BmlClient(watchers[index], lambda feedback: None) for index in (0, 6)]
        all_until(lambda: all(client.server_is_there for client in clients))
        for watcher in watchers:
            watcher.mark()
        actions = (
            {"type": "body", "action": "STEP_FORWARD", "repeat": 3},
            {"type": "body", "action": "TURN_LEFT"},
        )
        for client, action in zip(clients, actions, strict=True):
            client.send(json.dumps({"type": "sequence", "behaviors": [action]}), source="test")
        all_until(lambda: all(client.result is not None for client in clients))
        ends = [(client.result.outcome, client.result.reason) for client in clients]
        assert [outcome for outcome, _ in ends] == ["SUCCEEDED", "SUCCEEDED"], ends
        assert watchers[0].distance > 0.15
        assert watchers[6].turned > 0.1
        assert all(watcher.distance < 0.1 for watcher in watchers[1:6])
        all_until(lambda: all(watcher.posture == "standing" for watcher in watchers))
        all_until(lambda: {f"seven/player{number}/base_link" for number in range(1, PLAYERS + 1)} <= frames)
        for client in clients:
            client.destroy()


def test_eleven_players_join_a_server_that_was_started_for_them() -> None:
    port, monitor_port = map(str, free_ports())
    arguments = {
        "players": "11", "robot": "ant", "start_peer": "true", "realtime": "false", "team": "eleven", "port": port,
        "monitor_port": monitor_port,
    }  # fmt: skip
    told: list[str] = []
    with Graph(plan(**arguments), told.append) as graph:
        watchers = [
            graph.runtime.add(Watcher(context=graph.runtime.context, namespace=f"/eleven/player{number}"))
            for number in range(1, 12)
        ]
        spin_until(
            graph,
            lambda: all(w.link == "ready" for w in watchers),
            lambda: (told, [(w.link, w.reason) for w in watchers]),
            patience=PROCESS,
        )


@pytest.mark.parametrize(
    "begin",
    [(13.0, 0.3), pytest.param(None, marks=pytest.mark.soak)],
    ids=["before the goal", "from kick-off"],
)
def test_a_nao_that_plays_alone_scores(begin, tmp_path) -> None:
    documents = tmp_path / "documents"
    shutil.copytree(ROOT / "config/bml/team", documents)
    shutil.copy(documents / "4_simspark.json", documents / "1.json")  # else it would be the keeper
    told: list[str] = []
    with SimsparkServer(sync=True, realtime=False) as server:
        arguments = {
            "body": "simspark", "team": "alone", "players": "1", "play": "true", "documents": str(documents),
            "port": str(server.port),
        }  # fmt: skip
        world = server.world

        def lined_up() -> bool:
            with server.lock:
                return bool(world.players) and math.dist(world.players[0].place[:2], (-3.5, 0.0)) < 0.2

        def scored() -> bool:
            with server.lock:
                return world.ball.place[0] > FIELD_LENGTH / 2

        with Graph(plan(**arguments), told.append) as graph:
            spin_until(graph, lined_up, lambda: told, patience=PROCESS)
            with server.lock:
                world.game.play_mode = "PlayOn"
                if begin:
                    world.players[0].put((begin[0] - 1.0, begin[1], 0.36), 0.0)
                    world.ball.place = (*begin, BALL_RADIUS)
            spin_until(graph, scored, lambda: (told, world.ball, world.players[0].place), patience=PROCESS)
            assert abs(world.ball.place[1]) < GOAL_WIDTH / 2


def test_the_places_of_simspark_are_on_its_field() -> None:
    found = plan(players="11", body="simspark", play="true")
    values = [group for node in found.nodes for group in node.parameters if isinstance(group, dict)]
    files = [Path(group["start_file"]) for group in values if "start_file" in group]
    assert len(files) == 11
    for file in files:
        args = json.loads(file.read_text())["args"]
        assert -FIELD_LENGTH / 2 < args["x"] < 0.0
        assert abs(args.get("y", 0.0)) < FIELD_WIDTH / 2
        assert math.hypot(args["x"], args.get("y", 0.0)) > CENTRE_CIRCLE


def test_players_are_numbered_and_only_the_first_has_the_clock() -> None:
    found = plan(players="11", use_sim_time="true", body="simspark", start_peer="true")
    bodies = [node for node in found.nodes if node.executable == "agent_bridge"]
    values = [
        {k: v for group in node.parameters if isinstance(group, dict) for k, v in group.items()}
        for node in bodies
    ]
    assert [one["number"] for one in values] == list(range(1, 12))
    assert [one["publish_clock"] for one in values] == [True] + [False] * 10
    assert len({node.namespace for node in bodies}) == 11
    assert len(found.executables) == 1
