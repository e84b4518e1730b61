# SPDX-License-Identifier: Apache-2.0
"""Virtual servos on joints in MuJoCo.

The firmware's control loops here, the motion there; one world for all buses, in steps of 1 ms.
"""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError, LinkError, unknown
from embodiment_bridge.dynamixel.config.servo_config import ServoConfig, ServoSetup
from embodiment_bridge.dynamixel.tables.control_table import Motor
from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.dynamixel.virtual.drive import FREE, OFF, REVERSED, STEP, STRIPPED, STUCK, MotorDrive
from embodiment_bridge.physics.assembly import MOTOR
from embodiment_bridge.physics.simulation import Simulation

# The motor of a virtual servo on a joint in MuJoCo: the firmware's control loops here, the motion there.
#
# Everything of a servo is at its horn: angle of the horn = reduction * (joint angle - offset).

ROTOR_PER_TORQUE: Final = 0.0005  # kg m2 of rotor and gear at the horn, per Nm of stall torque
JAMMED: Final = 10_000.0  # Nm s/rad


class JointMotor(MotorDrive):
    """Represents the motor of one servo.

    ``advance(ms)`` brings the world to a time of this servo, ms since the start.
    """

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


class ServoWorld:
    """Represents a robot in a world, moved by virtual servos.

    A stand holds a floating base until all servos have had torque at the same time, as a hand does until a robot
    stands by itself. ``simulation`` may be used while ``lock`` is held. ``restarts`` counts how often the physics
    became unstable and began again.

    Args:
        path: the robot description.
        setup: its servos.
        default_model: of servos without a model in the description.
        base, world, timestep: see ``physics.assembly``; a timestep divides a millisecond.

    Raises:
        ConfigError: the description cannot be simulated, or a servo is on a joint that cannot be driven.
    """

    def __init__(
        self,
        path: Path,
        setup: ServoSetup,
        default_model: str,
        *,
        base: str = "auto",
        world: str = "auto",
        timestep: float = STEP,
    ) -> None:
        self._steps: Final = round(STEP / timestep)
        if self._steps < 1 or abs(self._steps * timestep - STEP) > 1e-9:
            raise ConfigError(f"timestep is {timestep:g} s; a whole number of them must be {STEP:g} s")
        self.simulation = Simulation(path, base=base, world=world, timestep=timestep)
        self.lock = threading.RLock()
        self.restarts = 0
        known = {joint.name for joint in self.simulation.assembly.joints}
        self._motors: dict[str, JointMotor] = {}
        for servo in setup.servos:
            if servo.joint not in known:
                raise ConfigError(
                    f"servo {servo.id}: {unknown('joint that can be driven', servo.joint, known)}"
                )
            motor = table(servo.model or default_model).motor
            self._motors[servo.joint] = JointMotor(motor, servo, self.simulation, self._advance)
        self._done = 0
        self._held = self.simulation.assembly.floating
        self._stand()

    @property
    def held(self) -> bool:
        """Whether the stand still holds the base."""
        return self._held

    def drives(self, servos: tuple[ServoConfig, ...]) -> Mapping[int, JointMotor]:
        """Return the motors of the servos of one bus, by id."""
        return {servo.id: self._motors[servo.joint] for servo in servos}

    def _advance(self, milliseconds: int) -> None:
        with self.lock:
            while self._done < milliseconds:
                self._done += 1
                self._millisecond()

    def _millisecond(self) -> None:
        motors = self._motors.values()
        for motor in motors:
            motor.drive()
        if self._held:
            self._stand()
            self._held = not all(motor.driven for motor in motors)
        try:
            self.simulation.run(self._steps)
        except LinkError:
            self.restarts += 1
        for motor in motors:
            motor.sense()

    def _stand(self) -> None:
        """Put the base back to its start, at rest."""
        simulation = self.simulation
        if simulation.assembly.floating:
            model, data = simulation.model, simulation.data
            joint = int(model.body_jntadr[simulation.root])
            at, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
            if not self._done:
                self._start = data.qpos[at : at + 7].copy()
            data.qpos[at : at + 7] = self._start
            data.qvel[dof : dof + 6] = 0.0
