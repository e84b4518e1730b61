# SPDX-License-Identifier: Apache-2.0
"""Converts what soccer simulators tell to SI units, a body's order of joints, and the frame ``team``."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from math import pi
from typing import Final, TypeAlias, TypeVar

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.surroundings import MAP, ORIGIN, FixedFrames, Place
from embodiment_bridge.core.rotation import RAD_PER_DEG, Quaternion, Vector, multiply, wrap_angle
from embodiment_bridge.protocols.soccer.percepts import PLAYER, AgentDetection, Gyro, PointDetection
from embodiment_bridge.scene.sight import Agent, Point, Pose, Sight, point

# From which side a player looks at the field: the frame ``team``, in which both teams see the same.
#
# ``map`` is the world, the same for both teams: x to the goal of the right team. ``team`` has its x to the goal of the
# opponents and y to the left of that: it is ``map`` for the left team, and half a turn of it for the right one.

TEAM: Final = "team"
LEFT: Final = "left"
RIGHT: Final = "right"
HALF_TURN: Final[Quaternion] = (0.0, 0.0, 1.0, 0.0)

Posts: TypeAlias = tuple[str, str]  # names of two landmarks
State = TypeVar("State", bound=BodyState)


class TeamView:
    """One player's view. ``side`` is ``left`` or ``right``, empty until it is known.

    Args:
        relative: whether poses, entities and goals of this body are in ``team`` instead of ``map``.
        mirrored: the name that a landmark has for a player who looks from the right.
    """

    def __init__(self, *, relative: bool, mirrored: Callable[[str], str]) -> None:
        self.base = TEAM if relative else MAP
        self._mirrored = mirrored
        self.settle("")

    def settle(self, side: str) -> None:
        """The side is known now, or with an empty one unknown again."""
        self.side = side
        self._turned = self.base == TEAM and side == RIGHT
        placed = {LEFT: {TEAM: ORIGIN}, RIGHT: {TEAM: Place(0.0, 0.0, pi)}}.get(side, {})
        self.frames = FixedFrames(self.base, placed, shared=True)

    def state(self, state: State) -> State:
        """A state in ``map``, in the base frame; where that is ``team`` and not known yet, it has no base."""
        if self.base == TEAM and not self.side:
            return replace(state, has_base=False)
        if not self._turned:
            return state
        x, y, z = state.base_position
        return replace(state, base_position=(-x, -y, z), yaw=wrap_angle(state.yaw + pi))

    def map_yaw(self, yaw: float) -> float:
        """A heading in the base frame, in ``map``."""
        return wrap_angle(yaw + pi) if self._turned else yaw

    def pose(self, pose: Pose) -> Pose | None:
        """A pose in ``map``, in the base frame; None where that is not known yet."""
        if self.base == TEAM and not self.side:
            return None
        if not self._turned:
            return pose
        x, y, z = pose.position
        return Pose((-x, -y, z), multiply(HALF_TURN, pose.quaternion))

    def goals(self, left: Posts, right: Posts) -> Mapping[str, Posts]:
        """The posts of ``goal``, that of the opponents, and ``own_goal``; none until the side is known.

        left, right: names of the posts at -x and +x of the base frame.
        """
        if not self.side:
            return {}
        to_the_right = self.base == TEAM or self.side == LEFT
        return {"goal": right, "own_goal": left} if to_the_right else {"goal": left, "own_goal": right}

    def landmark(self, name: str) -> str:
        """The name of a landmark, by its place in the base frame."""
        return self._mirrored(name) if self._turned else name


class JointOrder:
    """For each joint of a body its place in percepts, which a server sends in the same order each time.

    names: of the perceptors, in the order of the body; those of a newer server begin with ``q_``.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(name.removeprefix("q_") for name in names)
        self._order: tuple[int, ...] = ()
        self._order_of: tuple[str, ...] = ()

    def of(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """For each joint of the body, where it stands in ``names``; empty when one is missing."""
        if names != self._order_of:
            places = {name.removeprefix("q_"): i for i, name in enumerate(names)}
            order = [places.get(name) for name in self._names]
            self._order = tuple(i for i in order if i is not None) if None not in order else ()
            self._order_of = names
        return self._order


# A picture of two full teams has 31 points and 22 robots with 5 parts each. A server that sends more, does so
# to do harm: what is beyond these limits is left out.
MAX_POINTS: Final = 200
MAX_AGENTS: Final = 64
MAX_PARTS: Final = 16
MAX_LINES: Final = 200


def sight(
    points: Iterable[PointDetection],
    agents: Iterable[AgentDetection],
    lines: Iterable[tuple[PointDetection, PointDetection]] = (),
    *,
    letters: bool = False,
) -> Sight:
    """A picture in metres and radians; detections that are not finite are left out.

    letters: landmarks have letters for names, so ``(P (pol ..))`` is one of them; else a player of unknown team.
    """
    points, agents = tuple(islice(points, MAX_POINTS)), tuple(islice(agents, MAX_AGENTS))
    if letters:
        named = tuple(one for one in agents if one.team or one.number >= 0)
        if len(named) < len(agents):
            points += tuple(part for one in agents if one not in named for part in one.body)
            agents = named
    elif any(one.name == PLAYER for one in points):
        agents += tuple(AgentDetection("", -1, (one,)) for one in points if one.name == PLAYER)
        points = tuple(one for one in points if one.name != PLAYER)
    ends = (_points(line, 2) for line in islice(lines, MAX_LINES))
    return Sight(
        _points(points, MAX_POINTS),
        tuple(Agent(agent.team, agent.number, _points(agent.body, MAX_PARTS)) for agent in agents),
        tuple((line[0].position, line[1].position) for line in ends if len(line) == 2),
    )


def _points(detections: Iterable[PointDetection], limit: int) -> tuple[Point, ...]:
    found = (
        point(seen.name, seen.distance_m, seen.azimuth_deg * RAD_PER_DEG, seen.elevation_deg * RAD_PER_DEG)
        for seen in islice(detections, limit)
    )
    return tuple(one for one in found if one is not None)


def rates(gyro: Gyro) -> Vector:
    """rad/s about the axes of the sensor."""
    return gyro.x_deg_s * RAD_PER_DEG, gyro.y_deg_s * RAD_PER_DEG, gyro.z_deg_s * RAD_PER_DEG
