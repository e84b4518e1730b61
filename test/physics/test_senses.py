# SPDX-License-Identifier: Apache-2.0
"""What a simulated robot senses: IMU, contacts, noise, its reckoned pose, its battery."""

import math

import pytest
from physics_stage import CYCLE, DESK, targets

from embodiment_bridge.physics.senses import Battery, Odometry, Senses
from embodiment_bridge.physics.simulation import Simulation


@pytest.fixture
def desk():
    return Simulation(DESK)


def run(simulation, seconds):
    for _ in range(round(seconds / CYCLE)):
        simulation.step(targets(simulation), CYCLE)
    return simulation.state


def test_imu_at_rest_and_in_free_fall(desk) -> None:
    senses = Senses(desk)
    run(desk, 1.0)
    assert senses.imu.acceleration == pytest.approx((0.0, 0.0, 9.81), abs=0.05)
    assert senses.imu.rates == pytest.approx((0.0, 0.0, 0.0), abs=0.01)
    desk.data.qpos[2] += 1.0
    run(desk, 0.1)
    assert math.dist(senses.imu.acceleration, (0.0, 0.0, 0.0)) < 1.0


def test_rates_are_in_the_axes_of_the_base(desk) -> None:
    desk.beam(0.0, 0.0, math.pi / 2)
    desk.data.qpos[2] += 1.0
    desk.data.qvel[:6] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.5]  # along y of the world, which is forward
    state = run(desk, CYCLE)
    assert state.base_rates[2] == pytest.approx(0.5, abs=0.02)
    assert desk.speed[0] == pytest.approx(1.0, abs=0.02)
    assert abs(desk.speed[1]) < 0.02


def test_feet_touch_the_floor_and_hands_do_not(desk) -> None:
    senses = Senses(desk)
    run(desk, 0.5)
    touched = dict(senses.touches)
    assert {name for name, is_touched in touched.items() if is_touched} == {"l_foot", "r_foot"}
    assert {"l_finger", "r_finger"} <= set(touched)
    desk.data.qpos[2] += 0.5
    run(desk, CYCLE)
    assert not any(dict(senses.touches).values())


def test_noise_is_repeatable_and_off_by_default(desk) -> None:
    state = run(desk, 0.5)
    assert Senses(desk).state(state) == state
    first, again, other = (Senses(desk, 1.0, seed).state(state) for seed in (1, 1, 2))
    assert first == again != other
    assert first.position == pytest.approx(state.position, abs=0.01)
    assert first.position != state.position


def test_reckoned_pose_follows_and_drifts(desk) -> None:
    reckoned = Odometry(seed=3)
    reckoned.begin(run(desk, CYCLE))
    for _ in range(100):
        reckoned.update((0.5, 0.0, 0.0), 0.0, 0.02)
    assert reckoned.x == pytest.approx(1.0, abs=0.2)
    assert reckoned.x != pytest.approx(1.0, abs=1e-6)
    state = reckoned.of(desk.state)
    assert (state.base_position[0], state.yaw) == (reckoned.x, reckoned.yaw)


def test_battery_pays_for_work_and_holding() -> None:
    idle, busy = Battery(10.0), Battery(10.0)
    idle.step([0.0], [0.0], 3600.0)
    busy.step([2.0], [3.0], 3600.0)
    assert (idle.charge, idle.power) == (0.5, 5.0)
    assert busy.power == pytest.approx(5.0 + 6.0 + 0.6)
    busy.step([2.0], [3.0], 3600.0)
    assert busy.charge == 0.0
