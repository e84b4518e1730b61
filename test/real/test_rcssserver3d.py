# SPDX-License-Identifier: Apache-2.0
"""The real rcssserver3d, where ``EMBODIMENT_BRIDGE_RCSSSERVER3D`` is host:port of its agents (docs/simspark.md).

The first team of a server plays on the left, so the server must be a fresh one, in real time: in sync mode players that
join together wait for each other.
"""

import math
import subprocess
from contextlib import ExitStack

import pytest
from real_stage import RealNao, ball, look, start_command, train
from waiting import THREAD

from embodiment_bridge.link.session import Phase

ROBOTS = ["nao", "nao1", "nao2", "nao3", "nao4"]


@pytest.fixture
def kick_off():
    """The game as it is before kick-off, where players may be beamed."""
    look()  # or skip
    train("(playMode BeforeKickOff)")


def put(nao, x, y, rot):
    """A trainer puts player 1; its heading is 90 degrees more than ``rot``."""
    train(f"(agent (unum 1)(team Left)(move {x} {y} 0.37 {rot}))")
    nao.run(2.0)


@pytest.mark.parametrize("robot", ROBOTS)
def test_player_joins_stands_and_knows_where(robot, kick_off):
    with RealNao(1, robot) as nao:
        nao.joined().run(5.0)
        assert nao.runner.status == "standing"
        _, players = look()
        place, upright = players["left", 1]
        assert upright > 0.99
        assert place[:2] == pytest.approx((-14.0, 0.0), abs=0.1)
        assert nao.state.base_position == pytest.approx(place, abs=0.1)


@pytest.mark.parametrize("robot", ROBOTS)
def test_player_walks_a_metre_and_does_not_fall(robot, kick_off):
    with RealNao(1, robot) as nao:
        nao.joined().run(4.0)
        put(nao, -7.0, 0.0, -90.0)
        nao.statuses.clear()
        report = nao.do("walk", distance=1.0)
        assert report.status.name == "SUCCEEDED", report.reason
        nao.run(1.0)
        place, upright = look()[1]["left", 1]
        assert upright > 0.99
        assert place[0] == pytest.approx(-6.0, abs=0.15)
        assert place[1] == pytest.approx(0.0, abs=0.2)
        assert "fallen" not in nao.statuses


@pytest.mark.parametrize(
    ("forward", "turn", "way"), [(0.1, 0.0, 1.0), (-0.1, 0.0, -1.0), (0.0, 0.5, 0.0), (0.0, -0.5, 0.0)]
)
def test_velocity_is_followed(forward, turn, way, kick_off):
    with RealNao(1) as nao:
        nao.joined().run(4.0)
        put(nao, -7.0, 0.0, -90.0)
        nao.statuses.clear()
        nao.velocity(forward, turn, 10.0)
        place, upright = look()[1]["left", 1]
        assert upright > 0.99
        assert place[:2] == pytest.approx((-7.0 + way, 0.0), abs=0.35)
        assert "fallen" not in nao.statuses


@pytest.mark.parametrize(("skill", "way"), [("step_left", 0.3), ("step_right", -0.3)])
def test_player_goes_sideways(skill, way, kick_off):
    with RealNao(1) as nao:
        nao.joined().run(4.0)
        put(nao, -7.0, 0.0, -90.0)
        nao.statuses.clear()
        report = nao.do(skill, distance=0.3)
        assert report.status.name == "SUCCEEDED", report.reason
        nao.run(1.0)
        place, upright = look()[1]["left", 1]
        assert upright > 0.99
        assert place[:2] == pytest.approx((-7.0, way), abs=0.15)
        assert "fallen" not in nao.statuses


@pytest.mark.parametrize(("beside", "direction"), [(0.1, 0.0), (-0.1, 0.0), (0.0, 0.7)])
def test_player_kicks_the_ball_as_asked(beside, direction, kick_off):
    with RealNao(1) as nao:
        nao.joined().run(4.0)
        train(f"(playMode PlayOn)(ball (pos -6.2 {beside} 0.05)(vel 0 0 0))")
        put(nao, -7.0, 0.0, -90.0)
        report = nao.do("kick", direction=direction)
        assert report.status.name == "SUCCEEDED", report.reason
        nao.run(4.0)
        x, y = ball()
        assert math.hypot(x + 6.2, y - beside) > 0.8
        assert math.atan2(y - beside, x + 6.2) == pytest.approx(direction, abs=0.6)
        assert look()[1]["left", 1][1] > 0.98


def test_height_is_known_while_walking(kick_off):
    with RealNao(1) as nao:
        nao.joined().run(4.0)
        put(nao, -7.0, 0.0, -90.0)
        nao.way.clear()
        nao.velocity(0.1, 0.0, 8.0)
        heights = [state.base_position[2] for state in nao.way if state.has_base]
        assert (min(heights), max(heights)) == pytest.approx((0.36, 0.36), abs=0.05)


def test_team_that_joins_a_second_apart_stands_in_its_line_up(kick_off):
    robots = ["nao"] * 7 + ["nao2"] * 2 + ["nao4"] * 2
    with ExitStack() as stack:
        team = []
        for number, robot in enumerate(robots, 1):
            team.append(stack.enter_context(RealNao(number, robot)))
            team[-1].joined()
            team[-1].run(1.0)  # eleven that join at once hang the solver of the server
        team[0].run(8.0)
        found = look()[1]
        assert len(found) == len(team)
        assert [number for (_, number), (_, upright) in found.items() if upright < 0.95] == []
        assert {nao.runner.status for nao in team} == {"standing"}


@pytest.mark.parametrize("side", ["front", "back"])
def test_player_gets_up(side, kick_off):
    with RealNao(1) as nao:
        nao.joined().run(4.0)
        train("(playMode PlayOn)")  # before kick-off a player that lies is beamed
        nao.trip(side)
        assert look()[1]["left", 1][1] < 0.5
        report = nao.do("get_up")
        assert report.status.name == "SUCCEEDED", report.reason
        nao.run(1.0)
        assert nao.runner.status == "standing"
        assert look()[1]["left", 1][1] > 0.98


def test_killed_player_joins_again(kick_off):
    with RealNao(1) as nao:
        nao.joined().run(4.0)
        train("(kill (unum 1)(team Left))")
        nao.joined(2).run(4.0)
        assert nao.runner.status == "standing"
        assert ("left", 1) in look()[1]


def test_trainer_sets_the_mode_and_moves_a_player(kick_off):
    with RealNao(1) as nao:
        nao.joined().run(4.0)
        put(nao, -3.0, 2.0, 45.0)
        assert nao.state.base_position[:2] == pytest.approx((-3.0, 2.0), abs=0.1)
        place, _ = look()[1]["left", 1]
        assert place[:2] == pytest.approx((-3.0, 2.0), abs=0.1)
        assert math.isclose(nao.state.yaw, 0.75 * math.pi, abs_tol=0.1)
        put(nao, -3.0, 2.0, 0.0)  # one flag in view: the place is not known, rather than wrong
        assert not nao.state.has_base
        train("(playMode PlayOn)")
        nao.run(0.5)
        assert look()[0] == "PlayOn"


def test_player_joins_again_after_the_server_ended_and_was_started_again(kick_off):
    command = start_command()
    with RealNao(1) as nao:
        nao.joined().run(2.0)
        train("(killsim)")
        nao.until(lambda: any(status.phase is Phase.BACKOFF for status in nao.links))
        subprocess.run(command, shell=True, check=True, timeout=THREAD)  # it returns, and the server goes on
        nao.joined(2).run(4.0)
        assert nao.runner.status == "standing"
        assert ("left", 1) in look()[1]
