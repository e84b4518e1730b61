# SPDX-License-Identifier: Apache-2.0
"""The sensors of a simulated robot: joints, IMU, contacts of feet and hands; with noise, if wanted."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import Quaternion, Vector
from embodiment_bridge.physics.assembly import IMU
from embodiment_bridge.physics.simulation import Simulation

# Standard deviations at noise 1, those of usual encoders and MEMS sensors: rad, rad/s, rad/s, m/s2, m, rad
ANGLE, SPEED, RATE, ACCELERATION, PLACE, TILT = 0.001, 0.02, 0.01, 0.1, 0.01, 0.005


@dataclass(frozen=True, slots=True)
class Inertial:
    """A reading of an IMU: orientation in ``map`` (x, y, z, w), rad/s, proper acceleration m/s2 in its own frame."""

    turn: Quaternion
    rates: Vector
    acceleration: Vector


class Senses:
    """The sensors of a simulation. noise: a multiple of the usual noise, 0 for none; seed: of the noise."""

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
        """The state as the sensors give it."""
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
    """The links of the robot that move and carry no other one that moves, by number of their body."""
    model = simulation.model
    own = [b for b in range(1, model.nbody) if int(model.body_rootid[b]) == simulation.root]
    moving = {int(model.body_weldid[b]) for b in own} - {0}
    carriers = {int(model.body_weldid[model.body_parentid[b]]) for b in moving}
    shaped = {int(model.body_weldid[b]) for b in own if model.body_geomnum[b]}
    return {b: model.body(b).name for b in sorted((moving - carriers) & shaped)}
