# SPDX-License-Identifier: Apache-2.0
"""Swings free arms with the walk."""

from collections.abc import Sequence

from embodiment_bridge.body.description import Joint
from embodiment_bridge.motion.gait.walk import near
from embodiment_bridge.motion.joints.arbiter import ChannelArbiter

JOIN_S = 0.5  # s in which an arm that has become free joins the swing


class ArmSwing:
    """Adds the swing of left and right shoulder, if the body has them, to the goals of ``joints``."""

    def __init__(self, shoulders: Sequence[int], joints: Sequence[Joint], arbiter: ChannelArbiter) -> None:
        self._shoulders = tuple((number, joints[number].channel) for number in shoulders)
        self._share = [0.0] * len(self._shoulders)
        self._arbiter = arbiter

    def add(self, goal: list[float], swing: tuple[float, float], dt: float) -> None:
        """Add ``swing`` (rad; left, right) to ``goal`` where the arm is free."""
        for n, (joint, channel) in enumerate(self._shoulders):
            free = self._arbiter.holder(channel) is None
            self._share[n] = near(self._share[n], 1.0, dt / JOIN_S) if free else 0.0
            goal[joint] += self._share[n] * swing[n]
