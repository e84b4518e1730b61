# SPDX-License-Identifier: Apache-2.0
"""What a simulated robot sees, and what is hidden, behind it, or too far to a side."""

import pytest
from physics_stage import ARM, DESK

from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.sight import Sight
from embodiment_bridge.physics.simulation import Simulation

NONE = (0.0, 0.0, 0.0)
WORLD = """<mujoco><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="wall" pos="1 1.5 0.25"><geom type="box" size="0.02 0.4 0.25"/></body>
  <body name="ball_2" pos="2 0 0.3"><freejoint/><geom type="sphere" size="0.05" mass="1"/></body>
</worldbody></mujoco>"""


@pytest.fixture
def desk(tmp_path):
    path = tmp_path / "world.xml"
    path.write_text(WORLD, encoding="utf-8")
    return Simulation(DESK, world=str(path))


def seen(simulation, width=1.2, height=0.9):
    mujoco.mj_forward(simulation.model, simulation.data)
    return {thing.id: thing for thing in Sight(simulation, width, height).picture()}


def test_thing_ahead_is_seen_with_place_size_and_kind(desk) -> None:
    ball = seen(desk)["ball_2"]
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
def test_field_of_view(desk, place, is_seen) -> None:
    desk.place("ball_2", place, None, NONE)
    assert ("ball_2" in seen(desk)) == is_seen


def test_wall_hides_what_is_behind_it(desk) -> None:
    assert "ball_2" in seen(desk)
    desk.model.body("wall").pos[:] = [1.0, 0.0, 0.25]
    assert set(seen(desk)) == {"wall"}


def test_head_that_turns_sees_something_else(desk) -> None:
    desk.place("ball_2", (0.0, 2.0, 0.4), None, NONE)
    assert "ball_2" not in seen(desk)
    desk.data.joint("head_yaw").qpos[0] = 1.4
    assert "ball_2" in seen(desk)


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
def test_where_nothing_can_be_overlooked(desk, place, wall, sure) -> None:
    desk.model.body("wall").pos[:] = wall
    desk.place("ball_2", (0.0, -3.0, 0.3), None, NONE)
    mujoco.mj_forward(desk.model, desk.data)
    assert Sight(desk, 1.2, 0.9).surely_shows(place) is sure


def test_a_robot_without_an_eye_overlooks_nothing(tmp_path) -> None:
    path = tmp_path / "world.xml"
    path.write_text(WORLD, encoding="utf-8")
    arm = tmp_path / "arm.xml"
    arm.write_text(ARM, encoding="utf-8")
    sight = Sight(Simulation(arm, world=str(path)), 1.2, 0.9)
    assert sight.camera == ""
    assert sight.surely_shows((-9.0, 0.0, 0.0))
