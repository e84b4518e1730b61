# SPDX-License-Identifier: Apache-2.0
"""Motion of joints through keyframes: minimum-jerk pieces from rest to rest, within the speed of the joints."""

from collections.abc import Sequence
from dataclasses import dataclass

from embodiment_bridge.body.description import Joint, Keyframe
from embodiment_bridge.body.motion_section import shortest_move

SHORTEST_S = 1e-3  # s: shorter pieces are jumps, which the limiter handles


@dataclass(frozen=True, slots=True)
class Piece:
    """Reach ``goals`` (rad, one per joint of the motion) in ``duration`` s."""

    duration: float
    goals: tuple[float, ...]


class Motion:
    """A way of some joints through pieces, from rest.

    Args:
        joints: their numbers in the body.
        position: rad, of each of them at the start.
        pieces: where to go; at least one.
    """

    def __init__(self, joints: Sequence[int], position: Sequence[float], pieces: Sequence[Piece]) -> None:
        self.joints = tuple(joints)
        self.total = sum(piece.duration for piece in pieces)
        self.time = 0.0
        self._pieces = pieces
        self._number = 0
        self._begun = 0.0
        self._from = tuple(position)

    @property
    def done(self) -> bool:
        """Whether the last piece is over."""
        return self._number >= len(self._pieces)

    @property
    def progress(self) -> float:
        """The share of the time, 0..1."""
        return 1.0 if self.done else min(self.time / self.total, 1.0)

    def advance(self, dt: float) -> None:
        """Let ``dt`` s (>= 0) pass."""
        self.time += dt
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
        s = min((self.time - self._begun) / piece.duration, 1.0)
        blend = s * s * s * (10 + s * (6 * s - 15))
        for joint, start, goal in zip(self.joints, self._from, piece.goals, strict=True):
            out[joint] = start + (goal - start) * blend

    def span(self, joint: int) -> tuple[float, float]:
        """Between which angles (rad) a joint is on the present piece."""
        place = self.joints.index(joint)
        start = self._from[place]
        goal = start if self.done else self._pieces[self._number].goals[place]
        return min(start, goal), max(start, goal)


def pieces_of(
    keyframes: Sequence[Keyframe], joints: Sequence[Joint], position: Sequence[float], length: float
) -> list[Piece]:
    """The pieces through ``keyframes`` in ``length`` s, stretched where a joint could not follow.

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
    """A piece of at least ``duration`` s in which each joint keeps its limits of speed and acceleration."""
    return Piece(max(duration, shortest_move(joints, position, goals), SHORTEST_S), goals)
