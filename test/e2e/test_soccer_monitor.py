# SPDX-License-Identifier: Apache-2.0
"""The soccer monitor on the real RoboCup MuJoCo server with two T1s in it, and on logs."""

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from embodiment_bridge.msg import EntityArray, Foul, GameState, LinkState, SceneGraph, SoccerField
from embodiment_bridge.srv import (
    AgentCommand,
    KickOff,
    PlaceThing,
    PlayLog,
    SetGame,
    SetPlayMode,
    TrainAgent,
    TrainBall,
)
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from graph_stage import Stage
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.launching.executables import soccer_monitor
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.standins.simspark.server import SimsparkServer
from embodiment_bridge.wire.framing import Framer

DATA = Path(__file__).parents[1] / "data"
LATCHED = {"field": SoccerField, "scene_graph": SceneGraph, "game_state": GameState, "link_state": LinkState}
OTHERS = {"entities": EntityArray, "fouls": Foul, "markers": MarkerArray, "ball/pose": PoseStamped}
QUIET = {"publish_clock": False, "use_sim_time": False}


class Watched(Stage):
    """A monitor node, and somebody who listens to it."""

    def __init__(self, runtime: Any, **parameters: Any) -> None:
        super().__init__(runtime, "/monitor")
        self.node = self.add(soccer_monitor, **parameters)
        self.counts: Counter[str] = Counter()
        self.hear({name: (kind, "latched") for name, kind in LATCHED.items()})
        self.hear({name: (kind, "state") for name, kind in OTHERS.items()} | {"/tf": (TFMessage, "events")})

    def hear(self, topics: Mapping[str, tuple[Any, str]]) -> None:
        self.listen(topics, lambda topic, _: self.counts.update([topic]))

    def entity(self, name: str) -> Any:
        found = self.last.get("entities")
        return next((e for e in found.entities if e.id == name), None) if found else None

    def place(self, name: str) -> tuple[float, float, float]:
        entity = self.entity(name)
        assert entity is not None, name
        return entity.pose.position.x, entity.pose.position.y, entity.pose.position.z

    def yaw(self, name: str) -> float:
        turn = self.entity(name).pose.orientation
        return rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))[2]


@pytest.fixture
def game(server, robots, tmp_path):
    """Two T1s of two teams on the real server, and the monitor."""
    left = robots(server, team="blue", number=1)
    left.until(lambda: left.watcher.link == "ready")
    right = robots(server, team="red", number=3, **QUIET)
    right.until(lambda: right.watcher.link == "ready")
    return Watched(
        left.runtime,
        protocol="rcsssmj_monitor",
        port=server.monitor_port,
        frame_prefix="seen/",
        recording=str(tmp_path / "game.log.gz"),
    )


ON_ITS_BACK = Pose(
    position=Point(x=6.0, y=-4.0, z=0.3),
    orientation=Quaternion(x=0.0, y=-math.sqrt(0.5), z=0.0, w=math.sqrt(0.5)),
)


def near(place: Any, x: float, y: float, within: float = 0.3) -> bool:
    return math.hypot(place[0] - x, place[1] - y) < within


def test_game_on_the_real_server_is_told_and_trained(game) -> None:
    game.until(lambda: game.entity("player_left_1") is not None and game.entity("player_right_3") is not None)
    assert near(game.place("ball"), 0.0, 0.0)
    assert near(game.place("player_left_1"), -3.0, 21.0)
    assert game.yaw("player_left_1") == pytest.approx(-math.pi / 2, abs=0.2)
    names = {item.key: item.value for item in game.entity("player_right_3").properties}
    assert names == {"team": "red", "number": "3", "side": "right"}

    game.until(lambda: {"field", "scene_graph", "game_state", "markers", "/tf"} <= game.last.keys())
    game.until(lambda: game.last["game_state"].team_right == "red")
    field = game.last["field"]
    assert (field.length, field.width, field.goal_width, field.goal_depth) == (55.0, 36.0, 3.66, 1.0)
    assert math.isnan(field.agent_radius)
    assert field.play_modes[3] == "PlayOn"
    state = game.last["game_state"]
    assert (state.play_mode, state.team_left, state.team_right, state.half) == (
        "BeforeKickOff", "blue", "red", 1
    )  # fmt: skip
    words = [["ball"], ["agent", "blue", "1"], ["agent", "red", "3"]]
    game.until(lambda: [node.words for node in game.last["scene_graph"].nodes if node.words] == words)
    game.until(lambda: "seen/right_3" in {t.child_frame_id for t in game.last["/tf"].transforms})
    assert game.last["entities"].header.frame_id == "seen/map"

    answer = game.call(TrainBall, "train_ball", set_position=True, position=Point(x=2.0, y=-3.0, z=0.2))
    assert (answer.success, answer.message) == (True, "")
    game.until(lambda: near(game.place("ball"), 2.0, -3.0))
    answer = game.call(
        TrainAgent, "train_agent", side="left", number=1, set_position=True,
        position=Point(x=-5.0, y=1.0, z=0.7), set_yaw=True, yaw=0.5 * math.pi,
    )  # fmt: skip
    assert answer.success, answer.message
    game.until(lambda: near(game.place("player_left_1"), -5.0, 1.0, 0.5))
    assert game.call(PlaceThing, "place_thing", name="player_red_3", pose=ON_ITS_BACK).success
    game.until(
        lambda: near(game.place("player_right_3"), 6.0, -4.0, 1.0) and game.place("player_right_3")[2] < 0.4
    )
    assert game.yaw("player_left_1") == pytest.approx(math.pi / 2, abs=0.3)
    assert game.call(KickOff, "kick_off", side="right").success
    game.until(lambda: game.last["game_state"].play_mode == "KickOff_Right")
    assert game.call(Trigger, "drop_ball").success
    game.until(lambda: game.last["game_state"].play_mode == "PlayOn")

    answer = game.call(SetPlayMode, "set_play_mode", play_mode="PlayOn")
    assert not answer.success
    assert "does nothing" in answer.message
    assert answer.play_modes == field.play_modes
    assert "ignores" in game.call(Trigger, "request_full_state").message
    answer = game.call(TrainBall, "train_ball", set_velocity=True, velocity=Vector3(x=1.0))
    assert not answer.success
    assert "without a position" in answer.message
    assert game.node._model.mismatches == 0
    assert game.node._session.counters.malformed == 0


def test_game_that_is_watched_can_be_played_afterwards(game, watch, tmp_path) -> None:
    game.until(lambda: game.counts.get("entities", 0) > 50)
    game.node.trigger_deactivate()
    again = watch(
        protocol="rcsssmj_monitor",
        transport="replay",
        recording=str(tmp_path / "game.log.gz"),
        replay_speed=4.0,
    )
    again.until(lambda: again.entity("player_right_3") is not None and "game_state" in again.last)
    assert again.last["game_state"].team_left == "blue"
    assert again.node._session.counters.malformed == 0


def test_server_outlives_a_monitor_that_comes_and_goes(game) -> None:
    game.until(lambda: game.entity("ball") is not None)
    for _ in range(3):
        game.node.trigger_deactivate()
        before = game.counts["entities"]
        game.node.trigger_activate()
        game.until(lambda before=before: game.counts["entities"] > before + 5)
    game.until(lambda: game.last["link_state"].state == LinkState.READY)


STAND_IN = {"protocol": "simspark_monitor"}


@pytest.fixture
def watch():
    """Makes a monitor: ``watch(**parameters)``."""
    with Runtime() as runtime:
        yield lambda **parameters: Watched(runtime, **parameters)


def test_game_on_the_simspark_stand_in_is_told_and_trained(watch) -> None:
    with SimsparkServer(noise=False) as server:
        with server.lock:
            player = server.world.add("rsg/agent/nao/nao.rsg")
            server.world.join(player, "alpha", 4)
        game = watch(**STAND_IN, port=server.monitor_port)
        game.until(lambda: game.entity("player_left_4") is not None and LATCHED.keys() <= game.last.keys())
        game.hear({"players/left_4/pose": (PoseStamped, "state")})
        answer = game.call(SetPlayMode, "set_play_mode", play_mode="playon")
        assert not answer.success
        assert "did you mean 'PlayOn'?" in answer.message
        assert len(answer.play_modes) == 21
        assert game.call(SetPlayMode, "set_play_mode", play_mode="PlayOn").success
        game.until(lambda: game.last["game_state"].play_mode == "PlayOn")
        assert game.call(
            TrainAgent, "train_agent", side="left", number=4, set_position=True, position=Point(x=3.0, y=-2.0, z=0.4),
            set_yaw=True, yaw=0.5,
        ).success  # fmt: skip
        game.until(
            lambda: near(game.place("player_left_4"), 3.0, -2.0) and "players/left_4/pose" in game.last
        )
        assert game.yaw("player_left_4") == pytest.approx(0.5, abs=0.02)
        assert game.call(SetGame, "set_game", set_score=True, score_left=2, score_right=1).success
        game.until(
            lambda: (game.last["game_state"].score_left, game.last["game_state"].score_right) == (2, 1)
        )
        scenes = game.counts["scene_graph"]
        assert game.call(AgentCommand, "kill_agent", side="left", number=4).success
        game.until(lambda: game.entity("player_left_4") is None and game.counts["scene_graph"] > scenes)
        assert game.call(Trigger, "kill_simulator").success
        game.until(lambda: game.last["link_state"].state == LinkState.BACKOFF)
        assert "not there" in game.call(Trigger, "drop_ball").message


def test_messages_that_are_lost_are_asked_for_again(watch) -> None:
    with SimsparkServer(noise=False, lost=0.5, seed=3) as server:
        game = watch(**STAND_IN, port=server.monitor_port)
        game.until(lambda: game.entity("ball") is not None)
        for number in range(1, 12):
            with server.lock:
                server.world.join(server.world.add("rsg/agent/nao/nao.rsg"), "alpha", number)
            before = game.counts["entities"]
            game.until(lambda before=before: game.counts["entities"] > before + 3)
            if game.node._model.mismatches:
                break
        assert game.node._model.mismatches > 0
        game.until(lambda: game.node._model.in_step and game.entity("player_left_1") is not None)


@pytest.mark.parametrize(
    ("protocol", "stream"),
    [
        ("simspark_monitor", "simspark_monitor/short_monitor.bin"),
        ("rcsssmj_monitor", "rcsssmj_monitor/short_monitor_rsmp.bin"),
    ],
)
def test_log_is_played_paused_and_sought(watch, tmp_path, protocol, stream) -> None:
    messages = [found.payload for found in Framer().feed((DATA / stream).read_bytes())]
    log = tmp_path / "monitor.log"
    log.write_bytes(b"".join(message + b"\n" for message in messages))
    game = watch(protocol=protocol, transport="replay", recording=str(log), replay_speed=5.0)
    game.until(lambda: game.last.get("link_state") is not None)
    answer = game.call(PlayLog, "play_log", seek=True)
    assert (answer.success, answer.paused, answer.speed) == (True, False, 5.0)
    counters = game.node._session.counters
    game.until(lambda: counters.events >= len(messages) and game.counts.get("entities", 0) > 5)
    game.until(lambda: game.call(PlayLog, "play_log").time == answer.duration)
    assert counters.malformed == 0
    before = game.counts["entities"]
    answer = game.call(
        PlayLog, "play_log", action=PlayLog.Request.PAUSE, set_speed=True, speed=2.0, seek=True, time=0.0
    )
    assert (answer.success, answer.paused, answer.speed, answer.time) == (True, True, 2.0, 0.0)
    game.until(lambda: game.counts["entities"] > before)  # the first message parses, and is shown
    assert game.call(PlayLog, "play_log", action=PlayLog.Request.RESUME).success
    game.until(lambda: game.counts["entities"] >= before + 10)
    answer = game.call(PlayLog, "play_log", set_speed=True, speed=-1.0)
    assert not answer.success
    assert "speed is -1" in answer.message
    assert "takes no commands" in game.call(Trigger, "drop_ball").message


def test_log_that_is_not_there_is_named(watch, tmp_path, capfd) -> None:
    game = watch(**STAND_IN, transport="replay", recording=str(tmp_path / "nothing.log"))
    error = ""

    def told() -> bool:
        nonlocal error
        error += capfd.readouterr().err
        return "nothing.log" in error

    game.until(told)
    assert "not configured" in error


def test_fouls_of_both_forms_are_told(watch, tmp_path) -> None:
    log = tmp_path / "monitor.log"
    head = "((play_modes A B)(time 0)(team_left red)(team_right blue)"
    lines = [f"{head})(RSG 0 1)((nd))", *["((time 1)(foul 7 3 1 4)(foul 2 2 9))(RDS 0 1)((nd))"] * 3]
    log.write_text("\n".join(lines), encoding="ascii")
    game = watch(**STAND_IN, transport="replay", recording=str(log))
    fouls = []
    game.listener.create_subscription(Foul, "fouls", fouls.append, profile("events"))
    game.until(lambda: "link_state" in game.last)
    game.call(PlayLog, "play_log", seek=True)
    game.until(lambda: len(fouls) > 1)
    told = [(foul.index, foul.name, foul.side, foul.team, foul.number) for foul in fouls[:2]]
    assert told == [(7, "illegal_attack", "left", "red", 4), (-1, "illegal_defence", "right", "blue", 9)]


def test_node_can_be_cleaned_up_and_configured_for_another_server(watch) -> None:
    with SimsparkServer(noise=False) as server:
        game = watch(**STAND_IN, port=server.monitor_port)
        game.until(lambda: game.entity("ball") is not None)
        node = game.node
        node.trigger_deactivate()
        node.trigger_cleanup()
        node.set_parameters(
            [
                Parameter("protocol", value="rcsssmj_monitor"),
                Parameter("transport", value="replay"),
                Parameter("recording", value=str(DATA / "rcsssmj_monitor/short_monitor_rsmp.bin")),
            ]
        )
        game.last.clear()
        node.trigger_configure()
        node.trigger_activate()
        game.until(lambda: game.entity("player_left_1") is not None and "field" in game.last)
        assert game.last["field"].length == 55.0
