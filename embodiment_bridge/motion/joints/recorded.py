# SPDX-License-Identifier: Apache-2.0
"""A recorded track as a motion: smooth through its points, and joined without a jump to the present angles."""

from collections.abc import Sequence
from itertools import pairwise

from embodiment_bridge.body.description import Joint, Track
from embodiment_bridge.body.least_times import shortest_move
from embodiment_bridge.motion.joints.trajectory import Trajectory, TrajectoryPoint

BLEND_S = 0.3  # s, at least, for the way from the present angles to the track
SAMPLES = tuple(i / 8 for i in range(9))  # shares of each piece at which its speed is checked


class Recorded:
    """A motion along a recorded track; it is used like ``keyframes.Motion``.

    Args:
        joints: numbers of the joints of the track in the body.
        position: rad, of each of them at the start.
        velocity: rad/s, of each of them at the start.
        track: the recording.
        moved: the joints, in the order of the track.
        length: wanted duration, s; it takes longer if a joint could not follow.
    """

    def __init__(
        self,
        joints: Sequence[int],
        position: Sequence[float],
        velocity: Sequence[float],
        track: Track,
        moved: Sequence[Joint],
        length: float,
    ) -> None:
        self.joints = tuple(joints)
        stretch = max(length / track.length, fastest(track, moved))
        points = points_of(track, stretch)
        first = points[0].positions
        still = (0.0,) * len(first)
        self._track = Trajectory(range(len(first)), first, still, points)
        self.total = self._track.total
        self._gap = tuple(here - there for here, there in zip(position, first, strict=True))
        self._speed = tuple(velocity)
        self._blend = max(BLEND_S, shortest_move(moved, position, first))
        self._angles = list(first)

    @property
    def done(self) -> bool:
        """Whether the track and the way to it are over."""
        return self._track.done and self._track.time >= self._blend - 1e-9

    @property
    def progress(self) -> float:
        """The share of the time, 0..1."""
        return 1.0 if self.done else min(self._track.time / max(self.total, self._blend), 1.0)

    def advance(self, dt: float) -> None:
        """Let ``dt`` s (>= 0) pass."""
        self._track.advance(dt)

    def write(self, out: list[float]) -> None:
        """Put the joint angles (rad) of now into ``out``, which has a value per joint of the body."""
        self._track.write(self._angles)
        s = min(self._track.time / self._blend, 1.0)
        rest = 1.0 - s * s * s * (10 + s * (6 * s - 15))
        carry = s * (1 + s * s * (-6 + s * (8 - 3 * s))) * self._blend
        for joint, angle, gap, speed in zip(self.joints, self._angles, self._gap, self._speed, strict=True):
            out[joint] = angle + gap * rest + speed * carry


def points_of(track: Track, stretch: float = 1.0) -> list[TrajectoryPoint]:
    """The points of a track, with its times multiplied by ``stretch``."""
    return [
        TrajectoryPoint(time * stretch, angles)
        for time, angles in zip(track.times, track.angles, strict=True)
    ]


def fastest(track: Track, moved: Sequence[Joint]) -> float:
    """The smallest factor on the recorded time with which every joint can follow."""
    points = points_of(track)
    curve = Trajectory(range(len(moved)), points[0].positions, (0.0,) * len(moved), points)
    before: list[float] = list(points[0].positions)
    now = list(before)
    factor = 0.0
    for early, late in pairwise(points):
        step = (late.time - early.time) / (len(SAMPLES) - 1)
        for _ in SAMPLES[1:]:
            curve.advance(step)
            curve.write(now)
            for joint, a, b in zip(moved, before, now, strict=True):
                factor = max(factor, abs(b - a) / step / joint.velocity)
            before[:] = now
    return factor
