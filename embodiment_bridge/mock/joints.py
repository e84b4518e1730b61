# SPDX-License-Identifier: Apache-2.0
"""Joints that follow their targets as servos do: with a lag, and within their speed and range."""

from collections.abc import Sequence
from math import exp, isfinite

from embodiment_bridge.body.description import Joint

LAG_S = 0.03  # s, time constant


class Servos:
    """The servos of all joints.

    position: rad, velocity: rad/s, in the order of ``joints``. They start at rest in the rest pose.
    """

    def __init__(self, joints: Sequence[Joint]) -> None:
        self._limits = tuple((joint.lower, joint.upper, joint.velocity) for joint in joints)
        self.position = [min(max(joint.rest, joint.lower), joint.upper) for joint in joints]
        self.velocity = [0.0] * len(self.position)

    def step(self, targets: Sequence[float], dt: float) -> None:
        """Move towards ``targets`` (rad) for ``dt`` s; with a target that is not finite the joint stays where it is."""
        if dt <= 0.0:
            return
        share = 1.0 - exp(-dt / LAG_S)
        for i, (lower, upper, fastest) in enumerate(self._limits):
            here, target = self.position[i], targets[i]
            reach = fastest * dt
            way = (min(max(target, lower), upper) - here) * share if isfinite(target) else 0.0
            there = min(max(here + min(max(way, -reach), reach), lower), upper)
            speed = min(
                max((there - here) / dt, -fastest), fastest
            )  # in a tiny step a rounding error is fast
            self.position[i], self.velocity[i] = there, speed
