# SPDX-License-Identifier: Apache-2.0
"""The world of the mock body at the start, in ``map``, lengths in m; the robot starts at the origin."""

from math import cos, sin
from random import Random

from embodiment_bridge.mock.ball import Ball
from embodiment_bridge.mock.obstacles import Obstacle

WALL_HEIGHT = 0.5
# The floor inside is 8 m by 6 m. Walls are thick, so that nothing can be pushed out on their far side.
WALLS = {
    "wall_north": Obstacle(0.0, 3.25, 4.5, 0.25),
    "wall_south": Obstacle(0.0, -3.25, 4.5, 0.25),
    "wall_east": Obstacle(4.25, 0.0, 0.25, 3.0),
    "wall_west": Obstacle(-4.25, 0.0, 0.25, 3.0),
    "pillar": Obstacle(2.5, -1.2, 0.3, 0.3),
}
# The goal is a stretch of the east wall: what touches it is in.
GOAL, GOAL_X, GOAL_HALF_WIDTH = "goal", 4.0, 0.8
# The other agent walks from one of these places to the next.
ROUND = ((-2.5, 2.2), (2.5, 2.2), (3.2, 1.0), (2.5, 2.2), (-2.5, 2.2), (-3.2, 0.0))
BALL_DISTANCE = (0.8, 1.4)
BALL_BEARING = (-0.5, 0.5)  # rad from the robot's initial heading


def ball_somewhere(chance: Random) -> Ball:
    """A ball at rest, a short way in front of the robot."""
    distance, bearing = chance.uniform(*BALL_DISTANCE), chance.uniform(*BALL_BEARING)
    return Ball(distance * cos(bearing), distance * sin(bearing))
