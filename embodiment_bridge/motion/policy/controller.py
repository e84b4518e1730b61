# SPDX-License-Identifier: Apache-2.0
"""Joint targets of a learned policy, one set per period."""

from collections.abc import Mapping

import numpy as np

from embodiment_bridge.body.policy import Policy
from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.policy.network import outputs_of
from embodiment_bridge.motion.policy.observer import Observer

DEADLINE_S = 0.12  # s without a percept after which a policy must not go on: it was trained for an even rate
EARLY = 0.75  # share of a period after which the next step is due: percepts do not come evenly

Velocity = tuple[float, float, float]


class PolicyFault(BridgeError):  # noqa: N818 - a state of the robot and no mistake of the caller
    """The policy must not go on; the text says why."""


class PolicyController:
    """Runs a policy. ``targets``: rad by number of joint, for the joints that the body has."""

    def __init__(self, policy: Policy, index: Mapping[str, int]) -> None:
        self._policy = policy
        self._observer = Observer(policy, index)
        self._driven = [(n, index[j.name]) for n, j in enumerate(policy.joints) if j.known]
        self._default = np.array([j.default for j in policy.joints])
        self._scale = np.array([j.scale for j in policy.joints])
        self.gains = {index[j.name]: (j.kp, j.kd) for j in policy.joints if j.known}
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self._observer.reset()
        self._since = 1.0 / self._policy.rate
        self.targets = {joint: float(self._default[n]) for n, joint in self._driven}

    def step(self, sensed: Sensed, velocity: Velocity, busy: frozenset[int], dt: float) -> None:
        """Let ``dt`` s pass.

        Args:
            sensed: of the body.
            velocity: wanted, m/s forward, m/s left and rad/s.
            busy: numbers of the joints that something else drives.
            dt: s since the last call.

        Raises:
            PolicyFault: the body is tilted too far or not sensed, percepts stopped, or the output is not finite.
        """
        self._check(sensed)
        self._since += dt
        period = 1.0 / self._policy.rate
        if self._since < EARLY * period:
            return
        self._since = min(max(self._since - period, -0.5 * period), 0.5 * period)
        forward, left, turn = (v * feed for v, feed in zip(velocity, self._policy.feed, strict=True))
        try:
            inputs = self._observer.inputs(sensed, (forward, left, turn), busy)
        except Exception as error:
            raise PolicyFault(f"observe failed: {type(error).__name__}: {error}") from error
        if inputs.shape != (self._policy.network.inputs,):
            raise PolicyFault(f"observe gave {inputs.shape}, not {self._policy.network.inputs} values")
        outputs = outputs_of(self._policy.network, inputs)
        if not np.isfinite(outputs).all():
            raise PolicyFault("its output is not a number")
        self._observer.action = np.clip(outputs, -self._policy.clip, self._policy.clip)
        angles = (self._default + self._scale * self._observer.action).tolist()
        self.targets = {joint: angles[n] for n, joint in self._driven}

    def _check(self, sensed: Sensed) -> None:
        policy = self._policy
        if not (sensed.base_fresh if policy.senses_position else sensed.tilt_fresh):
            raise PolicyFault("the body is not sensed")
        tilt = max(abs(sensed.roll), abs(sensed.pitch))
        if tilt > policy.tilt:
            raise PolicyFault(f"the body is tilted by {tilt:.2f} rad")
        if sensed.gap > DEADLINE_S:
            raise PolicyFault(f"no percept for {sensed.gap:.2f} s")
