# SPDX-License-Identifier: Apache-2.0
"""The motion of the joints of a skill, made when it begins: from the present angles and speeds."""

from collections.abc import Sequence

from embodiment_bridge.body.description import Joint
from embodiment_bridge.motion.joints.keyframes import Motion, pieces_of
from embodiment_bridge.motion.joints.move import Move
from embodiment_bridge.motion.joints.posture import Posture
from embodiment_bridge.motion.joints.recorded import recorded
from embodiment_bridge.motion.joints.trajectory import Trajectory, paced
from embodiment_bridge.motion.skills.skill_run import SkillRun

LATE_S = 0.02  # s by which a slower trajectory ends later before people are told


def motion_of(run: SkillRun, posture: Posture, all_joints: Sequence[Joint]) -> Move:
    """The motion of a skill by its points, its recorded track or its keyframes; it takes the joints over."""
    joints = [all_joints[i] for i in run.joints]
    brake = posture.brake(run.joints)
    posture.take(run.joints)
    position = [brake.rest[i] for i in run.joints]
    if run.track:
        points = paced(run.track, position, joints)
        if points[-1].time - run.track[-1].time > LATE_S:
            run.remark = (
                f"took {points[-1].time:.2f} s, not {run.track[-1].time:.2f} s: its joints are not faster"
            )
        return Move(brake, Trajectory(run.joints, position, points))
    own = run.skill.nominal_s if run.skill.lying else 0.0
    length = own or run.request.slot_s or run.skill.nominal_s
    if run.skill.track is not None:
        return recorded(run.joints, brake, run.skill.track, joints, length)
    return Move(brake, Motion(run.joints, position, pieces_of(run.keyframes, joints, position, length)))
