# SPDX-License-Identifier: Apache-2.0
"""The robots of rcssservermj 0.2.1 as data: the names of joints on the wire and in the model.

Taken from the MuJoCo models in its package (``resources/robots/*/robot.xml``). Ranges, torques and places of
sensors are in the robot descriptions (``urdf``); body files (``config/bodies``) keep within these, and have the gains.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Joint:
    """One joint under its three names.

    effector: name in a motor command; an unknown one ends the server.
    perceptor: name in a percept of 0.2.1; older documents leave out the ``q_``.
    joint: name in the simulator's model.
    gear: the server's controller sees gear times the joint's angle and rate, clips each of its torques to 1
    and gives gear times that. To hold a joint of gear 150 at 20 degrees send q 3000; kp 0.01 is 225 Nm/rad.
    """

    effector: str
    perceptor: str
    joint: str
    gear: float = 1.0


@dataclass(frozen=True, slots=True)
class TorsoSensors:
    """The names of the sensors in the torso, on the wire."""

    orientation: str = "torso_quat"
    position: str = "torso_pos"
    gyro: str = "torso_gyro"
    accelerometer: str = "torso_acc"


@dataclass(frozen=True, slots=True)
class Robot:
    """One model that ``init`` can name (case matters).

    joints: in the order of the perceptors on the wire. speaker: name on the wire; None when the robot has none.
    torso: its sensors; all robots have the same. may_touch_ball: else the server ends when the robot does.
    """

    name: str
    joints: tuple[Joint, ...]
    speaker: str | None
    torso: TorsoSensors = TorsoSensors()
    may_touch_ball: bool = True

    @property
    def effectors(self) -> tuple[str, ...]:
        """The names that motor commands may have."""
        return tuple(joint.effector for joint in self.joints)


_T1 = (
    Joint("he1", "q_hj1", "AAHead_yaw"),
    Joint("he2", "q_hj2", "Head_pitch"),
    Joint("lae1", "q_laj1", "Left_Shoulder_Pitch"),
    Joint("lae2", "q_laj2", "Left_Shoulder_Roll"),
    Joint("lae3", "q_laj3", "Left_Elbow_Pitch"),
    Joint("lae4", "q_laj4", "Left_Elbow_Yaw"),
    Joint("rae1", "q_raj1", "Right_Shoulder_Pitch"),
    Joint("rae2", "q_raj2", "Right_Shoulder_Roll"),
    Joint("rae3", "q_raj3", "Right_Elbow_Pitch"),
    Joint("rae4", "q_raj4", "Right_Elbow_Yaw"),
    Joint("te1", "q_tj1", "Waist"),
    Joint("lle1", "q_llj1", "Left_Hip_Pitch"),
    Joint("lle2", "q_llj2", "Left_Hip_Roll"),
    Joint("lle3", "q_llj3", "Left_Hip_Yaw"),
    Joint("lle4", "q_llj4", "Left_Knee_Pitch"),
    Joint("lle5", "q_llj5", "Left_Ankle_Pitch"),
    Joint("lle6", "q_llj6", "Left_Ankle_Roll"),
    Joint("rle1", "q_rlj1", "Right_Hip_Pitch"),
    Joint("rle2", "q_rlj2", "Right_Hip_Roll"),
    Joint("rle3", "q_rlj3", "Right_Hip_Yaw"),
    Joint("rle4", "q_rlj4", "Right_Knee_Pitch"),
    Joint("rle5", "q_rlj5", "Right_Ankle_Pitch"),
    Joint("rle6", "q_rlj6", "Right_Ankle_Roll"),
)

_K1 = (
    Joint("he1", "q_hj1", "AAHead_yaw"),
    Joint("he2", "q_hj2", "Head_pitch"),
    Joint("lae1", "q_laj1", "ALeft_Shoulder_Pitch"),
    Joint("lae2", "q_laj2", "Left_Shoulder_Roll"),
    Joint("lae3", "q_laj3", "Left_Elbow_Pitch"),
    Joint("lae4", "q_laj4", "Left_Elbow_Yaw"),
    Joint("rae1", "q_raj1", "ARight_Shoulder_Pitch"),
    Joint("rae2", "q_raj2", "Right_Shoulder_Roll"),
    Joint("rae3", "q_raj3", "Right_Elbow_Pitch"),
    Joint("rae4", "q_raj4", "Right_Elbow_Yaw"),
    Joint("lle1", "q_llj1", "Left_Hip_Pitch"),
    Joint("lle2", "q_llj2", "Left_Hip_Roll"),
    Joint("lle3", "q_llj3", "Left_Hip_Yaw"),
    Joint("lle4", "q_llj4", "Left_Knee_Pitch"),
    Joint("lle5", "q_llj5", "Left_Ankle_Pitch"),
    Joint("lle6", "q_llj6", "Left_Ankle_Roll"),
    Joint("rle1", "q_rlj1", "Right_Hip_Pitch"),
    Joint("rle2", "q_rlj2", "Right_Hip_Roll"),
    Joint("rle3", "q_rlj3", "Right_Hip_Yaw"),
    Joint("rle4", "q_rlj4", "Right_Knee_Pitch"),
    Joint("rle5", "q_rlj5", "Right_Ankle_Pitch"),
    Joint("rle6", "q_rlj6", "Right_Ankle_Roll"),
)

_ANT = (
    Joint("l4e1", "q_l4j1", "hip_4", gear=150.0),
    Joint("l4e2", "q_l4j2", "ankle_4", gear=150.0),
    Joint("l1e1", "q_l1j1", "hip_1", gear=150.0),
    Joint("l1e2", "q_l1j2", "ankle_1", gear=150.0),
    Joint("l2e1", "q_l2j1", "hip_2", gear=150.0),
    Joint("l2e2", "q_l2j2", "ankle_2", gear=150.0),
    Joint("l3e1", "q_l3j1", "hip_3", gear=150.0),
    Joint("l3e2", "q_l3j2", "ankle_3", gear=150.0),
)

_PIPLUS = (
    Joint("lle1", "q_llj1", "l_hip_pitch_joint"),
    Joint("lae1", "q_laj1", "l_shoulder_pitch_joint"),
    Joint("rle1", "q_rlj1", "r_hip_pitch_joint"),
    Joint("rae1", "q_raj1", "r_shoulder_pitch_joint"),
    Joint("lle2", "q_llj2", "l_hip_roll_joint"),
    Joint("lae2", "q_laj2", "l_shoulder_roll_joint"),
    Joint("rle2", "q_rlj2", "r_hip_roll_joint"),
    Joint("rae2", "q_raj2", "r_shoulder_roll_joint"),
    Joint("lle3", "q_llj3", "l_thigh_joint"),
    Joint("lae3", "q_laj3", "l_upper_arm_joint"),
    Joint("rle3", "q_rlj3", "r_thigh_joint"),
    Joint("rae3", "q_raj3", "r_upper_arm_joint"),
    Joint("lle4", "q_llj4", "l_calf_joint"),
    Joint("lae4", "q_laj4", "l_elbow_joint"),
    Joint("rle4", "q_rlj4", "r_calf_joint"),
    Joint("rae4", "q_raj4", "r_elbow_joint"),
    Joint("lle5", "q_llj5", "l_ankle_pitch_joint"),
    Joint("rle5", "q_rlj5", "r_ankle_pitch_joint"),
    Joint("lle6", "q_llj6", "l_ankle_roll_joint"),
    Joint("rle6", "q_rlj6", "r_ankle_roll_joint"),
    Joint("he1", "q_hj1", "head_yaw_joint"),
    Joint("he2", "q_hj2", "head_pitch_joint"),
    Joint("te1", "q_tj1", "waist_yaw_joint"),
)

SPEAKER: Final = "say"

ROBOTS: Final[Mapping[str, Robot]] = MappingProxyType(
    {
        "T1": Robot("T1", _T1, SPEAKER),
        "K1": Robot("K1", _K1, SPEAKER, may_touch_ball=False),  # its shapes have no names
        "PiPlus": Robot("PiPlus", _PIPLUS, SPEAKER),
        "ant": Robot("ant", _ANT, None),
    }
)

EFFECTORS: Final = frozenset(name for robot in ROBOTS.values() for name in robot.effectors)
