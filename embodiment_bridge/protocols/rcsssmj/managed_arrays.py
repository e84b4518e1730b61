# SPDX-License-Identifier: Apache-2.0
"""A robot of the simulator in this process, driven and sensed in MuJoCo's own arrays.

The same motors and the same numbers, cut as the server cuts them, as by actions and perceptions of rcsssmj, which are
Python objects and cost more than the physics.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.protocols.rcsssmj.convert import RAD_PER_WIRE_ANGLE, WIRE_ANGLE_PER_RAD
from embodiment_bridge.protocols.rcsssmj.robots import Joint, TorsoSensors

_JOINT_POSITION, _JOINT_VELOCITY = 9, 10  # MuJoCo's mjSENS_JOINTPOS and mjSENS_JOINTVEL
GREATEST: Final = 1e7  # of what is written here; what is greater goes the long way, where it is checked
Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


class RobotArrays:
    """One robot in one compiled world; a world that is compiled anew has new arrays.

    model, data: MuJoCo's. prefix: of the robot's names in them. joints: in the order of the body.
    """

    def __init__(
        self, model: Any, data: Any, prefix: str, joints: Sequence[Joint], torso: TorsoSensors
    ) -> None:
        self.data = data
        self._model = model
        self._joints = len(joints)
        motors = [
            [int(model.actuator(f"{prefix}{joint.effector}_{kind}").id) for joint in joints]
            for kind in ("pos", "vel", "tau")
        ]
        self._motors = np.array(motors).ravel()
        self._position, self._velocity = np.array(motors[0]), np.array(motors[1])
        gear = np.array([joint.gear for joint in joints])
        self._gear2 = gear**2
        self._factors = np.concatenate([gear, gear, 1.0 / gear])
        self._kp: Sequence[float] = ()
        self._kd: Sequence[float] = ()
        names = [model.sensor(s).name for s in range(model.nsensor)]
        kinds = model.sensor_type.tolist()
        sensors = [
            [s for s, name in enumerate(names) if kinds[s] == kind and name.startswith(prefix)]
            for kind in (_JOINT_POSITION, _JOINT_VELOCITY)
        ]
        order = [[names[s] for s in sensors[0]].index(prefix + joint.perceptor) for joint in joints]
        rows = [int(model.sensor_adr[some[i]]) for some in sensors for i in order]
        for name, size in ((torso.gyro, 3), (torso.orientation, 4), (torso.position, 3)):
            first = int(model.sensor(prefix + name).adr[0])
            rows += range(first, first + size)
        self._rows: Numbers = np.array(rows)
        angles = 2 * self._joints + 3
        self._to_wire: Floats = np.array([WIRE_ANGLE_PER_RAD] * angles + [1.0] * 7)
        self._digits: Floats = np.array([100.0] * angles + [1000.0] * 7)
        self._to_si: Floats = np.array([RAD_PER_WIRE_ANGLE] * angles + [1.0] * 7)

    def drive(self, targets: JointTargets) -> bool:
        """Set all motors until the next call; False, and nothing set, where a number is not within reason."""
        controls = np.array((targets.position, targets.velocity, targets.effort)).ravel()
        is_new = targets.kp is not self._kp or targets.kd is not self._kd
        gains = np.array((targets.kp, targets.kd)) if is_new else None
        if controls.size != len(self._motors) or (gains is not None and gains.size != 2 * self._joints):
            return False
        if not np.abs(controls).max() < GREATEST or (
            gains is not None and not np.abs(gains).max() < GREATEST
        ):
            return False
        self.data.ctrl[self._motors] = controls * self._factors
        if gains is not None:
            kp, kd = gains / self._gear2
            model = self._model
            model.actuator_gainprm[self._position, 0] = kp
            model.actuator_biasprm[self._position, 1] = -kp
            model.actuator_gainprm[self._velocity, 0] = kd
            model.actuator_biasprm[self._velocity, 2] = -kd
            self._kp, self._kd = targets.kp, targets.kd
        return True

    def forget_gains(self) -> None:
        """Somebody else has set motors."""
        self._kp = self._kd = ()

    def state(self) -> BodyState:
        """What the robot senses of itself now."""
        raw = self.data.sensordata[self._rows]
        values: list[float] = (
            np.trunc(raw * self._to_wire * self._digits) / self._digits * self._to_si
        ).tolist()
        n = self._joints
        rx, ry, rz, qw, qx, qy, qz, x, y, z = values[2 * n :]
        roll, pitch, yaw = rpy_from_quaternion((qx, qy, qz, qw))
        tilted = isfinite(roll + pitch + yaw)
        return BodyState(
            time=int(self.data.time * 100) / 100.0,
            position=tuple(values[:n]),
            velocity=tuple(values[n : 2 * n]),
            base_position=(x, y, z),
            roll=roll,
            pitch=pitch,
            yaw=yaw,
            base_rates=(rx, ry, rz),
            has_base=tilted and isfinite(x + y + z),
            has_tilt=tilted,
        )
