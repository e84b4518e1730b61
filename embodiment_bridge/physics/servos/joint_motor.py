# SPDX-License-Identifier: Apache-2.0
"""The motor of a virtual servo on a joint in MuJoCo: the firmware's control loops here, the motion there.

Everything of a servo is at its horn: angle of the horn = reduction * (joint angle - offset).
"""

from collections.abc import Callable
from typing import Final

from typing_extensions import override

from embodiment_bridge.dynamixel.config.servo_config import ServoConfig
from embodiment_bridge.dynamixel.tables.control_items import Motor
from embodiment_bridge.dynamixel.virtual.drive import FREE, OFF, REVERSED, STRIPPED, STUCK, MotorDrive
from embodiment_bridge.physics.assembly import MOTOR
from embodiment_bridge.physics.simulation import Simulation

ROTOR_PER_TORQUE: Final = 0.0005  # kg m2 of rotor and gear at the horn, per Nm of stall torque
JAMMED: Final = 10_000.0  # Nm s/rad


class JointMotor(MotorDrive):
    """The motor of one servo. ``advance(ms)`` brings the world to a time of this servo, ms since the start."""

    def __init__(
        self, motor: Motor, servo: ServoConfig, simulation: Simulation, advance: Callable[[int], object]
    ) -> None:
        self._reduction, self._offset = servo.reduction, servo.offset
        model = simulation.model
        self._model, self._data = model, simulation.data
        self._motor = int(model.actuator(MOTOR + servo.joint).id)
        self._qpos = int(model.joint(servo.joint).qposadr[0])
        self._dof = int(model.joint(servo.joint).dofadr[0])
        self._damping = float(model.dof_damping[self._dof])
        self._advance = advance
        self._done = 0
        self._supply = motor.rated_voltage_v
        self._limit = 0.0  # A
        super().__init__(motor)
        square = self._reduction**2
        model.dof_armature[self._dof] = square * ROTOR_PER_TORQUE * motor.stall_torque_nm
        self._brake = square * self._per_amp * self._back_emf / self._resistance
        self._rub = abs(self._reduction) * self._friction
        self._stall = abs(self._reduction) * motor.stall_torque_nm
        self.sense()
        self.wanted = self.position

    @property
    def driven(self) -> bool:
        """Whether the torque is on."""
        return self._control.kind != OFF

    @override
    def run(self, steps: int, supply: float) -> None:
        self._done += steps
        self._supply = supply
        self._advance(self._done)

    def drive(self) -> None:
        """Set the motor for the next millisecond."""
        self._step(self._supply)

    def sense(self) -> None:
        """Read the joint after a millisecond."""
        self.position = self._reduction * (float(self._data.qpos[self._qpos]) - self._offset)
        self.velocity = self._reduction * float(self._data.qvel[self._dof])
        connected = self.axis not in (STRIPPED, FREE)
        torque = float(self._data.actuator_force[self._motor]) / self._reduction
        self.current = torque / self._per_amp * self._sign if connected else 0.0
        emf = self._back_emf * self._sign * self.velocity
        volts = self.current * self._resistance + emf
        self.pwm = volts / self._supply if self._limit and self._supply > 0.0 else 0.0
        self.settled = False  # something may move the joint at any time

    @property
    def _sign(self) -> float:
        return -1.0 if self.axis == REVERSED else 1.0

    @override
    def _turn(self, volts: float, limit: float, supply: float) -> None:
        """Hand the motor to MuJoCo: torque of the voltage, less back-EMF, within the limit of the current."""
        model, data = self._model, self._data
        self._limit = limit
        strength = min(abs(self._reduction) * self._per_amp * limit, self._stall)
        if self.axis in (STRIPPED, FREE):
            strength = 0.0
        data.ctrl[self._motor] = self._reduction * self._per_amp * self._sign * volts / self._resistance
        model.actuator_biasprm[self._motor, 1] = 0.0
        model.actuator_biasprm[self._motor, 2] = -self._brake
        model.actuator_forcerange[self._motor] = (-strength, strength)
        model.dof_frictionloss[self._dof] = self._rub
        model.dof_damping[self._dof] = JAMMED if self.axis == STUCK else self._damping
        if self.load is not None:
            data.qfrc_applied[self._dof] = self._reduction * self.load(self.position, self.velocity)
        elif data.qfrc_applied[self._dof]:
            data.qfrc_applied[self._dof] = 0.0
