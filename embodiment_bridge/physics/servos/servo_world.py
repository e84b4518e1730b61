# SPDX-License-Identifier: Apache-2.0
"""The world in which the servos of a robot move it: shared by all of its buses, in steps of a millisecond."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import ConfigError, LinkError, unknown
from embodiment_bridge.dynamixel.config.servo_config import ServoConfig, ServoSetup
from embodiment_bridge.dynamixel.tables.control_table import table
from embodiment_bridge.dynamixel.virtual.drive import STEP
from embodiment_bridge.physics.servos.joint_motor import JointMotor
from embodiment_bridge.physics.simulation import Simulation


class ServoWorld:
    """A robot in a world, moved by virtual servos.

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
        """The motors of the servos of one bus, by id."""
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
