# SPDX-License-Identifier: Apache-2.0
"""Sensed values, where a bad one is replaced by the last good one; limp joints; the time between percepts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import cos, hypot, isfinite, nan, sin

from embodiment_bridge.body.description import Joint
from embodiment_bridge.body.state import ZERO3, BodyState
from embodiment_bridge.core.rotation import wrap_angle

# Joints that follow no targets, in words.

NAMED = 5  # joints; of more the number is told


def limp_among(joints: Sequence[Joint], limp: Mapping[int, str], moved: Collection[int]) -> tuple[str, bool]:
    """Return which of the ``moved`` joints follow no targets, and what to do; and whether these are all.

    The text is empty if all of them follow. limp: why, by number of the joint.
    """
    numbers = [number for number in moved if number in limp]
    if not numbers:
        return "", False
    named = ", ".join(f"{joints[number].name} ({limp[number]})" for number in numbers[:NAMED])
    more = f" and {len(numbers) - NAMED} more" if len(numbers) > NAMED else ""
    return f"cannot be moved: {named}{more}; set_torque drives limp joints", len(numbers) == len(moved)


SPEED_FILTER_S = 0.1  # s, time constant of the speed: long enough against rounding, shorter than a step
FASTEST = 10.0  # m/s: a body that seems to move faster was put elsewhere, as a referee or a beam does
BASE_TIMEOUT_S = 0.5  # s after which the last good base pose or tilt is too old for balance and steering


@dataclass(slots=True)
class Balance:
    """Holds tilt and motion of a part of the body: roll, pitch rad; rates about its x, y, z rad/s.

    ahead, left: m/s over ground, in the direction that it faces.
    """

    roll: float = 0.0
    pitch: float = 0.0
    rates: tuple[float, float, float] = ZERO3
    ahead: float = 0.0
    left: float = 0.0


LEVEL = Balance()


class Sensed:
    """Holds joint angles and the pose of the base, from percepts in which values may be missing.

    position, velocity: rad and rad/s per joint; now: rad by the last state alone (nan: not sensed);
    came: the joints that the last state was the first to tell;
    limp: why a joint follows no targets, by its number; gap: s between the last two states by their own clock;
    x, y, z: m in ``map``; roll, pitch, yaw: rad of base_link, yaw continuous (not wrapped); rates: rad/s in base_link.
    """

    def __init__(self, rest: Sequence[float]) -> None:
        self._rest = tuple(rest)
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.position = list(self._rest)
        self.velocity = [0.0] * len(self._rest)
        self.now: Sequence[float] = [nan] * len(self._rest)
        self.limp: Mapping[int, str] = {}
        self.gap = 0.0
        self._time: float | None = None
        self._missing = set(range(len(self._rest)))
        self.came: tuple[int, ...] = ()
        self._base_age = self._tilt_age = BASE_TIMEOUT_S
        self._height_estimated = False
        self._base_seen = False
        self.x = self.y = self.z = self.yaw = 0.0
        self._speed_x = self._speed_y = 0.0
        self.roll = self.pitch = 0.0
        self.rates = ZERO3

    @property
    def joints_known(self) -> bool:
        """Whether every joint was sensed at least once."""
        return not self._missing

    @property
    def base_fresh(self) -> bool:
        """Whether the base was sensed within ``BASE_TIMEOUT_S``."""
        return self._base_age < BASE_TIMEOUT_S

    @property
    def speed(self) -> float:
        """Speed of the base over ground, m/s; 0 where its place is not sensed."""
        return hypot(self._speed_x, self._speed_y) if self.base_fresh else 0.0

    @property
    def tilt_fresh(self) -> bool:
        """Whether roll and pitch were sensed within ``BASE_TIMEOUT_S``, with or without the position."""
        return self._tilt_age < BASE_TIMEOUT_S

    @property
    def height_known(self) -> bool:
        """Whether ``z`` was sensed within ``BASE_TIMEOUT_S`` and is not an estimate."""
        return self.base_fresh and not self._height_estimated

    def update(self, state: BodyState, dt: float) -> None:
        """Use the finite values of ``state``, which came ``dt`` s after the last one (also after a gap)."""
        self.gap = state.time - self._time if self._time is not None else 0.0
        self._time = state.time
        self.limp = state.limp
        if len(state.velocity) == len(self.velocity):
            self.velocity = [value if isfinite(value) else 0.0 for value in state.velocity]
        self.came = ()
        told = len(state.position) == len(self.position)
        self.now = state.position if told else [nan] * len(self.position)
        if told:
            for i, value in enumerate(state.position):
                if isfinite(value):
                    self.position[i] = value
            if self._missing:
                self.came = tuple(i for i in self._missing if isfinite(state.position[i]))
                self._missing.difference_update(self.came)
        self._base_age += dt
        self._tilt_age += dt
        if state.has_base:
            self._update_base(state)
        elif state.has_tilt and isfinite(state.roll + state.pitch):
            self._update_tilt(state)

    def _update_base(self, state: BodyState) -> None:
        x, y, z = state.base_position
        if not isfinite(x + y + z + state.roll + state.pitch + state.yaw):
            return
        passed = self._base_age  # since x and y; the last state may have had no base
        # In a gap between percepts nothing goes a metre by itself, either.
        if not self.base_fresh or hypot(x - self.x, y - self.y) > FASTEST * min(passed, SPEED_FILTER_S) > 0.0:
            self._speed_x = self._speed_y = 0.0
        elif passed > 0.0:
            share = min(passed / SPEED_FILTER_S, 1.0)
            self._speed_x += ((x - self.x) / passed - self._speed_x) * share
            self._speed_y += ((y - self.y) / passed - self._speed_y) * share
        self.yaw = self.yaw + wrap_angle(state.yaw - self.yaw) if self._base_seen else state.yaw
        self.x, self.y, self.z = x, y, z
        self._height_estimated = state.height_estimated
        self._base_seen, self._base_age = True, 0.0
        self._update_tilt(state)

    def _update_tilt(self, state: BodyState) -> None:
        self.roll, self.pitch, self._tilt_age = state.roll, state.pitch, 0.0
        if isfinite(sum(state.base_rates)):
            self.rates = state.base_rates

    def hips(self, waist: int | None) -> tuple[Balance, float]:
        """Return balance and yaw (rad) of the hips, which joint number ``waist`` turns against base_link."""
        angle = self.position[waist] if waist is not None else 0.0
        yaw = self.yaw + angle
        if not self.base_fresh:
            return LEVEL, yaw
        c, s = cos(angle), sin(angle)
        (rx, ry, rz), roll, pitch = self.rates, self.roll, self.pitch
        balance = Balance(c * roll + s * pitch, c * pitch - s * roll, (c * rx + s * ry, c * ry - s * rx, rz))
        c, s = cos(yaw), sin(yaw)
        balance.ahead, balance.left = (
            c * self._speed_x + s * self._speed_y,
            c * self._speed_y - s * self._speed_x,
        )
        return balance, yaw


# How much time a percept lets pass for the motion, and whether there was a gap before it.

LONGEST_STEP_S = 0.1  # s: a longer time between percepts is a gap, in which no planned motion was done
GAP_S = 0.5  # s: after a longer gap the joints are where they came to rest


class Pace:
    """Learns the times between percepts. Gaps that follow each other are normal for this body."""

    def __init__(self) -> None:
        self._usual_s = 0.0  # the last time between percepts that was not a gap, s
        self._slow = False  # the last time between percepts was a gap

    def step(self, gap: float) -> tuple[float, bool]:
        """Return the time in s by which motions advance, ``gap`` s after the last percept.

        The second value says whether joints begin anew.
        """
        slow, self._slow = self._slow, gap > LONGEST_STEP_S
        if not self._slow:
            self._usual_s = gap or self._usual_s
            return gap, False
        return (LONGEST_STEP_S, False) if slow else (self._usual_s, gap > GAP_S)
