# SPDX-License-Identifier: Apache-2.0
"""A T1 of the real server stands before the ball and kicks it."""

from embodiment_bridge.msg import EntityArray
from embodiment_bridge.srv import Beam

from embodiment_bridge.nodes.base.qos import profile

BEFORE_THE_BALL = (-0.45, 0.08, 0.0)  # m, m, rad: the ball lies in the middle of the field, at kick-off


def test_ball_rolls_and_the_robot_stands(server, robots) -> None:
    robot = robots(server)
    balls: list[float] = []
    robot.watcher.create_subscription(
        EntityArray, "entities", lambda seen: balls.extend(ball_in(seen)), profile("sensor")
    )
    robot.join()
    beam = robot.watcher.create_client(Beam, "beam")
    robot.until(beam.service_is_ready)
    x, y, theta = BEFORE_THE_BALL
    answer = beam.call_async(Beam.Request(x=x, y=y, theta=theta))
    robot.until(lambda: answer.done() and abs(robot.watcher.x - x) < 0.1 and bool(balls))
    robot.skill("stand", slot=1.0)
    before = balls[-1]
    kicked = robot.skill("kick")
    assert kicked.status == kicked.SUCCEEDED, kicked.reason
    robot.skill("stand", slot=1.5)
    assert max(balls) > before + 0.4
    robot.until(lambda: robot.watcher.posture == "standing")


def ball_in(seen: EntityArray) -> list[float]:
    """How far ahead (m, x in map) the balls are that were seen."""
    return [entity.pose.position.x for entity in seen.entities if entity.kind == "ball"]
