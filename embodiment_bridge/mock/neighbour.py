# SPDX-License-Identifier: Apache-2.0
"""Another agent in the world: it walks its round, talks now and then, and answers when the robot talks nearby."""

from collections import deque
from collections.abc import Sequence
from math import atan2, hypot
from random import Random

from embodiment_bridge.mock.obstacles import Obstacle, Place, is_free

NAME = "robin"
RADIUS = 0.2  # m
HEIGHT = 1.1  # m
SPEED = 0.25  # m/s
POLITE = 0.3  # m, distance kept from others
EARSHOT = 6.0  # m within which it hears the robot
PAUSE_S = (10.0, 25.0)  # s of silence between two remarks, from and to
ANSWER_S = 1.0  # s before it answers
WAITING = 8  # answers that may be pending
REMARKS = ("hello", "nice weather in here", "have you seen the ball?", "I am walking my round")


class Neighbour:
    """The other agent: x, y m, yaw rad in ``map``; vx, vy m/s.

    path: places to which it walks in turn; with a single place it stands there.
    """

    def __init__(self, path: Sequence[Place], chance: Random) -> None:
        self._path = tuple(path)
        self._next = 1 % len(self._path)
        self._chance = chance
        self.x, self.y = self._path[0]
        self.yaw = self.vx = self.vy = 0.0
        self._silence = chance.uniform(*PAUSE_S)
        self._answers: deque[tuple[float, str]] = deque(maxlen=WAITING)

    @property
    def obstacle(self) -> Obstacle:
        """The agent as an obstacle for others."""
        return Obstacle(self.x, self.y, round=RADIUS)

    def listen(self, text: str, place: Place, now: float) -> None:
        """Hear ``text``, said at ``place`` (m in ``map``) at ``now`` s."""
        if hypot(place[0] - self.x, place[1] - self.y) <= EARSHOT:
            self._answers.append((now + ANSWER_S, f"you said: {text}"))

    def talk(self, now: float, dt: float) -> list[str]:
        """The texts that it says in the ``dt`` s up to ``now``."""
        said = []
        while self._answers and self._answers[0][0] <= now:
            said.append(self._answers.popleft()[1])
        self._silence -= dt
        if self._silence <= 0.0:
            self._silence = self._chance.uniform(*PAUSE_S)
            said.append(self._chance.choice(REMARKS))
        return said

    def walk(self, dt: float, others: Sequence[Obstacle]) -> None:
        """Walk for ``dt`` s; it waits while one of ``others`` is in its way."""
        goal = self._path[self._next]
        dx, dy = goal[0] - self.x, goal[1] - self.y
        distance = hypot(dx, dy)
        step = min(SPEED * dt, distance)
        self.vx = self.vy = 0.0
        if distance <= 1e-9:
            self._next = (self._next + 1) % len(self._path)
            return
        there = (self.x + dx / distance * step, self.y + dy / distance * step)
        ahead = (self.x + dx / distance * POLITE, self.y + dy / distance * POLITE)
        if not is_free(there, RADIUS, others) or not is_free(ahead, RADIUS, others):
            return
        self.yaw = atan2(dy, dx)
        if dt > 0.0:
            self.vx, self.vy = (there[0] - self.x) / dt, (there[1] - self.y) / dt
        self.x, self.y = there
