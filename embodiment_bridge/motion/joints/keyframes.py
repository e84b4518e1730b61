# SPDX-License-Identifier: Apache-2.0
"""Motion of joints through keyframes, minimum-jerk pieces from rest to rest, or through a recorded track."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from embodiment_bridge.body.description import Joint, Keyframe, Track
from embodiment_bridge.body.motion_section import shortest_move
from embodiment_bridge.motion.joints.move import Brake, Move, Way, smooth
from embodiment_bridge.motion.joints.trajectory import Trajectory, TrajectoryPoint

# Recorded tracks: thins samples to a few points, and plays them without a jump at the start.

BLEND_S = 0.3  # s, at least, for the way from the present angles to the track
AT_ITS_START = 0.02  # rad within which a track is joined at once: a blend would weaken its beginning


def recorded(
    joints: Sequence[int], brake: Brake, track: Track, moved: Sequence[Joint], length: float
) -> Move:
    """Return a motion along a recorded track.

    Args:
        joints: numbers of the joints of the track in the body.
        brake: how they come to rest where they are.
        track: the recording.
        moved: the joints, in the order of the track.
        length: wanted duration, s; it takes longer if a joint could not follow.
    """
    stretch = max(length / track.length, fastest(track, moved))
    points = points_of(track, stretch)
    start = [brake.rest[joint] for joint in joints]
    first = points[0].positions
    blend_s = shortest_move(moved, start, first)
    if any(abs(here - there) > AT_ITS_START for here, there in zip(start, first, strict=True)):
        blend_s = max(BLEND_S, blend_s)
    return Move(brake, Trajectory(joints, first, points), blend_s)


def points_of(track: Track, stretch: float = 1.0) -> list[TrajectoryPoint]:
    """Return the points of a track, with its times multiplied by ``stretch``."""
    return [
        TrajectoryPoint(time * stretch, angles)
        for time, angles in zip(track.times, track.angles, strict=True)
    ]


def fastest(track: Track, moved: Sequence[Joint]) -> float:
    """Return the smallest factor on the recorded time with which every joint can follow."""
    points = points_of(track)
    return max(Trajectory(range(len(moved)), points[0].positions, points).paces(moved))


# From many samples of joint angles to the few points through which a smooth curve keeps near to all of them.

ROUNDS = 30  # each adds a point to every piece that is not near enough


def moved_joints(rows: Sequence[Sequence[float]], least: float) -> list[int]:
    """Return the numbers of the columns whose angles (rad) differ by more than ``least``."""
    columns = list(zip(*rows, strict=True))
    return [number for number, column in enumerate(columns) if max(column) - min(column) > least]


def thinned(
    names: Sequence[str], times: Sequence[float], rows: Sequence[Sequence[float]], near: float
) -> Track:
    """Return a track through some of the samples that is within ``near`` rad of all of them.

    Args:
        names: of the joints.
        times: s, increasing, at least two; the track begins at 0.
        rows: angles in rad, for each time one per joint.
        near: rad.
    """
    chosen = {0, len(times) - 1}
    for _ in range(ROUNDS):
        track = _track(names, times, rows, sorted(chosen))
        worst = _worst(track, times, rows, sorted(chosen), near)
        if not worst:
            break
        chosen |= worst
    return _track(names, times, rows, sorted(chosen))


def _track(
    names: Sequence[str], times: Sequence[float], rows: Sequence[Sequence[float]], chosen: Sequence[int]
) -> Track:
    return Track(
        tuple(names), tuple(times[i] - times[0] for i in chosen), tuple(tuple(rows[i]) for i in chosen)
    )


def _worst(
    track: Track,
    times: Sequence[float],
    rows: Sequence[Sequence[float]],
    chosen: Sequence[int],
    near: float,
) -> set[int]:
    """Return, of each piece with too large an error, the sample that is farthest off."""
    points = points_of(track)
    curve = Trajectory(range(len(track.joints)), points[0].positions, points)
    angles = list(points[0].positions)
    farthest: dict[int, tuple[float, int]] = {}
    for number, (time, row) in enumerate(zip(times, rows, strict=True)):
        curve.advance(time - times[0] - curve.time)
        curve.write(angles)
        error = max(abs(a - b) for a, b in zip(angles, row, strict=True))
        piece = bisect_right(chosen, number)
        if error > near and error > farthest.get(piece, (0.0, 0))[0]:
            farthest[piece] = (error, number)
    return {number for _, number in farthest.values()}


SHORTEST_S = 1e-3  # s: shorter pieces are jumps, which the limiter handles


@dataclass(frozen=True, slots=True)
class Piece:
    """Moves to ``goals`` (rad, one per joint of the motion) in ``duration`` s."""

    duration: float
    goals: tuple[float, ...]


class Motion(Way):
    """Moves some joints through pieces, from rest.

    Args:
        joints: their numbers in the body.
        position: rad, of each of them at the start.
        pieces: where to go; at least one.
    """

    def __init__(self, joints: Sequence[int], position: Sequence[float], pieces: Sequence[Piece]) -> None:
        super().__init__(joints, sum(piece.duration for piece in pieces))
        self._pieces = pieces
        self._number = 0
        self._begun = 0.0
        self._from = tuple(position)

    @property
    def done(self) -> bool:
        """Whether the last piece is over."""
        return self._number >= len(self._pieces)

    def advance(self, dt: float) -> None:
        """Let ``dt`` s (>= 0) pass."""
        super().advance(dt)
        while not self.done and self.time >= self._begun + self._pieces[self._number].duration - 1e-9:
            piece = self._pieces[self._number]
            self._begun += piece.duration
            self._from = piece.goals
            self._number += 1

    def write(self, out: list[float]) -> None:
        """Put the joint angles (rad) of now into ``out``, which has a value per joint of the body."""
        if self.done:
            for joint, angle in zip(self.joints, self._from, strict=True):
                out[joint] = angle
            return
        piece = self._pieces[self._number]
        blend = smooth(min((self.time - self._begun) / piece.duration, 1.0))
        for joint, start, goal in zip(self.joints, self._from, piece.goals, strict=True):
            out[joint] = start + (goal - start) * blend

    def span(self, joint: int) -> tuple[float, float]:
        """Return the least and the greatest angle (rad) of a joint on the present piece."""
        place = self.joints.index(joint)
        start = self._from[place]
        goal = start if self.done else self._pieces[self._number].goals[place]
        return min(start, goal), max(start, goal)


def pieces_of(
    keyframes: Sequence[Keyframe], joints: Sequence[Joint], position: Sequence[float], length: float
) -> list[Piece]:
    """Return the pieces through ``keyframes`` in ``length`` s, stretched where a joint could not follow.

    Args:
        keyframes: in order of time; a joint that a keyframe does not name stays where it was.
        joints: the joints to move, all that the keyframes name among them.
        position: rad, of each of them at the start.
        length: s, of the whole motion.
    """
    pieces: list[Piece] = []
    here, at = tuple(position), 0.0
    for frame in keyframes:
        goals = tuple(frame.position.get(j.name, angle) for j, angle in zip(joints, here, strict=True))
        pieces.append(piece_to(goals, joints, here, (frame.at - at) * length))
        here, at = goals, frame.at
    return pieces


def piece_to(
    goals: tuple[float, ...], joints: Sequence[Joint], position: Sequence[float], duration: float
) -> Piece:
    """Return a piece of at least ``duration`` s in which each joint keeps its limits of speed and acceleration."""
    return Piece(max(duration, shortest_move(joints, position, goals), SHORTEST_S), goals)
