# SPDX-License-Identifier: Apache-2.0
"""A simulated world with several robots: placed, reset, shared by links; and what is asked of it from ROS."""

import math
import threading
import time

import pytest
from embodiment_bridge.srv import Beam, PlaceThing
from geometry_msgs.msg import Point, Pose, Quaternion, Vector3
from percept_stage import GAME, converter, percept
from std_msgs.msg import String
from std_srvs.srv import Trigger
from waiting import THREAD

from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.protocols.rcsssmj.commands import (
    Frame,
    Init,
    Motor,
    PlaceBall,
    PlacePlayer,
    Reset,
    Syn,
)
from embodiment_bridge.protocols.rcsssmj.managed_link import make_opener
from embodiment_bridge.protocols.rcsssmj.managed_world import ManagedWorld

pytest.importorskip("rcsssmj")

ON_ITS_BACK = (0.0, -math.sqrt(0.5), 0.0, math.sqrt(0.5))


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return ManagedWorld()


def ants(world, *players):
    return [world.add(Init("ant", team, number)) for team, number in players]


def place(player):
    position = player.percept.positions[0]
    return position.x_m, position.y_m, position.z_m


def test_a_k1_may_touch_the_ball(world):
    player = world.add(Init("K1", "us", 2))
    world.place_player("us", 2, (-5.0, 5.0, 0.6))
    world.place_ball((-5.0, 5.1, 0.6))
    world.step()
    assert world.simulation.ball.get_most_recent_contact() == player._agent.agent_id


def test_robots_of_both_teams_are_in_one_world(world):
    one, two, other = ants(world, ("us", 1), ("us", 2), ("them", 1))
    begin = one.percept.time_s
    one.apply(Frame((Motor("l1e1", 3000.0, 0.0, 0.01, 0.001, 0.0), Syn())))
    for _ in range(5):
        world.step()
    times = {player.percept.time_s for player in (one, two, other)}
    assert len(times) == 1
    assert times.pop() - begin == pytest.approx(0.1, abs=0.021)
    assert place(one)[0] < 0.0 < place(other)[0]
    assert len({place(player) for player in (one, two, other)}) == 3
    game = other.percept.game_state
    assert (game.team_left, game.team_right) == ("us", "them")
    turned = [abs(p.percept.joints.positions_deg[p.percept.joints.names.index("q_l1j1")]) for p in (one, two)]
    assert turned[0] > turned[1] + 0.5


def test_robot_that_leaves_is_gone_and_its_number_free(world):
    one, two = ants(world, ("us", 1), ("us", 2))
    with pytest.raises(LinkError, match="takes no robot ant number 2 of team us"):
        world.add(Init("ant", "us", 2))
    world.remove(two)
    world.remove(two)
    world.step()
    assert world.players == [one]
    assert world.add(Init("ant", "us", 2)).percept.time_s > 0.0


@pytest.mark.parametrize("rules", ["ssim", "ssim26", "fifa"])
def test_rules_say_how_many_may_play(rules):
    assert ManagedWorld(rules).simulation.rules.max_team_size == (11 if rules == "fifa" else 7)


def test_reset_is_a_new_game_in_the_same_world(world):
    one, other = ants(world, ("us", 1), ("them", 1))
    begun = place(one) + place(other)
    simulation = world.simulation
    world.place_player("us", 1, (-3.0, 1.0, 0.5))
    world.place_ball((2.0, 1.0, 0.2), (1.0, 0.0, 0.0))
    simulation.request_kick_off(1)
    for _ in range(10):
        world.step()
    assert one.percept.game_state.play_mode == "KickOff_Right"
    before = one.percept.time_s
    model = simulation.mj_model
    world.reset()
    assert simulation.mj_model is model
    assert place(one) + place(other) == pytest.approx(begun)
    assert one.percept.time_s >= before  # a body's clock does not go back
    world.step()
    game = one.percept.game_state
    assert (game.play_mode, game.play_time_s, game.team_left, game.team_right) == (
        "BeforeKickOff", 0.0, "us", "them",
    )  # fmt: skip
    assert tuple(simulation.ball.xpos[:2]) == pytest.approx((0.0, 0.0), abs=0.01)


def test_ball_and_robots_are_placed(world):
    one, _ = ants(world, ("us", 1), ("them", 1))
    world.simulation.request_drop_ball()  # before kick-off the referee puts the ball back
    world.place_ball((2.0, 1.0, 0.2), (1.0, 0.0, 0.0))
    world.place_player("us", 1, (-3.0, 1.0, 1.5), ON_ITS_BACK)
    world.step()
    assert place(one) == pytest.approx((-3.0, 1.0, 1.5), abs=0.02)
    turn = one.percept.orientations[0]
    assert (turn.w, turn.y) == pytest.approx((ON_ITS_BACK[3], ON_ITS_BACK[1]), abs=0.02)
    assert tuple(world.simulation.ball.xpos[:2]) == pytest.approx((2.02, 1.0), abs=0.01)
    world.place_player("left", 1, (-4.0, 2.0, 1.5))
    world.step()
    assert place(one) == pytest.approx((-4.0, 2.0, 1.5), abs=0.02)
    assert one.percept.orientations[0].y == pytest.approx(ON_ITS_BACK[1], abs=0.03)  # it is left as it was


def test_what_cannot_be_placed_is_refused(world):
    ants(world, ("us", 1))
    with pytest.raises(CommandError, match=r"unknown player 'us 2'.*known: 'us 1'"):
        world.place_player("us", 2, (0.0, 0.0, 1.0))
    with pytest.raises(CommandError, match="ball: nan is not a finite number"):
        world.place_ball((0.0, math.nan, 0.0))
    with pytest.raises(CommandError, match="player: inf is not a finite number"):
        world.place_player("us", 1, (0.0, 0.0, math.inf))


class Links:
    """Links of a shared world, each read on a thread of its own."""

    def __init__(self, **values):
        self.values, self.counters = {"realtime_factor": 0.0, "world": "field", **values}, Counters()
        self.made = []

    def open(self, team, number):
        link = make_opener(self.values)(self.counters, time.perf_counter)
        self.made.append(link)
        assert link.write([Init("ant", team, number)])
        return link

    def close(self):
        for link in self.made:
            link.close()


@pytest.fixture
def links(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = []

    def make(**values):
        made.append(Links(**values))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_links_of_one_world_are_in_step(links):
    both = links()
    one, two = both.open("us", 1), both.open("them", 1)
    seen = {one: [], two: []}

    def follow(link):
        end = time.monotonic() + THREAD
        while len(seen[link]) < 40 and time.monotonic() < end:
            seen[link] += [percept.time_s for percept in link.read(0.5)]

    threads = [threading.Thread(target=follow, args=(link,)) for link in seen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    common = sorted(set(seen[one]) & set(seen[two]))
    assert len(common) >= 39  # their first percepts are of their own
    assert [len(times) for times in seen.values()] == [40, 40]
    one.close()
    assert two.read(0.5)  # it goes on alone
    with pytest.raises(LinkError, match="closed"):
        one.read(0.1)


def test_link_that_does_not_read_holds_the_others_for_a_while(links, monkeypatch):
    both = links()
    one, _ = both.open("us", 1), both.open("us", 2)
    assert one.read(0.5)  # the percept with which it joined
    assert one.read(0.05) == []
    monkeypatch.setattr("embodiment_bridge.protocols.rcsssmj.managed_link.PATIENCE", 0.1)
    assert one.read(0.5)


def test_world_is_gone_with_its_last_link_and_has_one_set_of_rules(links):
    both = links()
    one, two = both.open("us", 1), both.open("us", 2)
    with pytest.raises(ConfigError, match=r"world .field. is there with rules 'ssim' .*not with 'fifa'"):
        links(rules="fifa").open("us", 3)
    one.close()
    with pytest.raises(ConfigError):
        links(rules="fifa").open("us", 3)
    two.close()
    assert links(rules="fifa").open("us", 1).read(0.5)


def test_own_worlds_are_not_shared(links):
    alone = links(world="own")
    assert alone.open("us", 1).read(0.5)
    assert alone.open("us", 1).read(0.5)  # the same number in another world


def test_orders_are_carried_out_and_refused_ones_counted(links):
    made = links()
    link = made.open("us", 1)
    link.read(0.5)
    assert link.write(
        [PlacePlayer("us", 1, (-3.0, 1.0, 0.5), None), PlaceBall((1.0, 1.0, 0.2), (0.0, 0.0, 0.0))]
    )
    (found,) = link.read(0.5)
    assert found.positions[0].x_m == pytest.approx(-3.0, abs=0.02)
    assert link.write([Reset()])
    (found,) = link.read(0.5)
    assert found.positions[0].x_m == pytest.approx(-3.0, abs=0.1)  # number 1 begins there, beside the field
    assert found.positions[0].y_m == pytest.approx(21.0, abs=0.1)
    assert not link.write([PlacePlayer("us", 9, (0.0, 0.0, 0.5), None)])
    assert made.counters.refused_commands == 1


def asked(name, message, transport="managed"):
    made = converter(transport=transport)
    made.body_state(percept(game_state=GAME))
    made.handle_request(name, message)
    return list(made.answer(Cycle(percept(game_state=GAME))))[1:]


def test_services_become_orders_after_the_frame():
    pose = Pose(position=Point(x=1.0, y=2.0, z=0.3), orientation=Quaternion(x=0.0, y=0.0, z=2.0, w=0.0))
    assert asked("place_thing", PlaceThing.Request(name="player_us_3", pose=pose)) == [
        PlacePlayer("us", 3, (1.0, 2.0, 0.3), (0.0, 0.0, 1.0, 0.0))
    ]
    pose.orientation = Quaternion(x=0.0, y=0.0, z=0.0, w=0.0)
    assert asked("place_thing", PlaceThing.Request(name="player_my_team_3", pose=pose)) == [
        PlacePlayer("my_team", 3, (1.0, 2.0, 0.3), None)
    ]
    assert asked("place_thing", PlaceThing.Request(name="ball", pose=pose, velocity=Vector3(x=1.0))) == [
        PlaceBall((1.0, 2.0, 0.3), (1.0, 0.0, 0.0))
    ]
    assert asked("reset", Trigger.Request()) == [Reset()]


def test_what_was_asked_in_the_old_game_is_not_done_in_the_new_one():
    made = converter(transport="managed")
    made.body_state(percept(game_state=GAME))
    for name, request in (("reset", Trigger.Request()), ("say", String(data="hi")), ("beam", Beam.Request())):
        made.handle_request(name, request)
    made.handshake()
    assert made.answer(Cycle(percept(game_state=GAME))) == [Frame((Syn(),))]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": "goal"}, "unknown thing 'goal'"),
        ({"name": "player_us_3", "velocity": Vector3(x=1.0)}, "velocity: a player is at rest"),
    ],
)
def test_what_cannot_be_asked_is_refused(fields, reason):
    with pytest.raises(CommandError, match=reason):
        asked("place_thing", PlaceThing.Request(**fields))


@pytest.mark.parametrize("name", ["place_thing", "reset"])
def test_server_takes_no_orders_of_a_player(name):
    with pytest.raises(CommandError, match=f"{name}: only with transport managed"):
        asked(name, PlaceThing.Request() if name == "place_thing" else Trigger.Request(), transport="tcp")
    with pytest.raises(CommandError, match="unknown command 'Reset'"):
        Codec("T1").encode(Reset())
