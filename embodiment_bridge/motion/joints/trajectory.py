# SPDX-License-Identifier: Apache-2.0
"""Motion of joints through timed points, with the meaning of trajectory_msgs/JointTrajectory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, isfinite, sqrt

from embodiment_bridge.body.description import Joint
from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.motion.joints.move import Way

LONGEST_S = 3600.0  # s; a longer trajectory has wrong times
POINT_LIMIT = 10_000
TOLERANCE = 1e-3  # rad, rad/s by which rounding may exceed a limit; the commands still keep the limit
ROUNDING = 1e-6  # share of a speed limit
OVER = "over before it came"  # why a trajectory with an old stamp is refused
# peaks of a cubic from rest to rest: multiples of way / time, way / time^2
PEAK_SPEED, PEAK_ACCELERATION = (1.5, 6.0)


@dataclass(frozen=True, slots=True)
class TrajectoryPoint:
    """Holds targets at ``time`` s after the start: positions, rad; velocities, rad/s, empty if not given."""

    time: float
    positions: tuple[float, ...]
    velocities: tuple[float, ...] = ()


class Trajectory(Way):
    """Follows cubic pieces through the points, from rest at the present positions to rest.

    At an inner point without velocities a joint moves with the mean slope, or rests where its direction changes,
    so that it never leaves the range between two neighbouring points.

    Args:
        joints: their numbers in the body.
        position: rad, of each of them at the start.
        points: with increasing times; the first one may be at the start.
    """

    def __init__(
        self, joints: Sequence[int], position: Sequence[float], points: Sequence[TrajectoryPoint]
    ) -> None:
        super().__init__(joints, points[-1].time)
        start = TrajectoryPoint(0.0, tuple(position), (0.0,) * len(self.joints))
        first = [] if points[0].time > 0.0 else [points[0]]
        self._points = [*(first or [start]), *points[len(first) :]]
        self._slopes = [self._slope(i) for i in range(len(self._points))]
        self._piece = 0

    def advance(self, dt: float) -> None:
        """Let ``dt`` s (>= 0) pass."""
        super().advance(dt)
        while not self.done and self.time >= self._points[self._piece + 1].time:
            self._piece += 1

    def write(self, out: list[float]) -> None:
        """Put the joint angles (rad) of now into ``out``, which has a value per joint of the body."""
        if self.done:
            for joint, angle in zip(self.joints, self._points[-1].positions, strict=True):
                out[joint] = angle
            return
        i = self._piece
        a, b = self._points[i], self._points[i + 1]
        h = b.time - a.time
        s = (self.time - a.time) / h
        near, far = 1.0 + 2.0 * s, s * s * (3.0 - 2.0 * s)
        into, out_of = s * (1.0 - s) ** 2 * h, s * s * (s - 1.0) * h
        near *= (1.0 - s) ** 2
        for k, joint in enumerate(self.joints):
            slopes = into * self._slopes[i][k] + out_of * self._slopes[i + 1][k]
            out[joint] = near * a.positions[k] + far * b.positions[k] + slopes

    def span(self, joint: int) -> tuple[float, float]:
        """Return the least and greatest angle (rad) of a joint on the present piece, at most at its points' speeds."""
        k, points = self.joints.index(joint), self._points
        if self.done:
            return points[-1].positions[k], points[-1].positions[k]
        a, b = points[self._piece], points[self._piece + 1]
        third = (b.time - a.time) / 3.0
        near = a.positions[k] + self._slopes[self._piece][k] * third
        far = b.positions[k] - self._slopes[self._piece + 1][k] * third
        angles = (a.positions[k], near, far, b.positions[k])  # a cubic stays between its control points
        return min(angles), max(angles)

    def paces(self, joints: Sequence[Joint]) -> list[float]:
        """Return for each piece the highest ratio of speed to limit over ``joints``, in their order."""
        found = []
        for i, (a, b) in enumerate(pairwise(self._points)):
            h = b.time - a.time
            columns = zip(joints, a.positions, b.positions, self._slopes[i], self._slopes[i + 1], strict=True)
            found.append(max(_peak((to - at) / h, m, n) / joint.velocity for joint, at, to, m, n in columns))
        return found

    def _slope(self, i: int) -> tuple[float, ...]:
        points = self._points
        point = points[i]
        if i == len(points) - 1:
            return (0.0,) * len(self.joints)
        if point.velocities:
            return point.velocities
        if i == 0:
            return (0.0,) * len(self.joints)
        before, after = points[i - 1], points[i + 1]
        return tuple(
            _between(
                (point.positions[k] - before.positions[k]) / (point.time - before.time),
                (after.positions[k] - point.positions[k]) / (after.time - point.time),
            )
            for k in range(len(self.joints))
        )


def _between(left: float, right: float) -> float:
    """Return the harmonic mean of two slopes, 0 where the direction changes (Fritsch and Butland: no overshoot)."""
    return 2.0 * left * right / (left + right) if left * right > 0.0 else 0.0


def _peak(mean: float, first: float, last: float) -> float:
    """Return the highest speed on a cubic with this mean slope and these slopes at its ends."""
    bend = first + last - 2.0 * mean
    peak = max(abs(first), abs(last))
    if bend and 0.0 < (s := (2.0 * first + last - 3.0 * mean) / (3.0 * bend)) < 1.0:
        peak = max(peak, abs(first + s * (3.0 * bend * s - 2.0 * (2.0 * first + last - 3.0 * mean))))
    return peak


def left_of(points: Sequence[TrajectoryPoint], elapsed: float) -> tuple[TrajectoryPoint, ...]:
    """Return the points that are still to come ``elapsed`` s after the start, with their times from then on.

    Raises:
        CommandError: there is none.
    """
    left = tuple(replace(point, time=point.time - elapsed) for point in points if point.time > elapsed)
    if not left:
        raise CommandError(f"trajectory: {OVER}: its last point was {elapsed - points[-1].time:.2f} s ago")
    return left


def paced(
    points: Sequence[TrajectoryPoint], position: Sequence[float], joints: Sequence[Joint]
) -> Sequence[TrajectoryPoint]:
    """Return the points, later where a joint could not follow: each piece takes at least as long as its joints need.

    Args:
        points: with increasing times.
        position: rad, where each joint begins, at rest.
        joints: in the order of the points.
    """
    first = points[0]
    ways = [abs(there - here) for here, there in zip(position, first.positions, strict=True)]
    need = max(
        max(PEAK_SPEED * way / joint.velocity, sqrt(PEAK_ACCELERATION * way / joint.acceleration))
        for way, joint in zip(ways, joints, strict=True)
    )
    if late := max(need - first.time, 0.0):
        points = [replace(point, time=point.time + late) for point in points]
    for alike in (False, True):  # a slower piece has slower ends, with which its neighbour may be too fast
        slow = [max(pace, 1.0) for pace in Trajectory(range(len(joints)), position, points).paces(joints)]
        if max(slow, default=1.0) <= 1.0 + ROUNDING:
            break
        slow = [max(slow)] * len(slow) if alike else slow
        points = _slowed(points, slow if points[0].time > 0.0 else [1.0, *slow])
    return points


def _slowed(points: Sequence[TrajectoryPoint], slow: Sequence[float]) -> list[TrajectoryPoint]:
    """Return the points with the time before each multiplied by ``slow``, and the speeds that fit."""
    made, time, before = list[TrajectoryPoint](), 0.0, 0.0
    for point, own, after in zip(points, slow, (*slow[1:], 1.0), strict=True):
        time, before = time + (point.time - before) * own, point.time
        speeds = tuple(speed / max(own, after) for speed in point.velocities)
        made.append(TrajectoryPoint(time, point.positions, speeds))
    return made


def checked_points(
    names: Sequence[str], points: Sequence[TrajectoryPoint], known: Mapping[str, Joint]
) -> tuple[TrajectoryPoint, ...]:
    """Check that joints can follow the points, and return them.

    Raises:
        CommandError: unknown or repeated joint, a point of the wrong length, a value that is not finite or outside of
            the joint's range, times that do not increase, a speed at the end; the text names joint, point, value and
            range.
    """
    for name in names:
        if name not in known:
            raise CommandError(f"trajectory: {unknown('joint', name, known)}")
    if len(set(names)) != len(names):
        raise CommandError(f"trajectory: a joint is named twice in {', '.join(names)}")
    if not names:
        raise CommandError("trajectory: it names no joint")
    if not points or len(points) > POINT_LIMIT:
        raise CommandError(f"trajectory: {len(points)} points, not 1 to {POINT_LIMIT}")
    before = -inf
    for number, point in enumerate(points):
        where = f"trajectory: point {number}"
        if not before < point.time <= LONGEST_S or point.time < 0.0:
            raise CommandError(
                f"{where} is at {point.time} s, not after the one before it and within {LONGEST_S:g} s"
            )
        before = point.time
        _check_values(where, names, point, known)
    for name, speed in zip(names, points[-1].velocities, strict=False):
        if abs(speed) > TOLERANCE:
            raise CommandError(
                f"trajectory: {name} has {speed:g} rad/s at the last point, not 0: a trajectory ends at rest"
            )
    return tuple(points)


def _check_values(
    where: str, names: Sequence[str], point: TrajectoryPoint, known: Mapping[str, Joint]
) -> None:
    for what, values in (("positions", point.positions), ("velocities", point.velocities)):
        if len(values) != len(names) and (values or what == "positions"):
            raise CommandError(f"{where} has {len(values)} {what} for {len(names)} joints")
        for name, value in zip(names, values, strict=False):
            if not isfinite(value):
                raise CommandError(f"{where}: {what} of {name} is {value}, not a finite number")
    for name, angle in zip(names, point.positions, strict=True):
        joint = known[name]
        if not joint.lower - TOLERANCE <= angle <= joint.upper + TOLERANCE:
            raise CommandError(
                f"{where}: {name} at {angle:g} rad, not within {joint.lower:g}..{joint.upper:g} rad"
            )
