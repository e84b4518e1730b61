# SPDX-License-Identifier: Apache-2.0
"""The sensors of a simulated robot.

Joints, IMU, contacts of feet and hands, battery, and a reckoned pose that drifts; with noise, if wanted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import cos, sin
from typing import Final

import numpy as np

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import Quaternion, Vector, wrap_angle
from embodiment_bridge.physics.assembly import IMU
from embodiment_bridge.physics.simulation import Simulation

# The pose that a robot reckons from its own speed and turn rate, which drifts away from the true one.

SPEED_ERROR: Final = 0.05  # share of the speed, standard deviation of one robot
TURN_ERROR: Final = 0.002  # rad/s, offset of a gyro, likewise


class Odometry:
    """Drifts: x, y m and yaw rad in ``odom``, which is ``map`` at the start. Errors are drawn once, with ``seed``."""

    def __init__(self, seed: int = 0) -> None:
        self.x = self.y = self.yaw = 0.0
        random = np.random.default_rng(seed)
        self._scale = 1.0 + float(random.normal(0.0, SPEED_ERROR))
        self._offset = float(random.normal(0.0, TURN_ERROR))

    def begin(self, state: BodyState) -> None:
        """Begin at the true pose."""
        self.x, self.y, self.yaw = *state.base_position[:2], state.yaw

    def update(self, speed: Vector, turn: float, seconds: float) -> None:
        """Add ``seconds`` at a speed in the base's own axes (m/s) and a turn rate about z (rad/s)."""
        self.yaw = wrap_angle(self.yaw + (turn + self._offset) * seconds)
        forward, left = speed[0] * self._scale, speed[1] * self._scale
        self.x += (forward * cos(self.yaw) - left * sin(self.yaw)) * seconds
        self.y += (forward * sin(self.yaw) + left * cos(self.yaw)) * seconds

    def of(self, state: BodyState) -> BodyState:
        """Return the state with this pose instead of the true one; height and tilt stay."""
        return replace(state, base_position=(self.x, self.y, state.base_position[2]), yaw=self.yaw)


# A battery that the motors and the computer of a robot discharge.

IDLE_W: Final = 5.0  # computer and electronics
HEAT_SHARE: Final = 0.3  # W of heat per Nm that a motor holds, relative to a fast motor of that size
FULL_V, EMPTY_V = 12.6, 10.2  # three lithium cells


@dataclass(slots=True)
class Battery:
    """Models the battery. capacity: Wh. charge: 0 to 1 of it; power: W drawn in the last step."""

    capacity: float
    charge: float = 1.0
    power: float = IDLE_W

    @property
    def voltage(self) -> float:
        """The voltage, V."""
        return EMPTY_V + (FULL_V - EMPTY_V) * self.charge

    def step(self, effort: Sequence[float], speed: Sequence[float], seconds: float) -> None:
        """Let ``seconds`` pass with torques (Nm) at speeds (rad/s); a motor that brakes charges nothing."""
        work = sum(max(torque * rate, 0.0) for torque, rate in zip(effort, speed, strict=True))
        self.power = IDLE_W + work + HEAT_SHARE * sum(map(abs, effort))
        self.charge = max(self.charge - self.power * seconds / (3600.0 * self.capacity), 0.0)


# Standard deviations at noise 1, those of usual encoders and MEMS sensors: rad, rad/s, rad/s, m/s2, m, rad
ANGLE, SPEED, RATE, ACCELERATION, PLACE, TILT = 0.001, 0.02, 0.01, 0.1, 0.01, 0.005


@dataclass(frozen=True, slots=True)
class Inertial:
    """Holds a reading of an IMU: orientation in ``map`` (x, y, z, w); rad/s and m/s2 (proper) in its own frame."""

    turn: Quaternion
    rates: Vector
    acceleration: Vector


class Senses:
    """Holds the sensors of a simulation. noise: a multiple of the usual noise, 0 for none; seed: of the noise."""

    def __init__(self, simulation: Simulation, noise: float = 0.0, seed: int = 0) -> None:
        model = simulation.model
        self._simulation = simulation
        self._noise = noise
        self._random = np.random.default_rng(seed)
        self._rates = int(model.sensor(IMU + "rates").adr[0])
        self._acceleration = int(model.sensor(IMU + "acceleration").adr[0])
        self._site_body = int(model.site_bodyid[model.site(IMU + "imu").id])
        self.ends = _ends(simulation)
        numbers = {body: number for number, body in enumerate(self.ends)}
        self._end_of_geom = np.array([numbers.get(int(model.body_weldid[b]), -1) for b in model.geom_bodyid])

    def state(self, state: BodyState) -> BodyState:
        """Return the state as the sensors give it."""
        if not self._noise:
            return state
        x, y, z = state.base_position
        return replace(
            state,
            position=self._noisy(state.position, ANGLE),
            velocity=self._noisy(state.velocity, SPEED),
            base_position=_three(self._noisy((x, y, z), PLACE)),
            roll=state.roll + self._error(TILT),
            pitch=state.pitch + self._error(TILT),
            yaw=state.yaw + self._error(TILT),
            base_rates=_three(self._noisy(state.base_rates, RATE)),
        )

    @property
    def imu(self) -> Inertial:
        """The IMU, at the link ``imu_link`` or at the base."""
        data = self._simulation.data
        w, x, y, z = data.xquat[self._site_body].tolist()
        rates, acceleration = (
            _three(data.sensordata[at : at + 3].tolist()) for at in (self._rates, self._acceleration)
        )
        return Inertial(
            (x, y, z, w),
            _three(self._noisy(rates, RATE)),
            _three(self._noisy(acceleration, ACCELERATION)),
        )

    @property
    def touches(self) -> list[tuple[str, bool]]:
        """The last links of arms, legs and so on: their names, and whether they touch anything."""
        touched: set[int] = set()
        data = self._simulation.data
        if data.ncon:
            touched.update(np.unique(self._end_of_geom[data.contact.geom]).tolist())
        return [(name, number in touched) for number, name in enumerate(self.ends.values())]

    def _error(self, deviation: float) -> float:
        return float(self._random.normal(0.0, self._noise * deviation))

    def _noisy(self, values: Iterable[float], deviation: float) -> tuple[float, ...]:
        if not self._noise:
            return tuple(values)
        exact = np.asarray(tuple(values))
        noisy: list[float] = (exact + self._random.normal(0.0, self._noise * deviation, exact.shape)).tolist()
        return tuple(noisy)


def _three(values: Iterable[float]) -> Vector:
    x, y, z = values
    return x, y, z


def _ends(simulation: Simulation) -> dict[int, str]:
    """Return the links of the robot that move and carry no other one that moves, by number of their body."""
    model = simulation.model
    own = [b for b in range(1, model.nbody) if int(model.body_rootid[b]) == simulation.root]
    moving = {int(model.body_weldid[b]) for b in own} - {0}
    carriers = {int(model.body_weldid[model.body_parentid[b]]) for b in moving}
    shaped = {int(model.body_weldid[b]) for b in own if model.body_geomnum[b]}
    return {b: model.body(b).name for b in sorted((moving - carriers) & shaped)}
