# SPDX-License-Identifier: Apache-2.0
"""A policy walks beside the gait of the body: who walks when, without a jump, and what happens when it fails."""

from dataclasses import replace
from itertools import pairwise

import pytest
from motion_stage import DT, T1
from policy_stage import JOINTS, LEGS, manifest, network, stage

from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.motion.gait.policy_walk import FAULT_S, PAUSE_S
from embodiment_bridge.motion.gait.steps import Kick
from embodiment_bridge.motion.gait.walk import WalkCommand
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.scene.entities import Sighting

ACTION = 0.4
SHIFT = 0.25 * ACTION  # rad that each joint is beside its default while the policy walks
INDEX = {joint.name: n for n, joint in enumerate(T1.joints)}
REST = {joint.name: joint.rest for joint in T1.joints}
KICK = Kick(True, 1.0)
JUMP = 0.08  # rad in a cycle: no hand-over moves a joint further


def drive(robot, seconds, forward=0.0, turn=0.0, left=0.0):
    for _ in range(round(seconds / DT)):
        robot.runner.set_velocity(forward, turn, left=left)
        robot.step()


def by_policy(robot):
    """Whether the legs are where the policy wants them."""
    return all(robot.angle(name) == pytest.approx(JOINTS[name] + SHIFT, abs=1e-6) for name in LEGS)


def by_gait(robot):
    """Whether the legs have the gains of the body."""
    return all(gains(robot, name) == (T1.joints[INDEX[name]].kp, T1.joints[INDEX[name]].kd) for name in LEGS)


def largest_step(robot, names=LEGS):
    tracks = [robot.angles(name) for name in names]
    return max(abs(b - a) for track in tracks for a, b in pairwise(track))


def gains(robot, name):
    return robot.targets.kp[INDEX[name]], robot.targets.kd[INDEX[name]]


def test_a_fast_command_is_walked_by_the_policy_with_its_gains(tmp_path):
    robot = stage(tmp_path)
    own = gains(robot, "Left_Knee_Pitch")
    drive(robot, 2.0, 1.4)
    assert by_policy(robot)
    assert robot.runner.status == "walking"
    assert robot.runner.velocity[0] == pytest.approx(1.4)
    assert robot.angle("Left_Shoulder_Pitch") == pytest.approx(0.2 + SHIFT)
    assert gains(robot, "Left_Knee_Pitch") == (100.0, 2.0)
    assert gains(robot, "Left_Ankle_Roll") == (30.0, 2.0)
    assert set(robot.targets.velocity) == {0.0}
    robot.run(4.0)  # the velocity times out
    assert robot.runner.status == "standing"
    assert gains(robot, "Left_Knee_Pitch") == own
    assert robot.angle("Left_Shoulder_Pitch") == pytest.approx(REST["Left_Shoulder_Pitch"])


@pytest.mark.parametrize("command", [(0.3, 0.0, 0.0), (0.0, 0.25, 0.0), (0.0, 0.0, 0.2)])
def test_below_the_least_velocity_the_gait_of_the_body_walks(tmp_path, command):
    robot = stage(tmp_path)
    forward, turn, left = command
    for _ in range(100):
        robot.runner.set_velocity(forward, turn, left=left)
        robot.step()
        assert by_gait(robot)
    assert robot.runner.status == "walking"


def test_no_hand_over_between_standing_and_policy_jumps(tmp_path):
    at_once = manifest()["walk"] | {"forward_rate": 100.0, "amplitude_rate": 100.0}
    robot = stage(tmp_path, walk=at_once)
    drive(robot, 2.0, 1.4)
    assert by_policy(robot)
    robot.run(4.0)
    assert robot.runner.status == "standing"
    assert largest_step(robot, JOINTS) < JUMP


def test_no_hand_over_jumps_while_the_gait_walks(tmp_path):
    robot = stage(tmp_path)
    drive(robot, 3.0, 0.3)
    walking = largest_step(robot)
    robot.track.clear()
    drive(robot, 2.0, 1.0)
    assert by_policy(robot)
    drive(robot, 6.0, 0.3)
    assert by_gait(robot)
    assert robot.runner.status == "walking"
    assert largest_step(robot) < walking + JUMP


def test_the_policy_takes_over_and_back_again_and_again(tmp_path):
    robot = stage(tmp_path)
    for n in range(30):
        drive(robot, 0.02 * n, 1.4)
        robot.run(0.02 * (30 - n))
    assert largest_step(robot, JOINTS) < 0.15  # the gait steps meanwhile


FAULTS = {
    "tilt": "tilted by 0.80 rad",
    "gap": "no percept for 0.2",
    "numbers": "not a number",
    "code": "observe failed: ZeroDivisionError",
    "odd code": "observe failed: StopIteration",
    "values": "observe gave (1,)",
}

BAD = {"code": "[1 / 0]", "odd code": "next(iter(()))", "values": "[0.0]"}


def failing(tmp_path, case):
    """A robot on which the policy fails as soon as it turns fast."""
    if case == "numbers":
        return stage(tmp_path, network(turn=3e38), feed={"turn": 2.0})
    if case in BAD:
        (tmp_path / "see.py").write_text(
            f"def observe(felt, command):\n    return {BAD[case]} if command[2] > 1.0 else [0.0] * 51\n"
        )
        return stage(tmp_path, observation=None, observe="see.py")
    return stage(tmp_path)


@pytest.mark.parametrize("case", FAULTS)
def test_a_failure_hands_over_to_the_gait_at_once_without_a_jump(tmp_path, case):
    robot = failing(tmp_path, case)
    drive(robot, 2.0, 1.4)
    assert by_policy(robot)
    robot.track.clear()
    turn = 1.2 if case == "numbers" or case in BAD else 0.0
    for _ in range(40):
        if case == "tilt":
            robot.state = replace(robot.state, pitch=0.8)
        if case == "gap" and not robot.runner.remark:
            robot.state = replace(robot.state, time=robot.state.time + 0.2)
        robot.runner.set_velocity(1.4, turn)
        robot.step()
        if robot.runner.remark:
            break
    assert FAULTS[case] in robot.runner.remark
    assert "the policy made_up gave up" in robot.runner.remark
    first = [robot.angle(name) for name in LEGS]
    assert not by_policy(robot)  # in this very cycle
    for _ in range(round(FAULT_S / DT) + 1):
        robot.state = replace(robot.state, pitch=0.0)
        robot.runner.set_velocity(1.4, 0.0)
        robot.step()
    assert by_gait(robot)
    assert [robot.angle(name) for name in LEGS] != first
    assert robot.runner.status == "walking"
    assert largest_step(robot) <= T1.joints[INDEX[LEGS[0]]].velocity * DT + 1e-9
    assert all(abs(angle) < 4.0 for position in robot.track for angle in position)


def test_after_a_failure_the_policy_is_tried_again(tmp_path):
    robot = stage(tmp_path)
    drive(robot, 2.0, 1.4)
    robot.state = replace(robot.state, pitch=0.8)
    drive(robot, DT, 1.4)
    robot.state = replace(robot.state, pitch=0.0)
    drive(robot, PAUSE_S - 0.1, 1.4)
    assert not by_policy(robot)
    assert "gave up" in robot.runner.remark
    drive(robot, 1.0, 1.4)
    assert by_policy(robot)
    assert robot.runner.remark == ""


def test_a_fall_ends_the_policy(tmp_path):
    robot = stage(tmp_path)
    drive(robot, 2.0, 1.4)
    robot.state = replace(robot.state, pitch=1.5)
    robot.step()
    assert robot.runner.status == "fallen"
    assert not robot.runner.set_velocity(1.4, 0.0)
    robot.run(1.0)
    assert by_gait(robot)
    assert largest_step(robot, JOINTS) < 0.15


def test_arms_are_free_for_skills(tmp_path):
    robot = stage(tmp_path)
    drive(robot, 2.0, 1.4)
    wave = robot.start("hand_pitch")
    robot.track.clear()
    drive(robot, 0.5, 1.4)
    shoulder = INDEX["Left_Shoulder_Pitch"]
    assert robot.angle("Left_Shoulder_Pitch") < -0.5
    assert robot.targets.kp[shoulder] == T1.joints[shoulder].kp
    assert by_policy(robot)
    drive(robot, 2.0, 1.4)
    assert robot.status(wave) is SkillStatus.SUCCEEDED
    assert robot.angle("Left_Shoulder_Pitch") == pytest.approx(0.2 + SHIFT)
    assert largest_step(robot, ["Left_Shoulder_Pitch"]) <= T1.joints[shoulder].velocity * DT


def test_a_goal_is_walked_to_and_stood_at(tmp_path):
    robot = stage(tmp_path)
    robot.runner.walk_to(4.0, 1.0, 1.0)
    fast = 0.0
    for _ in range(1500):
        robot.step()
        fast = max(fast, robot.runner.velocity[0])
        if robot.reports and robot.reports[-1].status.ended:
            break
    assert robot.reports[-1].status is SkillStatus.SUCCEEDED
    assert fast > 1.0
    x, y, _ = robot.state.base_position
    assert (x, y, robot.state.yaw) == pytest.approx((4.0, 1.0, 1.0), abs=0.09)
    assert robot.runner.status == "standing"


def test_a_fast_body_slows_down_in_time_before_a_goal(tmp_path):
    slow = manifest()["walk"] | {"forward_rate": 0.8, "brake": 1.5}
    robot = stage(tmp_path, walk=slow)
    robot.runner.walk_to(5.0, 0.0, 0.0)
    farthest = 0.0
    for _ in range(600):
        robot.step()
        farthest = max(farthest, robot.state.base_position[0])
    assert robot.reports[-1].status is SkillStatus.SUCCEEDED
    assert farthest < 5.1


def test_a_walk_skill_goes_its_distance(tmp_path):
    robot = stage(tmp_path)
    assert robot.finish(robot.start("walk", distance=3.0)).status is SkillStatus.SUCCEEDED
    assert robot.state.base_position[0] == pytest.approx(3.0, abs=0.3)


@pytest.mark.parametrize(
    ("name", "slot", "parameters", "way"),
    [
        ("foot_pitch", 0.0, {}, 0.0),
        ("foot_pitch", 1.2, {}, 0.0),
        ("walk", 0.0, {"steps": 1}, 0.1),
        ("walk", 0.0, {"duration": 0.9}, 0.1),
    ],
)
def test_a_short_walk_is_not_over_before_it_began(tmp_path, name, slot, parameters, way):
    robot = stage(tmp_path)
    request = robot.start(name, slot, **parameters)
    robot.run(0.3)
    assert robot.runner.status == "walking"
    assert robot.finish(request).status is SkillStatus.SUCCEEDED
    assert robot.state.base_position[0] >= way


def test_a_policy_that_walks_at_any_speed_leaves_the_kick_to_the_gait(tmp_path):
    robot = stage(tmp_path, least=None)
    things = {"ball": Sighting("ball", "ball", (0.8, 0.1, 0.1), (0.2, 0.2, 0.2))}
    robot.runner = MotionRunner(robot.body, {}, lambda: things)
    robot.run(2.0)
    robot.track.clear()
    robot.runner.start(SkillRequest("kick", "kick", {}))
    walker, led, kicks = robot.walker, False, 0
    for _ in range(1500):
        robot.step()
        led = led or by_policy(robot)
        if walker.kicking:
            kicks += 1
            things["ball"] = Sighting("ball", "ball", (2.0, 0.1, 0.1), (0.2, 0.2, 0.2))
            assert {walker.share[INDEX[name]] for name in LEGS} != {1.0}
        if (report := robot.last("kick")) is not None and report.status.ended:
            break
    assert robot.status("kick") is SkillStatus.SUCCEEDED
    assert led
    assert kicks * DT > 0.2  # the whole step


@pytest.mark.parametrize("joined", [2, 4])
def test_a_kick_asked_while_the_policy_takes_over_waits_for_the_gait(tmp_path, joined):
    robot = stage(tmp_path, least=None)
    walker, cycles, shares = robot.walker, iter(range(1000)), []
    step = walker.step

    def asked(_, dt, balance):
        cycle = next(cycles)
        if cycle < 50:  # the foot that kicks is about to lift
            command = WalkCommand(True)
        elif cycle < 50 + joined:
            command = WalkCommand(True, 0.3)
        else:
            command = WalkCommand(True, 0.1 if not walker.kicks else 0.0, kick=None if walker.kicks else KICK)
        step(command, dt, balance)
        if walker.kicking:
            shares.append(max(walker.share[INDEX[name]] for name in LEGS))

    walker.step = asked
    drive(robot, 8.0, 0.3)
    assert walker.kicks == 1
    assert max(shares) < 1.0  # the policy never has the legs alone
    assert len(shares) * DT > 0.2  # the whole step


def test_a_hold_stops_the_policy_and_its_end_lets_it_go_on(tmp_path):
    robot = stage(tmp_path)
    walk = robot.start("walk", distance=6.0)
    robot.run(2.0)
    assert by_policy(robot)
    robot.runner.hold(True)
    robot.run(4.0)
    assert robot.runner.held
    assert robot.runner.status == "standing"
    there = robot.state.base_position[0]
    robot.run(1.0)
    assert robot.state.base_position[0] == there
    robot.runner.hold(False)
    assert robot.finish(walk).status is SkillStatus.SUCCEEDED
    assert robot.state.base_position[0] == pytest.approx(6.0, abs=0.3)


def test_percepts_faster_than_the_policy_leave_its_rate(tmp_path):
    calls = tmp_path / "calls"
    (tmp_path / "see.py").write_text(
        "def observe(felt, command):\n"
        f"    with open({str(calls)!r}, 'a') as file:\n"
        "        file.write('.')\n"
        "    return [0.0] * 51\n"
    )
    robot = stage(tmp_path, observation=None, observe="see.py")
    robot.runner.set_velocity(1.4, 0.0, timeout=60.0)
    for _ in range(400):
        robot.step(0.005)
    robot.step(0.0)
    assert by_policy(robot)
    assert 75 <= len(calls.read_text()) <= 101
