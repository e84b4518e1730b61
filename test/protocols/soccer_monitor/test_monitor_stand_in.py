# SPDX-License-Identifier: Apache-2.0
"""The stand-in's monitor port: what it sends is of the protocol, and what it shows is its world."""

import math
import socket
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from monitor_stage import SHORT, payloads

from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.soccer_monitor import commands as c
from embodiment_bridge.protocols.soccer_monitor.messages import Things
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel
from embodiment_bridge.standins.simspark.agents import Faults
from embodiment_bridge.standins.simspark.monitors import MonitorConversation
from embodiment_bridge.standins.simspark.orders import Trainer
from embodiment_bridge.standins.simspark.server import SimsparkServer
from embodiment_bridge.standins.simspark.world import World
from embodiment_bridge.wire.codec import Malformed, Unknown
from embodiment_bridge.wire.framing import Framer, frame

NAO = "rsg/agent/nao/nao.rsg"


class Stage:
    """A world with a monitor and a trainer in it, without sockets."""

    def __init__(self, **faults):
        self.world = World(noise=False)
        self.ended = []
        self.trainer = Trainer(self.world, lambda: self.ended.append(True))
        self.port = MonitorConversation(self.world, self.trainer, Faults(**faults), self.world.random)
        self.codec = registry.codec("simspark_monitor")
        self.model = MonitorModel(can_ask=True)
        self.events = []

    def run(self, cycles=2):
        for _ in range(cycles):
            self.world.step()
            text = self.port.message()
            for event in self.codec.feed(frame(text.encode())) if text else ():
                self.events.append(event)
                for wanted in self.model.take(event):
                    self.port.hear(self.codec.encode(wanted)[4:])

    def tell(self, *commands):
        for command in commands:
            self.port.hear(self.codec.encode(command)[4:])
        self.run(4)

    def add(self, side, number):
        player = self.world.add(NAO)
        self.world.join(player, {"left": "alpha", "right": "beta"}[side], number)
        self.run(30)
        return player

    def things(self):
        model = self.model
        return {thing.name: thing for thing in Things(model.game).look(model.graph, model.objects, 0.04)}


def test_world_is_shown_as_it_is():
    stage = Stage()
    stage.run()
    stage.add("left", 1)
    player = stage.add("right", 7)
    assert stage.model.in_step
    assert stage.model.mismatches == 0
    seen = stage.things()
    assert set(seen) == {"ball", "left_1", "right_7"}
    assert seen["right_7"].position == pytest.approx(player.place, abs=0.02)
    assert abs(rpy_from_quaternion(seen["right_7"].orientation)[2]) == pytest.approx(math.pi, abs=0.02)
    assert stage.model.game.team("left") == "alpha"


def test_every_part_is_shown_where_it_is():
    stage = Stage()
    player = stage.add("left", 1)
    player.drive("rae1", 1.0)
    stage.run(60)
    worlds = stage.model.graph.worlds()
    group = stage.model.objects.players[0].group
    shown = [n for n in stage.model.graph.below(group) if stage.model.graph.parents[n] == group]
    parts = player.parts_in_world()
    assert len(shown) == len(parts) == 23
    for node, pose in zip(shown, parts.values(), strict=True):
        assert worlds[node, 3, :3].tolist() == pytest.approx(pose.place, abs=0.02)


def recorded_nodes(player_line):
    """Type, mesh and materials of each node of a robot that was recorded."""
    model = MonitorModel(can_ask=False)
    for event in registry.codec("simspark_monitor").feed(SHORT["simspark_monitor"].read_bytes()):
        model.take(event)
        if len(model.objects.players) == 1:
            break
    return nodes_of(model)


def nodes_of(model):
    group = model.objects.players[0].group
    return [
        (model.graph.depths[n], d.type, d.mesh, d.parameters, d.scale, d.visible, d.transparent, d.materials)
        for n in model.graph.below(group)
        for d in [model.graph.details.get(n)]
        if d is not None
    ]


def test_robot_is_described_as_the_recorded_one():
    stage = Stage()
    player = stage.world.add("rsg/agent/nao/nao.rsg")
    stage.world.join(player, "alpha", 1)
    stage.run()
    assert nodes_of(stage.model) == recorded_nodes(0)


def test_trainer_commands_are_obeyed():
    stage = Stage()
    one, two = stage.add("left", 1), stage.add("right", 2)
    stage.tell(c.PlayMode("PlayOn"), c.Ball((1.0, 2.0, 0.5), (0.0, 1.0, 0.0)))
    assert stage.model.game.play_mode == "PlayOn"
    assert stage.things()["ball"].position[1] > 2.0
    stage.tell(c.Agent(1, "Left", pos=(-2.0, 1.0, 0.4)))
    assert stage.things()["left_1"].position[:2] == pytest.approx((-2.0, 1.0), abs=0.01)
    stage.tell(c.Agent(1, "Left", move=(-2.0, 2.0, 0.4, 90.0)))
    assert abs(rpy_from_quaternion(stage.things()["left_1"].orientation)[2]) == pytest.approx(
        math.pi, abs=0.01
    )
    stage.tell(c.Score(2, 1), c.Time(12.0))
    assert (stage.model.game.state.score_left, stage.model.game.state.score_right) == (2, 1)
    assert stage.model.game.state.time_s == pytest.approx(12.0, abs=0.2)
    stage.tell(c.KickOff("Left"))
    assert stage.model.game.play_mode == "KickOff_Left"
    stage.tell(c.DropBall())
    assert stage.model.game.play_mode == "PlayOn"
    stage.tell(c.Select(2, "Right"))
    assert stage.trainer.selected is two
    assert any(d.visible and d.materials == ("matSelect",) for d in stage.model.graph.details.values())
    stage.tell(c.Select())
    assert stage.trainer.selected is one
    stage.tell(c.Select(-1))
    assert stage.trainer.selected is None
    stage.tell(c.Repos(2, "Right"))
    assert stage.things()["right_2"].position[:2] == pytest.approx((3.0, -10.5), abs=0.01)
    stage.tell(c.Select(1, "Left"), c.Kill())
    assert one.frozen
    assert set(stage.things()) == {"ball", "right_2"}
    whole = sum(event.scene.full for event in stage.events)
    stage.tell(c.RequestFullState())
    assert sum(event.scene.full for event in stage.events) == whole + 1
    stage.tell(c.KillSim())
    assert stage.ended


@pytest.mark.parametrize(
    "text",
    [
        "(((", "ball", "(ball (pos a b c))", "(agent)", "(nosuch)", "((ball (pos 0 0 5))(getAck x))", "(kickOff left)",
        "(playMode BadMode)", "(agent (unum 9)(team Left)(pos 0 0 1))", "(agent (unum 1)(team alpha)(pos 0 0 1))",
        "(ball (pos nan 0 0))", "(agent (unum 1e99)(team Left))", "(score (left 1))", "(time -1)", "(select (unum x))",
    ],
)  # fmt: skip
def test_bad_commands_do_nothing(text):
    stage = Stage()
    player = stage.add("left", 1)
    before = (
        player.place,
        stage.world.ball.place,
        stage.world.game.play_mode,
        stage.world.game.scores.copy(),
    )
    stage.port.hear(text.encode())
    assert (
        player.place,
        stage.world.ball.place,
        stage.world.game.play_mode,
        stage.world.game.scores,
    ) == before


def test_lost_messages_are_noticed_and_everything_is_asked_for():
    stage = Stage(lost=0.3)
    stage.run(10)
    for number in range(1, 5):
        stage.add("left", number)
    stage.run(100)
    stage.port._faults = Faults()
    stage.run(20)
    assert stage.model.in_step
    assert len(stage.things()) == 5


def test_unknown_lists_and_nan_are_taken():
    stage = Stage(unknown=0.5, nan=0.5)
    stage.add("left", 1)
    assert any(isinstance(event, Unknown) for event in stage.events)
    assert not any(isinstance(event, Malformed) for event in stage.events)
    assert any(
        "nan" in repr(event.scene.matrices) for event in stage.events if not isinstance(event, Unknown)
    )


@given(data=st.binary(max_size=80))
def test_any_bytes_from_a_trainer_are_survived(data):
    stage = Stage()
    stage.add("left", 1)
    stage.port.hear(data)
    stage.run()
    assert stage.model.in_step


def test_recording_is_played_to_every_monitor():
    expected = payloads(SHORT["simspark_monitor"])
    with (
        SimsparkServer(monitor_recording=str(SHORT["simspark_monitor"])) as server,
        socket.create_connection((server.host, server.monitor_port), timeout=10.0) as link,
    ):
        framer, found = Framer(), []
        deadline = time.monotonic() + 20.0
        while len(found) < 10 and time.monotonic() < deadline:
            found += [piece.payload for piece in framer.feed(link.recv(1 << 16))]
    assert found[:10] == expected[:10]


@pytest.mark.parametrize(
    ("side", "number", "ball_y", "place"),
    [
        ("left", 1, 0.0, (-3.6, -10.5)),
        ("left", 5, 0.0, (-1.2, -10.5)),  # as the real server puts them
        ("left", 4, 0.0, (-1.8, -10.5)),
        ("right", 9, 0.0, (-1.2, -10.5)),
        ("right", 1, -2.0, (3.6, 10.5)),
    ],
)
def test_repositioned_players_stand_side_by_side_beside_the_field(side, number, ball_y, place):
    stage = Stage()
    stage.add("left", 11)  # the first team plays on the left
    player = stage.add(side, number)
    stage.world.game.play_mode = "PlayOn"
    stage.world.ball.place = (0.0, ball_y, 0.042)
    stage.port.hear(f"(repos (unum {number})(team {side.capitalize()}))".encode())
    assert player.place[:2] == pytest.approx(place)
