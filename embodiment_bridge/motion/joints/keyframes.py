# SPDX-License-Identifier: Apache-2.0
"""Motion of joints through keyframes: minimum-jerk pieces that end at rest, within the speed of the joints."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from embodiment_bridge.body.description import Joint, Keyframe
from embodiment_bridge.body.least_times import shortest_move

STOP_S = 0.25  # s in which a moving joint comes to rest
STRETCH = 1.2  # factor on the duration at each try
STRETCHES = 20  # tries, up to 38 times as long; a joint that starts within its speed needs less
PEAK_SAMPLES = tuple(i / 16 for i in range(1, 16))  # shares of the time at which the speed is checked
BRAKING = 3.9  # peak acceleration of a piece that only loses its speed, as a multiple of speed / time
SHORTEST_S = 1e-3  # s: shorter pieces are jumps, which the limiter handles


@dataclass(frozen=True, slots=True)
class Piece:
    """Reach ``goals`` (rad, one per joint of the motion) in ``duration`` s."""

    duration: float
    goals: tuple[float, ...]


class Motion:
    """A move of some joints through pieces, from any position and speed.

    Args:
        joints: their numbers in the body.
        position: rad, of each of them at the start.
        velocity: rad/s, same order.
        pieces: where to go; at least one.
    """

    def __init__(
        self,
        joints: Sequence[int],
        position: Sequence[float],
        velocity: Sequence[float],
        pieces: Sequence[Piece],
    ) -> None:
        self.joints = tuple(joints)
        self.total = sum(piece.duration for piece in pieces)
        self.time = 0.0
        self._pieces = pieces
        self._number = 0
        self._begun = 0.0
        self._from = tuple(position)
        self._speed: tuple[float, ...] | None = tuple(velocity) if any(velocity) else None

    @property
    def done(self) -> bool:
        """Whether the last piece is over."""
        return self._number >= len(self._pieces)

    @property
    def progress(self) -> float:
        """The share of the time, 0..1."""
        return 1.0 if self.done else min(self.time / self.total, 1.0)

    def drop(self, joints: Collection[int]) -> None:
        """Leave these joints to something else."""
        kept = [place for place, joint in enumerate(self.joints) if joint not in joints]
        self.joints = tuple(self.joints[place] for place in kept)
        self._from = tuple(self._from[place] for place in kept)
        if self._speed is not None:
            self._speed = tuple(self._speed[place] for place in kept)
        self._pieces = [
            Piece(piece.duration, tuple(piece.goals[place] for place in kept)) for piece in self._pieces
        ]

    def advance(self, dt: float) -> None:
        """Let ``dt`` s (>= 0) pass."""
        self.time += dt
        while not self.done and self.time >= self._begun + self._pieces[self._number].duration - 1e-9:
            piece = self._pieces[self._number]
            self._begun += piece.duration
            self._from, self._speed = piece.goals, None
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
        if self._speed is not None:
            carry = s * (1 + s * s * (-6 + s * (8 - 3 * s))) * piece.duration
            for joint, speed in zip(self.joints, self._speed, strict=True):
                out[joint] += speed * carry


def pieces_of(
    keyframes: Sequence[Keyframe],
    joints: Sequence[Joint],
    position: Sequence[float],
    velocity: Sequence[float],
    length: float,
) -> list[Piece]:
    """The pieces through ``keyframes`` in ``length`` s, stretched where a joint could not follow.

    Args:
        keyframes: in order of time; a joint that a keyframe does not name stays where it was.
        joints: the joints to move, all that the keyframes name among them.
        position: rad, of each of them at the start.
        velocity: rad/s, same order.
        length: s, of the whole motion.
    """
    pieces: list[Piece] = []
    here, speeds, at = tuple(position), velocity, 0.0
    for frame in keyframes:
        goals = tuple(frame.position.get(j.name, angle) for j, angle in zip(joints, here, strict=True))
        pieces.append(piece_to(goals, joints, here, speeds, (frame.at - at) * length))
        here, speeds, at = goals, (0.0,) * len(joints), frame.at
    return pieces


def piece_to(
    goals: tuple[float, ...],
    joints: Sequence[Joint],
    position: Sequence[float],
    velocity: Sequence[float],
    duration: float,
) -> Piece:
    """A piece of at least ``duration`` s in which each joint keeps its limits of speed and acceleration."""
    braking = max(
        (BRAKING * abs(v) / j.acceleration for j, v in zip(joints, velocity, strict=True)), default=0.0
    )
    duration = max(duration, shortest_move(joints, position, goals), braking, SHORTEST_S)
    for joint, start, speed, goal in zip(joints, position, velocity, goals, strict=True):
        for _ in range(STRETCHES if speed else 0):
            slow_enough = _peak(goal - start, speed, duration) <= max(joint.velocity, abs(speed))
            if slow_enough and _peak_acceleration(goal - start, speed, duration) <= joint.acceleration:
                break
            duration *= STRETCH
    return Piece(duration, goals)


def _peak(way: float, speed: float, duration: float) -> float:
    """The highest speed (rad/s, sampled) on a way that begins at ``speed`` and ends at rest."""
    mean = way / duration
    a, b, c = 30 * mean - 18 * speed, 32 * speed - 60 * mean, 30 * mean - 15 * speed
    return max(abs(speed + s * s * (a + s * (b + s * c))) for s in PEAK_SAMPLES)


def _peak_acceleration(way: float, speed: float, duration: float) -> float:
    """The highest acceleration (rad/s2, sampled) on such a way."""
    a, b = way / duration**2, speed / duration
    return max(
        abs(s * (60 * a - 36 * b + s * (96 * b - 180 * a + s * (120 * a - 60 * b)))) for s in PEAK_SAMPLES
    )


class Stop(Motion):
    """Brings joints to rest from ``position`` rad and ``velocity`` rad/s without reversing."""

    def __init__(self, joints: Sequence[int], position: Sequence[float], velocity: Sequence[float]) -> None:
        goals = tuple(p + 0.5 * STOP_S * v for p, v in zip(position, velocity, strict=True))
        super().__init__(joints, position, velocity, [Piece(STOP_S, goals)])
