# SPDX-License-Identifier: Apache-2.0
"""What a learned policy is told: frames of sensed values, the command, its last action and the phase."""

from collections import deque
from collections.abc import Mapping
from math import cos, pi, sin

import numpy as np

from embodiment_bridge.body.network_file import Array
from embodiment_bridge.body.policy import PHASES, Felt, Policy
from embodiment_bridge.motion.joints.sensing import Sensed

FASTEST = 3.0  # m/s: a body that seems faster was placed elsewhere
Vector = tuple[float, float, float]


class Observer:
    """The input of the network. ``action``: its last output, clipped.

    index: numbers of the joints of the body by name. A joint that something else drives counts as if it were at its
    default angle and still, as it was whenever the policy was trained.
    """

    def __init__(self, policy: Policy, index: Mapping[str, int]) -> None:
        self._policy = policy
        self._joints = [(index[j.name] if j.known else None, j.default) for j in policy.joints]
        self._scale = np.array([s for term in policy.terms for s in term.scale], np.float32)
        self.reset()

    def reset(self) -> None:
        """Forget all frames; the clock begins anew."""
        self.action: Array = np.zeros(len(self._joints), np.float32)
        self._frames: deque[Array] = deque(maxlen=self._policy.frames)
        self._phase = 0.0
        self._last: Vector | None = None

    def inputs(self, sensed: Sensed, command: Vector, busy: frozenset[int]) -> Array:
        """The input now, one period after the last.

        Args:
            sensed: of the body.
            command: forward and left m/s, turn rad/s, as the network is to be told.
            busy: numbers of the joints that something else drives.
        """
        policy, moving = self._policy, any(command)
        felt = self._felt(sensed, busy, moving)
        if policy.observe is not None:
            frame = np.asarray(policy.observe(felt, command), np.float32)
        else:
            parts = self._parts(felt, command)
            frame = np.array([v for term in policy.terms for v in parts[term.name]], np.float32) * self._scale
        if not self._frames:
            first = np.zeros_like(frame) if policy.first == "zeros" else frame
            self._frames.extend([first] * policy.frames)
        self._frames.append(frame)
        if policy.clock is not None and moving:
            self._phase = (self._phase + 2 * pi * policy.clock.hz / policy.rate) % (2 * pi)
        return np.concatenate(self._frames)

    def _felt(self, sensed: Sensed, busy: frozenset[int], moving: bool) -> Felt:
        r, p = sensed.roll, sensed.pitch
        position, velocity = [], []
        for joint, default in self._joints:
            free = joint is not None and joint not in busy
            position.append(sensed.position[joint] - default if free and joint is not None else 0.0)
            velocity.append(sensed.velocity[joint] if free and joint is not None else 0.0)
        gravity = (sin(p), -sin(r) * cos(p), -cos(r) * cos(p))
        return Felt(
            sensed.rates,
            gravity,
            self._velocity(sensed),
            position,
            velocity,
            self.action.tolist(),
            self._phases(moving),
        )

    def _velocity(self, sensed: Sensed) -> Vector:
        """Of base_link, in its own frame, m/s: later than the truth by half a period, but not filtered."""
        here = sensed.x, sensed.y, sensed.z
        last, self._last = self._last or here, here
        vx, vy, vz = ((a - b) * self._policy.rate for a, b in zip(here, last, strict=True))
        if max(abs(vx), abs(vy), abs(vz)) > FASTEST:
            return 0.0, 0.0, 0.0
        c, s = cos(sensed.yaw), sin(sensed.yaw)
        vx, vy = c * vx + s * vy, c * vy - s * vx
        c, s = cos(sensed.pitch), sin(sensed.pitch)
        vx, vz = c * vx - s * vz, s * vx + c * vz
        c, s = cos(sensed.roll), sin(sensed.roll)
        return vx, c * vy + s * vz, c * vz - s * vy

    def _phases(self, moving: bool) -> tuple[float, ...]:
        clock = self._policy.clock
        if clock is None:
            return (0.0,) * len(PHASES)
        if not moving:
            return clock.standing
        left, right = self._phase, self._phase + clock.right
        return cos(left), cos(right), sin(left), sin(right)

    @staticmethod
    def _parts(felt: Felt, command: Vector) -> Mapping[str, tuple[float, ...] | list[float]]:
        forward, left, turn = command
        return {
            "gyro": felt.gyro,
            "gravity": felt.gravity,
            "velocity": felt.velocity,
            "forward": (forward,),
            "left": (left,),
            "turn": (turn,),
            "joint_position": list(felt.joint_position),
            "joint_velocity": list(felt.joint_velocity),
            "last_action": list(felt.last_action),
            **{name: (value,) for name, value in zip(PHASES, felt.phase, strict=True)},
        }
