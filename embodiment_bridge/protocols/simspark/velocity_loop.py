# SPDX-License-Identifier: Apache-2.0
"""From joint targets to the speeds that rcssserver3d takes: one proportional loop with feed-forward per joint.

There is no integrator, so that nothing winds up while a joint is held (by a stop, or for a second after it touched
another limb): it goes on at its greatest speed at most. The speed is cut so that no joint reaches a stop before the
next commands can stop it: rcssserver3d 0.7.3 ignores commands while a joint is beyond one, and it bounces there.
"""

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from embodiment_bridge.body.state import JointTargets

CYCLE = 0.02  # s
MAX_GAIN = 0.4 / CYCLE  # 1/s; what is commanded shows one or two cycles later: a higher gain would overshoot
LOOKAHEAD = 2.5 * CYCLE  # s that a speed may last: a command is seen, answered and obeyed in two cycles
LONGEST_DT = 0.1  # s


class Limits(NamedTuple):
    """Of one joint: rad, rad/s."""

    lower: float
    upper: float
    speed: float


class VelocityLoop:
    """The loops of all joints, in the order of ``limits``."""

    def __init__(self, limits: Sequence[Limits]) -> None:
        self._limits = tuple(limits)
        self._last: tuple[float, ...] = ()

    def restart(self) -> None:
        """Forget the last targets."""
        self._last = ()

    def speeds(self, angles: Sequence[float], targets: JointTargets, dt: float) -> list[float]:
        """rad/s for each joint.

        The gain of a joint is kp / kd (1/s): at that speed its spring and its damper would balance. ``effort`` means
        nothing to a joint that is driven by speed.

        Args:
            angles: rad, as sensed; of a joint that is not a number, the speed is 0.
            targets: what the joints shall do.
            dt: s since the last percept.
        """
        dt = min(max(dt, CYCLE), LONGEST_DT)
        last = self._last or targets.position
        self._last = targets.position
        rows = zip(
            self._limits,
            angles,
            targets.position,
            last,
            targets.velocity,
            targets.kp,
            targets.kd,
            strict=True,
        )
        return [
            _speed(limits, angle, goal, velocity or (goal - before) / dt, _gain(kp, kd))
            for limits, angle, goal, before, velocity, kp, kd in rows
        ]


def _gain(kp: float, kd: float) -> float:
    if kp <= 0.0:
        return 0.0
    return min(kp / kd, MAX_GAIN) if kd > 0.0 else MAX_GAIN


def _speed(limits: Limits, angle: float, goal: float, feed: float, gain: float) -> float:
    wanted = feed + gain * (min(max(goal, limits.lower), limits.upper) - angle)
    if not isfinite(wanted):
        return 0.0
    up = min(limits.speed, (limits.upper - angle) / LOOKAHEAD)
    down = max(-limits.speed, (limits.lower - angle) / LOOKAHEAD)
    return max(min(wanted, up), down) if up >= down else 0.0
