# SPDX-License-Identifier: Apache-2.0
"""Blends the legs from any pose into the wanted one, without a jump."""

from collections.abc import Sequence

BLEND_S = 0.6  # s from any leg pose to the stand: slow enough not to push the body over


class Blend:
    """Mixes the start pose of ``joints`` (numbers) into their targets, with a weight that falls to 0 in ``BLEND_S``."""

    def __init__(self, joints: Sequence[int]) -> None:
        self._joints = tuple(joints)
        self._from: tuple[float, ...] = ()
        self._part = 1.0

    @property
    def done(self) -> bool:
        """Whether the weight of the start pose is 0."""
        return self._part >= 1.0

    def start_from(self, position: Sequence[float]) -> None:
        """Begin at ``position`` (rad per joint of the body)."""
        self._from = tuple(position[i] for i in self._joints)
        self._part = 0.0

    def step(self, dt: float) -> None:
        """Let ``dt`` s pass."""
        self._part = min(self._part + dt / BLEND_S, 1.0)

    def write(self, out: list[float]) -> None:
        """Mix the start pose into ``out`` (rad per joint of the body)."""
        if self.done:
            return
        s = self._part
        share = s * s * s * (10 + s * (6 * s - 15))
        for joint, start in zip(self._joints, self._from, strict=True):
            out[joint] = start + (out[joint] - start) * share
