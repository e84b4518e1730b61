# SPDX-License-Identifier: Apache-2.0
"""From joint targets to the speeds that rcssserver3d takes: one proportional loop with feed-forward per joint.

There is no integrator, so that nothing winds up while a joint is held (by a stop, or for a second after it touched
another limb): it goes on at its greatest speed at most. The speed is cut so that no joint reaches a stop before the
next commands can stop it: rcssserver3d 0.7.3 ignores commands while a joint is beyond one, and it bounces there.

A server that is short of time runs many cycles in a row and reads no command meanwhile. Then a speed lasts for all of
them, so the gain falls with their number; a joint at its target is not driven at all.
"""

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple

from embodiment_bridge.body.state import JointTargets

CYCLE = 0.02  # s
SHARE = 0.4  # of the way to the goal in the cycles that a speed lasts; it shows one or two later and would overshoot
DELAY = 1.5 * CYCLE  # s until a command is obeyed, beside the cycles for which the speed before it lasts
AT_REST = 0.001  # rad from its goal that a joint may be at rest; the server tells angles in steps of 0.0002
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

    def speeds(
        self, angles: Sequence[float], targets: JointTargets, dt: float, cycles: int = 1
    ) -> list[float]:
        """rad/s for each joint.

        The gain of a joint is kp / kd (1/s): at that speed its spring and its damper would balance. ``effort`` means
        nothing to a joint that is driven by speed.

        Args:
            angles: rad, as sensed; of a joint that is not a number, the speed is 0.
            targets: of the joints.
            dt: s since the last percept.
            cycles: of the server, for which a speed may last.
        """
        lasting = max(cycles, 1) * CYCLE
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
            _speed(
                limits, angle, goal, velocity or (goal - before) / dt, _gain(kp, kd, SHARE / lasting), lasting
            )
            for limits, angle, goal, before, velocity, kp, kd in rows
        ]


def _gain(kp: float, kd: float, most: float) -> float:
    if kp <= 0.0:
        return 0.0
    return min(kp / kd, most) if kd > 0.0 else most


def _speed(limits: Limits, angle: float, goal: float, feed: float, gain: float, lasting: float) -> float:
    off = min(max(goal, limits.lower), limits.upper) - angle
    wanted = feed + gain * off
    if not isfinite(wanted) or (feed == 0.0 and abs(off) < AT_REST):
        return 0.0
    ahead = DELAY + lasting
    up = min(limits.speed, (limits.upper - angle) / ahead)
    down = max(-limits.speed, (limits.lower - angle) / ahead)
    return max(min(wanted, up), down) if up >= down else 0.0
