# SPDX-License-Identifier: Apache-2.0
"""Legs that a learned policy moves; it may move waist, arms and head too, unless a skill drives them."""

from collections.abc import Mapping, Sequence

from embodiment_bridge.body.carriers.gait import PolicyGait
from embodiment_bridge.body.description import Joint
from embodiment_bridge.motion.gait.policy_walk import PolicyWalker
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.locomotion.legs import Legs


class PolicyLegs(Legs):
    """Implements the locomotion of legs that a policy moves while it can, and the gait else."""

    def __init__(self, carrier: PolicyGait, joints: Sequence[Joint], index: Mapping[str, int]) -> None:
        super().__init__(carrier.gait, joints, index)
        self._walker = PolicyWalker(carrier.gait, carrier.policy, index, frozenset(self.joints))
        self.walker = self._walker
        self._gains = tuple((joint.kp, joint.kd) for joint in joints)

    @property
    def gains(self) -> Mapping[int, tuple[float, float]]:
        """Stiffness kp and damping kd of the joints that the policy drives, by number; of the body's own a share."""
        mixed = {}
        for joint, share in self._walker.share.items():
            if share:
                (kp, kd), (policy_kp, policy_kd) = self._gains[joint], self._walker.gains[joint]
                mixed[joint] = (kp + share * (policy_kp - kp), kd + share * (policy_kd - kd))
        return mixed

    @property
    def remark(self) -> str:
        """The reason why the policy failed, for people; empty if it did not."""
        return self._walker.remark

    def step(self, sensed: Sensed, fallen: bool, dt: float) -> None:
        """Let ``dt`` s pass."""
        ready = not fallen and self._blend.done
        self._walker.sense(sensed if ready else None, self.busy())
        super().step(sensed, fallen, dt)


LOCOMOTION = PolicyLegs
