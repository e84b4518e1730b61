# SPDX-License-Identifier: Apache-2.0
"""A recorded track as a motion: smooth through its points, and joined without a jump from the present angles."""

from collections.abc import Sequence

from embodiment_bridge.body.description import Joint, Track
from embodiment_bridge.body.least_times import shortest_move
from embodiment_bridge.motion.joints.move import Brake, Move
from embodiment_bridge.motion.joints.trajectory import Trajectory, TrajectoryPoint

BLEND_S = 0.3  # s, at least, for the way from the present angles to the track


def recorded(
    joints: Sequence[int], brake: Brake, track: Track, moved: Sequence[Joint], length: float
) -> Move:
    """A motion along a recorded track.

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
    blend_s = max(BLEND_S, shortest_move(moved, start, points[0].positions))
    return Move(brake, Trajectory(joints, points[0].positions, points), blend_s)


def points_of(track: Track, stretch: float = 1.0) -> list[TrajectoryPoint]:
    """The points of a track, with its times multiplied by ``stretch``."""
    return [
        TrajectoryPoint(time * stretch, angles)
        for time, angles in zip(track.times, track.angles, strict=True)
    ]


def fastest(track: Track, moved: Sequence[Joint]) -> float:
    """The smallest factor on the recorded time with which every joint can follow."""
    points = points_of(track)
    return max(Trajectory(range(len(moved)), points[0].positions, points).paces(moved))
