# SPDX-License-Identifier: Apache-2.0
"""Limits joint commands to range and speed of the joints, starting from their real angles."""

from collections.abc import Iterable, Sequence
from math import isfinite

from embodiment_bridge.body.description import Joint

ARRIVED = 1e-6  # rad from the target within which a joint has arrived
SLOW = 0.1  # rad/s at which it comes there at most: the last step of a motion that ends at rest


class JointLimiter:
    """Follows targets within range and speed of the joints.

    position, velocity: last commands, rad and rad/s, in the order of the joints. Change them only
    through ``reset`` and ``step``.
    """

    def __init__(self, joints: Sequence[Joint]) -> None:
        self._bounds = tuple((j.lower, j.upper, j.velocity) for j in joints)
        self.position = [min(max(j.rest, j.lower), j.upper) for j in joints]
        self.velocity = [0.0] * len(self.position)

    def reset(self, position: Sequence[float], joints: Iterable[int] | None = None) -> None:
        """Start again from ``position`` (rad; clamped to the range), at rest; with ``joints`` only these."""
        for i in range(len(self._bounds)) if joints is None else joints:
            lower, upper, _ = self._bounds[i]
            if isfinite(position[i]):
                self.position[i] = min(max(position[i], lower), upper)
            self.velocity[i] = 0.0

    def step(self, targets: Sequence[float], dt: float) -> None:
        """Move towards ``targets`` (rad) for ``dt`` s; with a target that is not finite the joint stays where it is."""
        if dt <= 0.0:
            return
        position, velocity = self.position, self.velocity
        for i, (lower, upper, fastest) in enumerate(self._bounds):
            here, target = position[i], targets[i]
            if target == here:
                velocity[i] = 0.0
                continue
            if not isfinite(target):
                velocity[i] = 0.0
                continue
            reach = fastest * dt
            there = min(max(min(max(target, lower), upper), here - reach), here + reach)
            position[i] = there
            velocity[i] = (there - here) / dt

    def arrived(self, targets: Sequence[float], joints: Iterable[int]) -> bool:
        """Whether the command of each of ``joints`` is at its target, clamped to its range, and at rest there."""
        for i in joints:
            lower, upper, _ = self._bounds[i]
            off = abs(min(max(targets[i], lower), upper) - self.position[i])
            if off > ARRIVED or abs(self.velocity[i]) > SLOW:
                return False
        return True

    def at_rest(self, joints: Iterable[int]) -> bool:
        """Whether none of ``joints`` moves."""
        return not any(self.velocity[i] for i in joints)
