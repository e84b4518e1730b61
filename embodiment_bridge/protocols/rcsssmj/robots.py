# SPDX-License-Identifier: Apache-2.0
"""The robots of rcssservermj 0.2.1 as data: joints, sensors, camera, heights, gains to stand with.

Taken from the MuJoCo models in its package (``resources/robots/*/robot.xml``). Ranges are cut, not rounded,
to 0.01 degrees, so a limit here is never outside of the model's. The models limit torque, not speed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Joint:
    """One joint under its three names, with its limits and the gains that hold it while the robot stands.

    effector: name in a motor command; an unknown one ends the server.
    perceptor: name in a percept of 0.2.1; older documents leave out the ``q_``.
    joint: name in the simulator's model.
    min_deg, max_deg: range; the server does not clamp targets to it.
    torque_nm: what the joint can give.
    kp, kd: gains as sent, with which the robot stood quietly on the real server.
    gear: the server's controller sees gear times the joint's angle and rate, clips each of its torques to 1
    and gives gear times that. To hold a joint of gear 150 at 20 degrees send q 3000; kp 0.01 is 225 Nm/rad.
    """

    effector: str
    perceptor: str
    joint: str
    min_deg: float
    max_deg: float
    torque_nm: float
    kp: float
    kd: float
    gear: float = 1.0


@dataclass(frozen=True, slots=True)
class Camera:
    """Where vision is measured from: a point of a link; the axes are the link's (x forward, y left, z up)."""

    link: str
    x_m: float
    y_m: float
    z_m: float


@dataclass(frozen=True, slots=True)
class Robot:
    """One model that ``init`` can name (case matters).

    joints: in the order of the perceptors on the wire.
    torso_height_m: of the torso frame above the ground, standing with straight legs (the ant: resting at the
    ends of its joints' ranges).
    spawn_height_m: where a new or beamed robot starts to drop.
    microphone, speaker: names on the wire; None when the robot has none.
    markers: the parts of it that others see.
    orientation, position, gyro, accelerometer: names of the sensors on the wire.
    """

    name: str
    joints: tuple[Joint, ...]
    camera: Camera
    torso_height_m: float
    spawn_height_m: float
    mass_kg: float
    microphone: str | None
    speaker: str | None
    markers: tuple[str, ...]
    orientation: str = "torso_quat"
    position: str = "torso_pos"
    gyro: str = "torso_gyro"
    accelerometer: str = "torso_acc"

    @property
    def effectors(self) -> tuple[str, ...]:
        """The names that motor commands may have."""
        return tuple(joint.effector for joint in self.joints)


# fmt: off
#     effector  perceptor  joint  min_deg  max_deg  torque_nm  kp  kd
_T1 = (
    Joint("he1", "q_hj1", "AAHead_yaw", -89.95, 89.95, 7.0, 150.0, 5.0),
    Joint("he2", "q_hj2", "Head_pitch", -20.05, 69.9, 7.0, 150.0, 5.0),
    Joint("lae1", "q_laj1", "Left_Shoulder_Pitch", -189.64, 69.9, 18.0, 150.0, 5.0),
    Joint("lae2", "q_laj2", "Left_Shoulder_Roll", -99.69, 89.95, 18.0, 150.0, 5.0),
    Joint("lae3", "q_laj3", "Left_Elbow_Pitch", -130.06, 130.06, 18.0, 150.0, 5.0),
    Joint("lae4", "q_laj4", "Left_Elbow_Yaw", -139.8, 0.0, 18.0, 150.0, 5.0),
    Joint("rae1", "q_raj1", "Right_Shoulder_Pitch", -189.64, 69.9, 18.0, 150.0, 5.0),
    Joint("rae2", "q_raj2", "Right_Shoulder_Roll", -89.95, 99.69, 18.0, 150.0, 5.0),
    Joint("rae3", "q_raj3", "Right_Elbow_Pitch", -130.06, 130.06, 18.0, 150.0, 5.0),
    Joint("rae4", "q_raj4", "Right_Elbow_Yaw", 0.0, 139.8, 18.0, 150.0, 5.0),
    Joint("te1", "q_tj1", "Waist", -89.95, 89.95, 30.0, 150.0, 5.0),
    Joint("lle1", "q_llj1", "Left_Hip_Pitch", -103.13, 89.95, 45.0, 150.0, 5.0),
    Joint("lle2", "q_llj2", "Left_Hip_Roll", -11.45, 89.95, 30.0, 150.0, 5.0),
    Joint("lle3", "q_llj3", "Left_Hip_Yaw", -57.29, 57.29, 30.0, 150.0, 5.0),
    Joint("lle4", "q_llj4", "Left_Knee_Pitch", 0.0, 134.07, 60.0, 150.0, 5.0),
    Joint("lle5", "q_llj5", "Left_Ankle_Pitch", -49.84, 20.05, 20.0, 150.0, 5.0),
    Joint("lle6", "q_llj6", "Left_Ankle_Roll", -25.21, 25.21, 15.0, 150.0, 5.0),
    Joint("rle1", "q_rlj1", "Right_Hip_Pitch", -103.13, 89.95, 45.0, 150.0, 5.0),
    Joint("rle2", "q_rlj2", "Right_Hip_Roll", -89.95, 11.45, 30.0, 150.0, 5.0),
    Joint("rle3", "q_rlj3", "Right_Hip_Yaw", -57.29, 57.29, 30.0, 150.0, 5.0),
    Joint("rle4", "q_rlj4", "Right_Knee_Pitch", 0.0, 134.07, 60.0, 150.0, 5.0),
    Joint("rle5", "q_rlj5", "Right_Ankle_Pitch", -49.84, 20.05, 20.0, 150.0, 5.0),
    Joint("rle6", "q_rlj6", "Right_Ankle_Roll", -25.21, 25.21, 15.0, 150.0, 5.0),
)

_K1 = (
    Joint("he1", "q_hj1", "AAHead_yaw", -57.29, 57.29, 6.0, 20.0, 0.3),
    Joint("he2", "q_hj2", "Head_pitch", -19.99, 48.98, 6.0, 20.0, 0.3),
    Joint("lae1", "q_laj1", "ALeft_Shoulder_Pitch", -189.99, 69.9, 14.0, 20.0, 0.3),
    Joint("lae2", "q_laj2", "Left_Shoulder_Roll", -99.69, 89.95, 14.0, 20.0, 0.3),
    Joint("lae3", "q_laj3", "Left_Elbow_Pitch", -130.06, 130.06, 14.0, 20.0, 0.3),
    Joint("lae4", "q_laj4", "Left_Elbow_Yaw", -139.8, 0.0, 14.0, 20.0, 0.3),
    Joint("rae1", "q_raj1", "ARight_Shoulder_Pitch", -189.99, 69.9, 14.0, 20.0, 0.3),
    Joint("rae2", "q_raj2", "Right_Shoulder_Roll", -89.95, 99.69, 14.0, 20.0, 0.3),
    Joint("rae3", "q_raj3", "Right_Elbow_Pitch", -130.06, 130.06, 14.0, 20.0, 0.3),
    Joint("rae4", "q_raj4", "Right_Elbow_Yaw", 0.0, 139.8, 14.0, 20.0, 0.3),
    Joint("lle1", "q_llj1", "Left_Hip_Pitch", -171.88, 126.62, 30.0, 150.0, 4.0),
    Joint("lle2", "q_llj2", "Left_Hip_Roll", -22.91, 89.95, 35.0, 150.0, 4.0),
    Joint("lle3", "q_llj3", "Left_Hip_Yaw", -57.29, 57.29, 20.0, 150.0, 4.0),
    Joint("lle4", "q_llj4", "Left_Knee_Pitch", 0.0, 127.76, 40.0, 150.0, 4.0),
    Joint("lle5", "q_llj5", "Left_Ankle_Pitch", -49.84, 19.76, 20.0, 150.0, 4.0),
    Joint("lle6", "q_llj6", "Left_Ankle_Roll", -19.76, 19.76, 20.0, 150.0, 4.0),
    Joint("rle1", "q_rlj1", "Right_Hip_Pitch", -171.88, 126.62, 30.0, 150.0, 4.0),
    Joint("rle2", "q_rlj2", "Right_Hip_Roll", -89.95, 22.91, 35.0, 150.0, 4.0),
    Joint("rle3", "q_rlj3", "Right_Hip_Yaw", -57.29, 57.29, 20.0, 150.0, 4.0),
    Joint("rle4", "q_rlj4", "Right_Knee_Pitch", 0.0, 127.76, 40.0, 150.0, 4.0),
    Joint("rle5", "q_rlj5", "Right_Ankle_Pitch", -49.84, 19.76, 20.0, 150.0, 4.0),
    Joint("rle6", "q_rlj6", "Right_Ankle_Roll", -19.76, 19.76, 20.0, 150.0, 4.0),
)

_ANT = (
    Joint("l4e1", "q_l4j1", "hip_4", -30.0, 30.0, 150.0, 0.01, 0.001, gear=150.0),
    Joint("l4e2", "q_l4j2", "ankle_4", 30.0, 70.0, 150.0, 0.01, 0.001, gear=150.0),
    Joint("l1e1", "q_l1j1", "hip_1", -30.0, 30.0, 150.0, 0.01, 0.001, gear=150.0),
    Joint("l1e2", "q_l1j2", "ankle_1", 30.0, 70.0, 150.0, 0.01, 0.001, gear=150.0),
    Joint("l2e1", "q_l2j1", "hip_2", -30.0, 30.0, 150.0, 0.01, 0.001, gear=150.0),
    Joint("l2e2", "q_l2j2", "ankle_2", -70.0, -30.0, 150.0, 0.01, 0.001, gear=150.0),
    Joint("l3e1", "q_l3j1", "hip_3", -30.0, 30.0, 150.0, 0.01, 0.001, gear=150.0),
    Joint("l3e2", "q_l3j2", "ankle_3", -70.0, -30.0, 150.0, 0.01, 0.001, gear=150.0),
)

# fmt: on

MICROPHONE: Final = "hear"
SPEAKER: Final = "say"
_HUMANOID_MARKERS: Final = ("head", "lfoot", "rfoot")

ROBOTS: Final[Mapping[str, Robot]] = MappingProxyType(
    {
        "T1": Robot(
            name="T1",
            joints=_T1,
            camera=Camera("H2", 0.05, 0.0, 0.12),
            torso_height_m=0.666,
            spawn_height_m=0.6735,
            mass_kg=31.6,
            microphone=MICROPHONE,
            speaker=SPEAKER,
            markers=_HUMANOID_MARKERS,
        ),
        "K1": Robot(
            name="K1",
            joints=_K1,
            camera=Camera("Head_2", 0.06, 0.0, 0.08),
            torso_height_m=0.551,
            spawn_height_m=1.0,
            mass_kg=19.7,
            microphone=MICROPHONE,
            speaker=SPEAKER,
            markers=_HUMANOID_MARKERS,
        ),
        "ant": Robot(
            name="ant",
            joints=_ANT,
            camera=Camera("torso", 0.2, 0.0, 0.1),
            torso_height_m=0.38,
            spawn_height_m=0.0,
            mass_kg=0.9,
            microphone=None,
            speaker=None,
            markers=("torso",),
        ),
    }
)

EFFECTORS: Final = frozenset(name for robot in ROBOTS.values() for name in robot.effectors)
