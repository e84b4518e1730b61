# SPDX-License-Identifier: Apache-2.0
"""Obstacles on the floor: boxes and discs. Lengths in m."""

from collections.abc import Iterable
from math import hypot
from typing import NamedTuple

Place = tuple[float, float]

TOUCHING = 1e-6  # m: a smaller overlap is rounding
FINEST = 0.02  # m between two checks on a long way
TRIES = 4  # rounds of pushing out, because an obstacle may push into the next one


class Obstacle(NamedTuple):
    """A box along the axes: ``half_x`` and ``half_y`` to each side, enlarged by the radius ``round``."""

    x: float
    y: float
    half_x: float = 0.0
    half_y: float = 0.0
    round: float = 0.0

    def overlap(self, place: Place, radius: float) -> tuple[float, Place]:
        """The overlap (m; 0 or less when free) with a disc at ``place``, and the unit vector of the way out."""
        dx, dy = place[0] - self.x, place[1] - self.y
        out_x = dx - min(max(dx, -self.half_x), self.half_x)
        out_y = dy - min(max(dy, -self.half_y), self.half_y)
        distance = hypot(out_x, out_y)
        if distance > 0.0:
            return radius + self.round - distance, (out_x / distance, out_y / distance)
        # The centre is inside the box: leave by the shortest way.
        deep_x, deep_y = self.half_x - abs(dx), self.half_y - abs(dy)
        if deep_x < deep_y:
            return deep_x + self.round + radius, (1.0 if dx >= 0.0 else -1.0, 0.0)
        return deep_y + self.round + radius, (0.0, 1.0 if dy >= 0.0 else -1.0)


def is_free(place: Place, radius: float, obstacles: Iterable[Obstacle]) -> bool:
    """Whether a disc at ``place`` overlaps no obstacle."""
    return all(obstacle.overlap(place, radius)[0] <= TOUCHING for obstacle in obstacles)


def pushed_out(place: Place, radius: float, obstacles: Iterable[Obstacle]) -> Place:
    """The place of a disc after each obstacle has pushed it out; it may still overlap in a gap that is too narrow."""
    for _ in range(TRIES):
        before = place
        for obstacle in obstacles:
            depth, (x, y) = obstacle.overlap(place, radius)
            if depth > 0.0:
                place = (place[0] + depth * x, place[1] + depth * y)
        if place == before:
            break
    return place


def slide(start: Place, goal: Place, radius: float, obstacles: Iterable[Obstacle]) -> Place:
    """The place that a disc reaches from ``start`` (free) towards a near ``goal``; it slides along obstacles."""
    obstacles = tuple(obstacles)
    there = pushed_out(goal, radius, obstacles)
    return there if is_free(there, radius, obstacles) else start


def reach(start: Place, goal: Place, radius: float, obstacles: Iterable[Obstacle]) -> Place:
    """The place that a disc reaches from ``start`` (free) on the straight way to ``goal``."""
    obstacles = tuple(obstacles)
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    steps = int(hypot(dx, dy) / FINEST) + 1
    place = start
    for n in range(1, steps + 1):
        there = (start[0] + dx * n / steps, start[1] + dy * n / steps)
        if not is_free(there, radius, obstacles):
            break
        place = there
    return place
