# SPDX-License-Identifier: Apache-2.0
"""Into a game and out of it: joining, where players begin, and a whole team."""

import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from embodiment_bridge.srv import Beam
from nao_stage import ROOT, STAMP, Nao
from std_msgs.msg import String

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.simspark import codec
from embodiment_bridge.protocols.simspark.joining import (
    LINE_UP,
    LOOK,
    SETTLE,
    TRIES,
    StartPlace,
)
from embodiment_bridge.protocols.simspark.robots import ROBOTS, types_fit
from embodiment_bridge.standins.simspark.agents import Faults
from embodiment_bridge.standins.simspark.world import CYCLE_S, World
from embodiment_bridge.wire.framing import Framer, frame


def test_scene_goes_first_and_init_after_the_first_percept():
    nao = Nao()
    assert nao.sent == [b"(scene rsg/agent/nao/nao.rsg)"]
    nao.cycle()
    assert nao.sent[1:] == [b"(init (unum 2)(teamname bridge))(syn)"]
    assert nao.state is None
    assert nao.told == []
    nao.cycle()
    assert nao.state is not None
    assert (nao.player.side, nao.player.number) == ("left", 2)


def test_init_is_repeated_until_it_is_confirmed():
    nao = Nao()
    nao.cycle()
    nao.player.side, nao.player.told_side = "", True  # as if the confirmation had been lost
    nao.run(4.1)
    inits = [payload for payload in nao.sent if b"init" in payload]
    assert len(inits) == 3
    assert all(b"(syn)" in payload for payload in nao.sent[1:])


def test_number_that_is_taken_is_told_as_a_refusal():
    world = World(noise=False)
    first = Nao(world).run(0.1)
    second = Nao(world)
    with pytest.raises(LinkError, match="number 2 into team 'bridge': the number is taken"):
        second.run(6.0)
    first.percept()
    assert first.state is not None


def test_number_0_takes_the_next_that_is_free():
    world = World(noise=False)
    first = Nao(world, number=0).run(0.1)
    Nao(world, number=0).run(0.1)
    assert [player.number for player in world.players] == [1, 2]
    first.percept()
    assert first.state is not None


def test_percepts_that_come_at_once_are_answered_by_one_init():
    nao = Nao(number=0)
    nao.burst(59)
    nao.run(0.1)
    assert sum(b"init" in payload for payload in nao.sent) == 1
    assert nao.player.number == 1
    assert nao.state is not None


def test_player_that_was_killed_is_noticed_by_its_frozen_percepts():
    nao = Nao().run(0.2)
    nao.world.kill(nao.player)
    told = len(nao.told)
    with pytest.raises(LinkError, match="taken out of the game"):
        nao.run(1.0)
    assert len(nao.told) == told  # nothing old with a new stamp


def test_new_connection_begins_anew():
    nao = Nao().run(0.2)
    assert nao.converter.body_state(None) is None
    nao.tell(nao.converter.handshake())
    nao.percept("(time (now 9.00))(GS (t 0.00) (pm BeforeKickOff))")
    assert b"(init (unum 2)(teamname bridge))" in nao.sent[-1]


def test_what_was_asked_in_the_old_game_is_not_done_in_the_new_one():
    nao = Nao().run(0.2)
    nao.converter.handle_request("say", String(data="hello"))
    nao.converter.handle_request("beam", Beam.Request(x=-1.0))
    sent = len(nao.sent)
    nao.tell(nao.converter.handshake())
    nao.run(0.2)
    assert not any(b"(say" in payload or b"(beam" in payload for payload in nao.sent[sent:])


def test_lost_messages_nan_and_unknown_lists_are_lived_with():
    nao = Nao(faults=Faults(nan=0.3, unknown=0.3, lost=0.3)).run(6.0)
    assert nao.player.side == "left"
    report, _ = nao.do("head_shake")
    assert report.status.name == "SUCCEEDED"


def test_body_with_joints_that_the_robot_lacks_is_refused():
    with pytest.raises(ConfigError, match="head_pan"):
        Nao(body="dummy.yaml")


def recorded(skipped, **parameters):
    """The short recording of the real server without its first percepts, played to a converter."""
    nao = Nao(transport="replay", **parameters)
    data = (ROOT / "test/data/simspark/short_agent_nao.bin").read_bytes()
    states = []
    messages = {}
    for found in Framer().feed(data)[skipped:]:
        for event in nao.codec.feed(frame(found.payload)):
            state = nao.converter.body_state(event)
            states.append(state)
            messages.update(nao.converter.messages(Cycle(event, state), STAMP))
    return states, messages


def test_recording_that_begins_in_the_middle_plays():
    states, messages = recorded(skipped=20, team="others", number=9)
    assert all(state is not None for state in states)
    assert states[-1].has_base
    assert messages["game_state"].own_side == ""  # no percept of it says which
    assert [(agent.team, agent.number) for agent in messages["vision"].agents] == [("alpha", 1)]  # itself
    assert not [e for e in messages["entities"].entities if e.kind == "player"]


def test_recording_from_the_beginning_tells_the_side():
    states, messages = recorded(skipped=0)
    assert messages["game_state"].own_side == "left"
    assert sum(state is None for state in states) <= 1


def beams(start, number=3, mode="BeforeKickOff", tilt=0.0, seconds=30.0):
    """(time, beam) of a player that joined at 5 s."""
    found = []
    for count in range(round(seconds / 0.02)):
        time = 5.0 + 0.02 * count
        beam = start.beam(number, mode, time, tilt)
        if beam is not None:
            found.append((time, beam))
    return found


def test_places_of_the_line_up_are_in_the_own_half_and_apart():
    assert sorted(LINE_UP) == list(range(1, 12))
    assert all(-15.0 < x < 0.0 and abs(y) < 10.0 for x, y, _ in LINE_UP.values())
    assert min(math.dist(a[:2], b[:2]) for a, b in combinations(LINE_UP.values(), 2)) >= 2.0
    assert all(math.hypot(x, y) > 2.0 for x, y, _ in LINE_UP.values())  # outside of the middle circle


def test_player_that_stands_is_beamed_once():
    ((time, beam),) = beams(StartPlace("line_up"))
    assert time == pytest.approx(5.0 + SETTLE, abs=0.03)
    assert beam == codec.Beam(-10.0, 3.0, 0.0)


def test_player_that_lies_is_beamed_again_and_given_up_in_the_end():
    found = beams(StartPlace("line_up"), tilt=1.5)
    assert len(found) == TRIES
    assert found[1][0] - found[0][0] == pytest.approx(LOOK, abs=0.03)


@pytest.mark.parametrize(
    ("text", "mode"), [("server", "BeforeKickOff"), ("line_up", "PlayOn"), ("-1 1 0", "PlayOn")]
)
def test_player_that_must_not_or_shall_not_be_beamed_is_left_alone(text, mode):
    assert beams(StartPlace(text), mode=mode) == []


def test_own_place_is_in_metres_and_radians():
    ((_, beam),) = beams(StartPlace("-3.5 1 1.5708"))
    assert (beam.x, beam.y, beam.theta_deg) == pytest.approx((-3.5, 1.0, 90.0), abs=1e-3)


@pytest.mark.parametrize("bad", ["", "here", "1 2", "-1 2 x", "3 0 0", "-1 nan 0", "-1 0 inf", "-1 0 0 0"])
def test_place_that_cannot_be_is_refused(bad):
    with pytest.raises(ConfigError, match="start_pose is"):
        StartPlace(bad)


def test_restart_begins_anew():
    start = StartPlace("line_up")
    beams(start)
    start.restart()
    assert len(beams(start)) == 1


def test_team_stands_in_its_places_on_both_sides():
    world = World(noise=False)
    players = [
        Nao(world, number=number, team=team, start_pose="line_up")
        for team in ("a", "b")
        for number in (1, 5, 11)
    ]
    for _ in range(200):
        world.step()
        for player in players:
            player.percept()
    found = {(p.side, p.number): p for p in world.players}
    assert len(found) == len(players)
    for (side, number), player in found.items():
        sign = -1.0 if side == "right" else 1.0
        x, y, _ = LINE_UP[number]
        assert player.place[:2] == pytest.approx((sign * x, sign * y), abs=0.01)
    places = [found[side, number].place for side in ("left", "right") for number in (1, 5, 11)]
    for nao, place in zip(players, places, strict=True):
        assert nao.state.base_position == pytest.approx(place, abs=0.03)
        assert nao.runner.status == "standing"


def test_beam_is_sent_once_in_the_frame_of_its_cycle():
    nao = Nao(start_pose="line_up")
    while nao.state is None:
        nao.cycle()
    begin = nao.state.time
    nao.run(SETTLE - 0.04)
    assert nao.state.time < begin + SETTLE
    assert not any(b"(beam" in payload for payload in nao.sent)
    nao.run(0.2)
    assert sum(b"(beam -10 -3 0)" in payload for payload in nao.sent) == 1


def test_a_place_that_somebody_else_says_is_not_taken_back():
    nao = Nao(start_pose="line_up")
    while nao.state is None:
        nao.cycle()
    nao.converter.handle_request("beam", Beam.Request(x=-3.0, y=2.0))
    nao.run(SETTLE + 0.5)
    assert [sum(word in payload for payload in nao.sent) for word in (b"(beam -3 2 0)", b"(beam -10")] == [
        1,
        0,
    ]


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


def test_a_whole_team_that_appears_in_one_place_joins_and_pushes_each_other_over_as_on_the_real_server():
    world = World(noise=False)
    robots = ["nao"] * 7 + ["nao2"] * 2 + ["nao4"] * 2
    team = [
        Nao(world, number=number, robot=robot, body="nao_toe.yaml" if robot == "nao4" else "nao.yaml")
        for number, robot in zip(PLAYERS, robots, strict=True)
    ]
    for _ in range(round(2.0 / CYCLE_S)):
        world.step()
        for nao in team:
            nao.percept()
    assert [world.player("left", number) for number in PLAYERS] == world.players
    assert "fallen" in {nao.runner.status for nao in team}
