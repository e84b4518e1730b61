# SPDX-License-Identifier: Apache-2.0
"""The world of the mock body, as it stands at the start (``map``, lengths in m), and its simulation."""

from collections import deque
from collections.abc import Callable, Sequence
from math import atan2, cos, hypot, isfinite, sin
from random import Random
from typing import NamedTuple

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import Vector, wrap_angle
from embodiment_bridge.mock import ball, hardware
from embodiment_bridge.mock.ball import Ball, Mover
from embodiment_bridge.mock.hardware import Base, Battery, Servos
from embodiment_bridge.mock.neighbour import NAME, Neighbour
from embodiment_bridge.mock.obstacles import Obstacle, reach

# The world of the mock body at the start, in ``map``, lengths in m; the robot starts at the origin.

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


FINEST_S = 0.02  # s: a longer step is divided
LONGEST_S = 1.0  # s: a longer step counts as this
TOUCH_M = 0.02  # from the goal, within which the ball touches it
BASE_HEIGHT = 0.3  # m, of base_link over the floor
UNHEARD = 100  # utterances that wait to be taken; the oldest is dropped
Hand = Callable[[Sequence[float]], Vector]  # joint angles (rad) -> place of the right hand in base_link, m


class Said(NamedTuple):
    """An utterance. azimuth: direction of the sender, rad in base_link, + left."""

    sender: str
    text: str
    azimuth: float


def stiff_hand(_: Sequence[float]) -> Vector:
    """A hand with a fixed place in front of the body."""
    return 0.2, -0.12, 0.0


class World:
    """The simulated world; attributes may be read at any time. The same steps and ``seed`` give the same world.

    goals: how often the ball came into the goal.
    hand: gives the place of the hand that can hold the ball.
    """

    def __init__(self, body: BodyDescription, seed: int = 0, hand: Hand = stiff_hand) -> None:
        chance = Random(seed)
        self.time = 0.0
        self.base = Base()
        self.servos = Servos(body.joints)
        self.ball = ball_somewhere(chance)
        self.neighbour = Neighbour(ROUND, chance)
        self.battery = Battery()
        self.goals = 0
        self._ball_in = False
        self.walls = tuple(WALLS.values())
        self._hand = hand
        self._index = {joint.name: i for i, joint in enumerate(body.joints)}
        self._said: deque[Said] = deque(maxlen=UNHEARD)

    @property
    def state(self) -> BodyState:
        """The state that the body senses now."""
        return BodyState(
            time=self.time,
            position=tuple(self.servos.position),
            velocity=tuple(self.servos.velocity),
            base_position=(self.base.x, self.base.y, BASE_HEIGHT),
            yaw=self.base.yaw,
            base_rates=(0.0, 0.0, self.base.turn),
            has_base=True,
        )

    def angle(self, joint: str) -> float:
        """The angle of a joint, rad; 0 for a joint that the body does not have."""
        return self.servos.position[self._index[joint]] if joint in self._index else 0.0

    @property
    def acceleration(self) -> Vector:
        """The reading of an accelerometer in base_link, m/s2."""
        return self.base.acceleration, self.base.forward * self.base.turn, 9.81

    def step(
        self, dt: float, joints: Sequence[float], forward: float, turn: float, left: float = 0.0
    ) -> None:
        """Let ``dt`` s pass, with targets ``joints`` (rad), and base speeds ``forward``, ``left`` m/s, ``turn`` rad/s.

        Joints with a target that is not finite stay; such speeds count as 0. ``dt`` below 0 or not finite counts as 0.
        """
        rest = min(max(dt, 0.0), LONGEST_S) if isfinite(dt) else 0.0
        left = left if isfinite(left) else 0.0
        forward = forward if isfinite(forward) else 0.0
        turn = turn if isfinite(turn) else 0.0
        self.servos.step(joints, rest)  # at once: the speed of a joint is that over the whole step
        while rest > 1e-9:
            part = min(rest, FINEST_S)
            self._step(part, forward, turn, left)
            rest -= part

    def _step(self, dt: float, forward: float, turn: float, left: float) -> None:
        self.time += dt
        robot, other = self.robot_obstacle, self.neighbour
        other.walk(dt, (*self.walls, robot))
        self.base.drive(forward, turn, dt, (*self.walls, other.obstacle), left)
        if self.ball.held:
            self.ball.carry(self.hand)
        movers = Mover(self.robot_obstacle, *self.base.velocity), Mover(other.obstacle, other.vx, other.vy)
        self.ball.step(dt, self.walls, movers)
        self._count_goals()
        self.battery.step(self.base.forward, dt)
        azimuth = self.bearing(other.x, other.y)
        self._said.extend(Said(NAME, text, azimuth) for text in other.talk(self.time, dt))

    def _count_goals(self) -> None:
        before, depth = self._ball_in, self.ball.x + ball.RADIUS - GOAL_X
        self._ball_in = not self.ball.held and depth > -TOUCH_M and abs(self.ball.y) < GOAL_HALF_WIDTH
        self.goals += self._ball_in and not before

    @property
    def robot_obstacle(self) -> Obstacle:
        """The robot as an obstacle for others."""
        return Obstacle(self.base.x, self.base.y, round=hardware.RADIUS)

    @property
    def hand(self) -> Vector:
        """The place of the right hand in ``map``, m."""
        x, y, z = self._hand(self.servos.position)
        c, s = cos(self.base.yaw), sin(self.base.yaw)
        return self.base.x + c * x - s * y, self.base.y + s * x + c * y, BASE_HEIGHT + z

    def distance(self, x: float, y: float) -> float:
        """The distance of a place from the centre of the robot over the floor, m."""
        return hypot(x - self.base.x, y - self.base.y)

    def bearing(self, x: float, y: float) -> float:
        """Angle from the robot's heading to a place, rad, + left."""
        return wrap_angle(atan2(y - self.base.y, x - self.base.x) - self.base.yaw)

    def release_ball(self) -> None:
        """Release the ball at the hand, or at the last free place before a wall."""
        x, y, _ = self.hand
        self.ball.let_go(*reach((self.base.x, self.base.y), (x, y), ball.RADIUS, self.walls))

    def kick_ball(self, speed: float, direction: float) -> None:
        """Kick the ball with ``speed`` m/s, ``direction`` rad from the robot's heading, + left."""
        heading = self.base.yaw + direction
        self.ball.hit(speed * cos(heading), speed * sin(heading))

    def say(self, text: str) -> None:
        """Let the robot say something, which an agent nearby hears."""
        self.neighbour.listen(text, (self.base.x, self.base.y), self.time)

    def take_heard(self) -> list[Said]:
        """The utterances that the robot heard since the last call."""
        said = list(self._said)
        self._said.clear()
        return said
