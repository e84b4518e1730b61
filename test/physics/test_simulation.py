# SPDX-License-Identifier: Apache-2.0
"""A robot in MuJoCo without ROS: time, motors, reset, pushes, places."""

import math
from dataclasses import replace

import numpy as np
import pytest
from physics_stage import ARM, CYCLE, DESK, ROOT, dance, targets

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.physics.simulation import Simulation

NONE = (0.0, 0.0, 0.0)


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(ARM, encoding="utf-8")
    return Simulation(path)


@pytest.fixture
def desk():
    return Simulation(DESK, read_body(ROOT / "config/bodies/desk_humanoid.yaml"))


def run(simulation, seconds, **angles):
    for _ in range(round(seconds / CYCLE)):
        simulation.step(targets(simulation, **angles), CYCLE)
    return simulation.state


def test_motor_carries_the_weight_that_hangs_on_it(arm) -> None:
    """A rod of 0.5 kg whose middle is 0.3 m from the axis, held at 0.3 rad below the horizon."""
    state = run(arm, 3.0, shoulder=0.3)
    torque = -0.5 * 9.81 * 0.3 * math.cos(state.position[0])
    assert arm.effort[0] == pytest.approx(torque, rel=0.02)
    assert state.position[0] - 0.3 == pytest.approx(-torque / 40.0, rel=0.02)


def test_motor_is_no_stronger_than_its_effort(arm) -> None:
    state = run(arm, CYCLE, shoulder=1.5)
    assert abs(arm.effort[0]) == 20.0
    assert state.velocity[0] > 0.0


def test_velocity_and_effort_are_commanded_too(arm) -> None:
    joints = targets(arm)
    for _ in range(20):
        hold = -0.5 * 9.81 * 0.3 * math.cos(arm.state.position[0])  # weightless
        arm.step(type(joints)((0.0,), (0.0,), (0.0,), (0.0,), (hold,)), CYCLE)
    assert abs(arm.state.velocity[0]) < 0.01
    turning = type(joints)((0.0,), (-0.5,), (0.0,), (30.0,), (0.0,))
    for _ in range(100):
        arm.step(turning, CYCLE)
    assert arm.state.velocity[0] == pytest.approx(-0.5, abs=0.06)


def test_reset_gives_the_same_run_again_and_compiles_nothing(desk, monkeypatch) -> None:
    model = desk.model
    first = [run(desk, 0.5, l_shoulder_pitch=-1.0), run(desk, 0.5)]
    monkeypatch.setattr("embodiment_bridge.physics.assembly.compile_spec", None)
    begun = desk.reset()
    assert (begun.time, begun.base_position[:2]) == (0.0, (0.0, 0.0))
    assert [run(desk, 0.5, l_shoulder_pitch=-1.0), run(desk, 0.5)] == first
    assert desk.model is model


def test_reset_goes_to_a_keyframe(arm) -> None:
    assert arm.reset("up").position == (-0.5,)
    assert arm.body.joints[0].rest == -0.5
    with pytest.raises(CommandError, match="unknown keyframe 'down'"):
        arm.reset("down")


def test_floating_robot_stands_on_the_floor(desk) -> None:
    state = desk.reset()
    assert state.base_position[2] == pytest.approx(0.224, abs=0.002)
    state = run(desk, 2.0)
    assert state.base_position[2] == pytest.approx(0.223, abs=0.003)
    assert abs(state.pitch) < 0.05


def test_fixed_robot_stays() -> None:
    robot = Simulation(DESK, base="fixed")
    before = robot.state.base_position
    assert before[2] == pytest.approx(0.223 + 0.05, abs=0.002)  # its feet are free
    assert robot.reset().base_position == before
    robot.pushes.add("", (500.0, 0.0, 0.0), NONE, 0.5)
    assert run(robot, 0.5).base_position == before
    with pytest.raises(CommandError, match="fixed"):
        robot.beam(1.0, 0.0, 0.0)


def test_beam_puts_the_robot_onto_what_is_there(desk) -> None:
    desk.beam(1.5, 0.0, math.pi / 2)  # on the table of the room, 0.4 m high
    state = run(desk, 1.0)
    assert state.base_position[2] == pytest.approx(0.4 + 0.223, abs=0.01)
    assert state.yaw == pytest.approx(math.pi / 2, abs=0.02)
    with pytest.raises(CommandError, match="not finite"):
        desk.beam(math.nan, 0.0, 0.0)


def test_push_fells_a_robot_and_ends(desk) -> None:
    desk.pushes.add("torso", (20.0, 0.0, 0.0), NONE, 0.3)
    assert run(desk, 2.0).base_position[2] < 0.15
    assert not np.any(desk.data.xfrc_applied)
    desk.reset()
    desk.pushes.add("torso", (0.5, 0.0, 0.0), NONE, 0.1)
    assert run(desk, 2.0).base_position[2] > 0.2


@pytest.mark.parametrize(
    ("link", "force", "seconds", "why"),
    [
        ("tail", NONE, 1.0, "unknown link 'tail'"),
        ("ball", NONE, 1.0, "unknown link 'ball'"),
        ("torso", (math.inf, 0.0, 0.0), 1.0, "not finite"),
        ("torso", NONE, 0.0, "duration is 0"),
        ("torso", NONE, math.nan, "duration is nan"),
    ],
)
def test_push_that_makes_no_sense_is_refused(desk, link, force, seconds, why) -> None:
    with pytest.raises(CommandError, match=why):
        desk.pushes.add(link, force, NONE, seconds)


def test_things_are_placed_and_thrown(desk) -> None:
    desk.place("ball", (0.0, 2.0, 1.0), None, (1.0, 0.0, 0.0))
    run(desk, 0.1)
    ball = desk.data.body("ball").xpos
    assert (ball[0], ball[1]) == (pytest.approx(0.1, abs=0.01), pytest.approx(2.0))
    assert ball[2] == pytest.approx(1.0 - 0.5 * 9.81 * 0.01, abs=0.01)
    with pytest.raises(CommandError, match=r"unknown thing .* 'table' .*ball"):
        desk.place("table", NONE, None, NONE)
    with pytest.raises(CommandError, match="unknown thing"):
        desk.place("base_link", NONE, None, NONE)
    with pytest.raises(CommandError, match="not a rotation"):
        desk.place("ball", NONE, (0.0, 0.0, 0.0, 1e-9), NONE)


def test_angle_outside_a_range_is_refused_whole(desk) -> None:
    runner = MotionRunner(desk.body)
    before = targets(desk)
    points = [TrajectoryPoint(1.0, (0.2, 9.0))]
    with pytest.raises(CommandError, match="l_elbow_pitch"):
        runner.follow(["head_yaw", "l_elbow_pitch"], points)
    state = desk.state
    for _ in range(50):
        state = desk.step(runner.step(state, CYCLE), CYCLE)
    assert state.position[0] == pytest.approx(before.position[0], abs=0.01)


def test_body_file_of_another_robot_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown joint of model 'desk_humanoid' 'AAHead_yaw'"):
        Simulation(DESK, read_body(ROOT / "config/bodies/t1.yaml"))


@pytest.mark.fault(
    "not a number", body="mujoco", reaction="a simulation that has become unstable says so and begins again"
)
def test_unstable_simulation_says_so_and_begins_again(desk) -> None:
    desk.data.qvel[10] = 1e12
    with pytest.raises(LinkError, match="unstable"):
        run(desk, 0.1)
    assert run(desk, 0.5).base_position[2] == pytest.approx(0.223, abs=0.01)


def test_unstable_simulation_begins_again_where_it_began(arm) -> None:
    arm.body = replace(arm.body, joints=tuple(replace(joint, rest=0.2) for joint in arm.body.joints))
    assert arm.reset("up").position == (-0.5,)
    arm.data.qvel[0] = 1e12
    with pytest.raises(LinkError, match="unstable"):
        run(arm, 0.1)
    assert arm.state.position == (-0.5,)


def test_same_seed_same_dance(desk) -> None:
    first = dance(desk, 1.0), desk.state
    assert (dance(desk, 1.0), desk.state) == first


@pytest.mark.parametrize("field", ["position", "velocity", "kp", "kd", "effort"])
@pytest.mark.parametrize(
    ("value", "why"),
    [((math.nan,), "joint 'shoulder'"), ((1e300,), "too large"), ((), "joints; there are 1")],
)
def test_targets_that_are_none_are_refused(arm, field, value, why) -> None:
    good = replace(targets(arm), position=(0.2,), velocity=(0.1,))
    before = arm.step(good, CYCLE)
    with pytest.raises(CommandError, match=why):
        arm.step(replace(good, **{field: value}), CYCLE)
    assert arm.state == before
    assert arm.data.ctrl[0] == pytest.approx(40.0 * 0.2 + 4.0 * 0.1)
