# SPDX-License-Identifier: Apache-2.0
"""Moves of joints that may be moving when they begin: the speed is braked away within the room that it had."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from embodiment_bridge.body.description import Joint

STOP_S = 0.25  # s in which a moving joint comes to rest, where it has the room
JOIN = 2.0  # times the time to a stop, in which a joint goes over to a way: it brakes first, and turns then
BRAKING = 1.5  # peak deceleration on the way to a stop, as a multiple of speed / time


def smooth(share: float) -> float:
    """Return the share (0..1) of a minimum-jerk move from rest to rest that is gone after this share of its time."""
    return share**3 * (10 + share * (6 * share - 15))


class Way(ABC):
    """Represents a path of some joints that begins at rest. joints: their numbers in the body; total: its time, s."""

    def __init__(self, joints: Iterable[int], total: float) -> None:
        self.joints = tuple(joints)
        self.total = total
        self.time = 0.0

    @property
    def done(self) -> bool:
        """Whether its end has come."""
        return self.time >= self.total - 1e-9

    @property
    def progress(self) -> float:
        """The share of its time, 0..1."""
        return 1.0 if self.done else min(self.time / self.total, 1.0)

    def advance(self, dt: float) -> None:
        """Let ``dt`` s (>= 0) pass."""
        self.time += dt

    @abstractmethod
    def write(self, out: list[float]) -> None:
        """Put the joint angles (rad) of now into ``out``, which has a value per joint of the body."""

    @abstractmethod
    def span(self, joint: int) -> tuple[float, float]:
        """Return the least and the greatest angle (rad) of a joint on the present piece of the path."""


class Brake:
    """Brakes moving joints: monotonically, within ``STOP_S`` and their acceleration.

    Args:
        joints: of the body.
        position: rad, of each of the moved ones by its number.
        velocity: rad/s.
        room: rad that each has ahead of it, in the direction of its speed, up to where it was going.
    """

    def __init__(
        self,
        joints: Sequence[Joint],
        position: Mapping[int, float],
        velocity: Mapping[int, float],
        room: Mapping[int, float],
    ) -> None:
        self._from, self._speed = position, velocity
        self._seconds: dict[int, float] = {}
        for number, speed in velocity.items():
            usual = max(STOP_S, BRAKING * abs(speed) / joints[number].acceleration) if speed else 0.0
            self._seconds[number] = min(usual, 2.0 * room[number] / abs(speed)) if speed else 0.0
        self.seconds = max(self._seconds.values(), default=0.0)
        self.rest = {number: self.at(number, inf) for number in position}

    def at(self, joint: int, time: float) -> float:
        """Return the angle (rad) of a joint ``time`` s after the begin."""
        seconds = self._seconds[joint]
        s = min(time / seconds, 1.0) if seconds else 1.0
        return self._from[joint] + self._speed[joint] * seconds * s * (1.0 + s * s * (0.5 * s - 1.0))


class Move:
    """Represents a path that joints join smoothly, with the speed that they have.

    They go over from coming to rest to the way, so that they leave neither the way nor the room to brake.

    Args:
        brake: how the joints of the way come to rest.
        way: where to go.
        blend_s: s, at least, in which they join it; without speed none is needed where it begins at their place.
    """

    def __init__(self, brake: Brake, way: Way, blend_s: float = 0.0) -> None:
        self.joints = way.joints
        self._brake, self._way = brake, way
        self._blend_s = max(blend_s, JOIN * brake.seconds)
        self._time = 0.0
        self._dropped: set[int] = set()

    @property
    def done(self) -> bool:
        """Whether the way is over, and has been joined."""
        return self._way.done and self._time >= self._blend_s - 1e-9

    @property
    def progress(self) -> float:
        """The share of the time, 0..1."""
        return self._way.progress if self._time >= self._blend_s else self._way.progress * self._joined

    @property
    def _joined(self) -> float:
        """The weight of the way, 0..1."""
        return smooth(min(self._time / self._blend_s, 1.0)) if self._blend_s else 1.0

    def drop(self, joints: Iterable[int]) -> None:
        """Leave these joints to something else."""
        self._dropped |= set(joints)
        self.joints = tuple(joint for joint in self.joints if joint not in self._dropped)

    def advance(self, dt: float) -> None:
        """Let ``dt`` s (>= 0) pass."""
        self._time += dt
        self._way.advance(dt)

    def write(self, out: list[float]) -> None:
        """Put the joint angles (rad) of now into ``out``, which has a value per joint of the body."""
        others = {joint: out[joint] for joint in self._dropped}
        self._way.write(out)
        if (share := self._joined) < 1.0:
            for joint in self.joints:
                rest = self._brake.at(joint, self._time)
                out[joint] = rest + (out[joint] - rest) * share
        for joint, angle in others.items():
            out[joint] = angle

    def span(self, joint: int) -> tuple[float, float]:
        """Return the least and the greatest angle (rad) of a joint until it next rests or turns by itself."""
        low, high = self._way.span(joint)
        if self._time < self._blend_s:
            rest = self._brake.rest[joint]
            low, high = min(low, rest), max(high, rest)
        return low, high


class Rest(Way):
    """Represents the path of joints that only come to rest."""

    def __init__(self, brake: Brake) -> None:
        super().__init__(brake.rest, brake.seconds)
        self._brake = brake

    def write(self, out: list[float]) -> None:
        """Put the joint angles (rad) of now into ``out``."""
        for joint in self.joints:
            out[joint] = self._brake.at(joint, self.time)

    def span(self, joint: int) -> tuple[float, float]:
        """Return where a joint is and where it comes to rest, rad."""
        now, rest = self._brake.at(joint, self.time), self._brake.rest[joint]
        return min(now, rest), max(now, rest)


class Stop(Move):
    """Brings joints to rest in the room that they have."""

    def __init__(self, brake: Brake) -> None:
        super().__init__(brake, Rest(brake))
