# SPDX-License-Identifier: Apache-2.0
"""A Nao plays with the ball of the stand-in, which rolls on before its feet."""

import math

import pytest
from nao_stage import Nao

from embodiment_bridge.standins.simspark.world import BALL_RADIUS, Ball


def player(x=-3.0, y=0.0, yaw=0.0):
    """A Nao that stands there while the game goes on."""
    nao = Nao().run(2.0)
    nao.world.game.play_mode = "PlayOn"
    nao.player.put((x, y, 0.37), yaw)
    return nao.run(1.5)


def rolled(nao, ball):
    """How far (m) the ball is from where it was, and in which direction (rad)."""
    dx, dy = nao.world.ball.place[0] - ball[0], nao.world.ball.place[1] - ball[1]
    return math.hypot(dx, dy), math.atan2(dy, dx)


def test_ball_lies_still_before_feet_that_do_not_touch_it():
    nao = player()
    nao.world.ball.place = (-2.8, 0.05, BALL_RADIUS)
    nao.run(0.5)
    assert nao.world.ball.place == (-2.8, 0.05, BALL_RADIUS)


def test_feet_that_walk_push_the_ball_on():
    nao = player()
    nao.world.ball.place = (-2.5, 0.05, BALL_RADIUS)
    nao.do("walk", distance=0.5)
    way, direction = rolled(nao, (-2.5, 0.05))
    assert way > 0.1
    assert abs(direction) < 1.0


def test_ball_that_rolls_faster_than_a_foot_goes_on():
    nao = player()
    nao.world.ball.place, nao.world.ball.speed = (-2.84, 0.055, BALL_RADIUS), (2.0, 0.0, 0.0)
    nao.run(0.2)
    assert nao.world.ball.speed[0] > 1.5


def test_robot_that_is_put_beside_the_ball_does_not_shoot_it():
    nao = player(x=-3.2)
    nao.world.ball.place = (-2.8, 0.05, BALL_RADIUS)
    nao.run(0.1)
    nao.player.put((-2.92, 0.0, 0.37), 0.0)
    nao.run(0.04)
    assert math.hypot(*nao.world.ball.speed) < 1.0
    assert nao.world.ball.place[0] > -2.8  # it gave way


@pytest.mark.parametrize(("beside", "direction"), [(0.1, 0.0), (-0.1, 0.0), (0.0, 1.2), (0.05, -0.8)])
def test_kick_goes_behind_the_ball_and_kicks_it_in_the_direction_that_was_asked(beside, direction):
    nao = player()
    ball = -2.2, beside
    nao.world.ball.place = (*ball, BALL_RADIUS)
    nao.run(0.3)
    report, _ = nao.do("kick", 60.0, direction=direction)
    assert report.status.name == "SUCCEEDED", report.reason
    nao.run(3.0)
    way, found = rolled(nao, ball)
    assert way > 1.0
    assert math.remainder(found - direction, 2 * math.pi) == pytest.approx(0.0, abs=0.35)
    assert nao.runner.status == "standing"


def test_ball_bounces_and_comes_to_rest():
    ball = Ball((0.0, 0.0, 1.0))
    heights = []
    for _ in range(200):
        ball.step([], 0.02)
        heights.append(ball.place[2])
    assert max(heights[30:]) > 0.2
    assert heights[-1] == pytest.approx(BALL_RADIUS, abs=0.01)
