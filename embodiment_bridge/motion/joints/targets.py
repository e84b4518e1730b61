# SPDX-License-Identifier: Apache-2.0
"""The targets for the joints of one body: where to be, how fast, and how stiff."""

from collections.abc import Collection, Mapping, Sequence

from embodiment_bridge.body.description import Joint
from embodiment_bridge.body.state import JointTargets
from embodiment_bridge.motion.joints.direct import JointDrive


class TargetWriter:
    """Makes targets with the gains of the body file, except where a gait or a direct command has its own."""

    def __init__(self, joints: Sequence[Joint]) -> None:
        self._none = (0.0,) * len(joints)
        self._kp, self._kd = tuple(j.kp for j in joints), tuple(j.kd for j in joints)

    def limp(self, position: Sequence[float]) -> JointTargets:
        """No torque; ``position`` (rad) is where the joints are."""
        return JointTargets(tuple(position), self._none, self._none, self._none, self._none)

    def of(
        self,
        position: Sequence[float],
        velocity: Sequence[float],
        damped: Collection[int],
        gains: Mapping[int, tuple[float, float]],
        drives: Mapping[int, JointDrive],
    ) -> JointTargets:
        """Targets at ``position`` (rad) and ``velocity`` (rad/s).

        By the number of the joint, ``damped``: to have no velocity; ``gains``: kp and kd of a gait, which damps too;
        ``drives``: direct commands.
        """
        speed = [0.0 if i in damped or i in gains else v for i, v in enumerate(velocity)]
        if not drives and not gains:
            return JointTargets(tuple(position), tuple(speed), self._kp, self._kd, self._none)
        kp, kd, effort = list(self._kp), list(self._kd), list(self._none)
        for i, (stiff, damping) in gains.items():
            kp[i], kd[i] = stiff, damping
        for i, drive in drives.items():
            speed[i], kp[i], kd[i], effort[i] = drive.velocity, drive.kp, drive.kd, drive.effort
        return JointTargets(tuple(position), tuple(speed), tuple(kp), tuple(kd), tuple(effort))
