# SPDX-License-Identifier: Apache-2.0
"""Motion of joints through timed points, with the meaning of trajectory_msgs/JointTrajectory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite

from embodiment_bridge.body.description import Joint
from embodiment_bridge.core.errors import CommandError, unknown

LONGEST_S = 3600.0  # s; a longer trajectory has wrong times
POINT_LIMIT = 10_000
TOLERANCE = 1e-3  # rad by which rounding may exceed a limit; the commands still keep the limit


@dataclass(frozen=True, slots=True)
class TrajectoryPoint:
    """Targets at ``time`` s after the start: positions, rad; velocities, rad/s, empty if not given."""

    time: float
    positions: tuple[float, ...]
    velocities: tuple[float, ...] = ()


class Trajectory:
    """Cubic pieces through the points, starting with the present positions and velocities.

    At an inner point without velocities a joint moves with the mean slope, or rests where its direction changes,
    so that it never leaves the range between two neighbouring points. It is used like ``keyframes.Motion``.
    """

    def __init__(
        self,
        joints: Sequence[int],
        position: Sequence[float],
        velocity: Sequence[float],
        points: Sequence[TrajectoryPoint],
    ) -> None:
        self.joints = tuple(joints)
        self.total = points[-1].time
        self.time = 0.0
        start = TrajectoryPoint(0.0, tuple(position), tuple(velocity))
        first = [] if points[0].time > 0.0 else [points[0]]
        self._points = [*(first or [start]), *points[len(first) :]]
        self._slopes = [self._slope(i) for i in range(len(self._points))]
        self._piece = 0

    @property
    def done(self) -> bool:
        """Whether the time of the last point has come."""
        return self.time >= self.total - 1e-9

    @property
    def progress(self) -> float:
        """The share of the time, 0..1."""
        return 1.0 if self.done else self.time / self.total

    def advance(self, dt: float) -> None:
        """Let ``dt`` s (>= 0) pass."""
        self.time += dt
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

    def _slope(self, i: int) -> tuple[float, ...]:
        points = self._points
        point = points[i]
        if point.velocities:
            return point.velocities
        if i in (0, len(points) - 1):
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
    """The harmonic mean of two slopes, 0 where the direction changes (Fritsch and Butland: no overshoot)."""
    return 2.0 * left * right / (left + right) if left * right > 0.0 else 0.0


def checked_points(
    names: Sequence[str], points: Sequence[TrajectoryPoint], known: Mapping[str, Joint]
) -> tuple[TrajectoryPoint, ...]:
    """Check that joints can follow the points, and return them.

    Raises:
        CommandError: unknown or repeated joint, a point of the wrong length, a value that is not finite or outside of
            the joint's range, times that do not increase; the text names joint, point, value and range.
    """
    for name in names:
        if name not in known:
            raise CommandError(f"trajectory: {unknown('joint', name, known)}")
    if len(set(names)) != len(names):
        raise CommandError(f"trajectory: a joint is named twice in {', '.join(names)}")
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
