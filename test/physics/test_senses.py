# SPDX-License-Identifier: Apache-2.0
"""What a simulated robot senses, and what it sees."""

import math

import pytest
from physics_stage import ARM, CYCLE, DESK, targets

from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.senses import Battery, Odometry, Senses
from embodiment_bridge.physics.sight import Sight
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


NONE = (0.0, 0.0, 0.0)
WORLD = """<mujoco><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="wall" pos="1 1.5 0.25"><geom type="box" size="0.02 0.4 0.25"/></body>
  <body name="ball_2" pos="2 0 0.3"><freejoint/><geom type="sphere" size="0.05" mass="1"/></body>
</worldbody></mujoco>"""


@pytest.fixture
def seeing(tmp_path):
    path = tmp_path / "world.xml"
    path.write_text(WORLD, encoding="utf-8")
    return Simulation(DESK, world=str(path))


def seen(simulation, width=1.2, height=0.9):
    mujoco.mj_forward(simulation.model, simulation.data)
    return {thing.id: thing for thing in Sight(simulation, width, height).picture()}


def test_thing_ahead_is_seen_with_place_size_and_kind(seeing) -> None:
    ball = seen(seeing)["ball_2"]
    assert ball.kind == "ball"
    assert ball.position == pytest.approx((2.0, 0.0, 0.3))
    assert ball.size == pytest.approx((0.1, 0.1, 0.1))


@pytest.mark.parametrize(
    ("place", "is_seen"),
    [
        ((2.0, 1.0, 0.4), True),
        ((2.0, 1.6, 0.4), False),  # beside the picture
        ((-2.0, 0.0, 0.4), False),  # behind
        ((2.0, 0.0, 2.0), False),  # above
    ],
)
def test_field_of_view(seeing, place, is_seen) -> None:
    seeing.place("ball_2", place, None, NONE)
    assert ("ball_2" in seen(seeing)) == is_seen


def test_wall_hides_what_is_behind_it(seeing) -> None:
    assert "ball_2" in seen(seeing)
    seeing.model.body("wall").pos[:] = [1.0, 0.0, 0.25]
    assert set(seen(seeing)) == {"wall"}


def test_head_that_turns_sees_something_else(seeing) -> None:
    seeing.place("ball_2", (0.0, 2.0, 0.4), None, NONE)
    assert "ball_2" not in seen(seeing)
    seeing.data.joint("head_yaw").qpos[0] = 1.4
    assert "ball_2" in seen(seeing)


def test_camera_of_an_mjcf_and_none(tmp_path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM, encoding="utf-8")
    blind = Simulation(path, world="soccer")
    assert Sight(blind, 1.0, 1.0).camera == ""
    assert "ball" in seen(blind)
    camera = '<camera name="eye" pos="0 0 0.1" xyaxes="0 -1 0 0 0 1"/><geom type="box"'
    path.write_text(ARM.replace('<geom type="box"', camera), encoding="utf-8")
    robot = Simulation(path, world="soccer")
    eye = Sight(robot, 2.0, 2.8)
    place, axes = eye.pose()
    assert eye.camera == "eye"
    assert place == pytest.approx([0.0, 0.0, 1.1])
    assert axes[:, 0] == pytest.approx([1.0, 0.0, 0.0])
    assert {"goal_right"} <= set(seen(robot, 2.0, 2.8)) < {"ball", "goal_right", "goal_left"}


@pytest.mark.parametrize(
    ("place", "wall", "sure"),
    [
        ((2.0, 0.0, 0.3), (1.0, 1.5, 0.25), True),
        ((2.0, 0.0, 0.3), (1.0, 0.0, 0.25), False),  # hidden
        ((2.0, 1.35, 0.4), (1.0, 1.5, 0.25), False),  # at the rim of the picture
        ((-2.0, 0.0, 0.4), (1.0, 1.5, 0.25), False),  # behind
    ],
)
def test_where_nothing_can_be_overlooked(seeing, place, wall, sure) -> None:
    seeing.model.body("wall").pos[:] = wall
    seeing.place("ball_2", (0.0, -3.0, 0.3), None, NONE)
    mujoco.mj_forward(seeing.model, seeing.data)
    assert Sight(seeing, 1.2, 0.9).surely_shows(place) is sure


def test_a_robot_without_an_eye_overlooks_nothing(tmp_path) -> None:
    path = tmp_path / "world.xml"
    path.write_text(WORLD, encoding="utf-8")
    arm = tmp_path / "arm.xml"
    arm.write_text(ARM, encoding="utf-8")
    sight = Sight(Simulation(arm, world=str(path)), 1.2, 0.9)
    assert sight.camera == ""
    assert sight.surely_shows((-9.0, 0.0, 0.0))
