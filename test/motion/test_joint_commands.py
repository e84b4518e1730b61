# SPDX-License-Identifier: Apache-2.0
"""Commands of joints from outside: taken at their limits, refused beyond them, and held for a short time only."""

import math
from dataclasses import FrozenInstanceError, replace
from itertools import pairwise

import pytest
from motion_stage import ARM, ARM_FILE, DT, SMALL, T1, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.state import SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.direct import DirectDrive, JointDrive, checked_drives

STRONG = tuple(replace(joint, effort=3.0) for joint in SMALL.joints)
HOLDS_S = 0.2  # as the README says
HERE = (0.1, 0.2, 0.3, 0.4)


def checked(names=("yaw",), **columns):
    return checked_drives(STRONG, HERE, names, columns)


def test_what_is_not_given_is_the_angle_now_no_speed_no_effort_and_the_gains_of_the_joint() -> None:
    assert checked(("right", "yaw")) == {
        3: JointDrive(0.4, 0.0, 40.0, 4.0, 0.0),
        0: JointDrive(0.1, 0.0, 10.0, 1.0, 0.0),
    }
    assert checked(("right", "yaw"), position=(), effort=()) == checked(("right", "yaw"))


def test_a_command_does_not_change() -> None:
    drive = checked()[0]
    with pytest.raises(FrozenInstanceError):
        drive.position = 9.0
    assert not hasattr(drive, "__dict__")


def test_values_belong_to_the_names_by_their_place() -> None:
    found = checked(
        ("left", "turn"),
        position=(0.5, 1.25),
        velocity=(0.1, 0.2),
        kp=(5.0, 6.0),
        kd=(0.5, 0.6),
        effort=(-1.0, 2.0),
    )
    assert found == {2: JointDrive(0.5, 0.1, 5.0, 0.5, -1.0), 1: JointDrive(1.25, 0.2, 6.0, 0.6, 2.0)}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *[("position", -1.0), ("position", 1.5), ("effort", -3.0), ("effort", 3.0), ("kp", 0.0), ("kd", 0.0)],
        *[("velocity", -4.0), ("velocity", 4.0), ("kp", 1e5), ("kd", 1e5)],
    ],
)
def test_what_is_exactly_at_a_limit_is_taken(column, value) -> None:
    assert getattr(checked(("turn",), **{column: (value,)})[1], column) == value


def test_a_joint_that_is_beyond_its_range_may_be_commanded_without_a_position() -> None:
    assert checked_drives(STRONG, (1.2, 0, 0, 0), ("yaw",), {"effort": (0.5,)})[0].position == 1.2


@pytest.mark.parametrize(
    ("names", "columns", "reason"),
    [
        (("tail",), {}, "unknown joint 'tail'"),
        (("yaw", "left", "yaw"), {}, "a joint is named twice in yaw, left, yaw"),
        (("yaw",), {"position": (0.1, 0.2)}, "2 values of position for 1 joints"),
        (("yaw", "left"), {"kp": (1.0,)}, "1 values of kp for 2 joints"),
        (("yaw", "left"), {"effort": (0.0, math.nan)}, "effort of left is nan, not a finite number"),
        (("yaw",), {"velocity": (math.inf,)}, "velocity of yaw is inf, not a finite number"),
        (("yaw", "left"), {"kp": (1e5, 1e10)}, r"kp of left is 1e\+10, its limit is 100000"),
        (("yaw",), {"kd": (1.1e5,)}, "kd of yaw is 110000, its limit is 100000"),
        (("turn",), {"position": (1.51,)}, r"turn at 1\.51 rad, not within -1\.\.1\.5 rad"),
        (("turn",), {"position": (-1.01,)}, r"turn at -1\.01 rad, not within -1\.\.1\.5 rad"),
        (("turn",), {"velocity": (4.01,)}, r"turn at 4\.01 rad/s, its limit is 4 rad/s"),
        (("turn",), {"velocity": (-4.01,), "kp": (0.0,)}, r"turn at -4\.01 rad/s, its limit is 4 rad/s"),
        (("turn",), {"effort": (3.01,)}, r"turn at 3\.01 Nm, its limit is 3 Nm"),
        (("turn",), {"effort": (-3.01,)}, r"turn at -3\.01 Nm, its limit is 3 Nm"),
        (("turn",), {"kp": (-0.1,)}, r"turn has gains kp -0\.1 and kd 2; none is negative"),
        (("turn",), {"kd": (-0.1,)}, r"turn has gains kp 20 and kd -0\.1; none is negative"),
    ],
)
def test_a_command_is_refused_as_a_whole(names, columns, reason) -> None:
    with pytest.raises(CommandError, match=f"^joint command: {reason}"):
        checked(names, **columns)


def test_a_command_holds_for_a_while_and_the_newest_of_each_joint_counts() -> None:
    direct = DirectDrive()
    assert not direct.advance(10.0)  # nothing is commanded, so nothing expires
    direct.set(checked(("yaw", "left"), position=(0.5, 0.6)))
    assert not direct.advance(HOLDS_S - 0.05)
    direct.set(checked(("left",), position=(0.7,)))
    out = [9.0, 9.0, 9.0, 9.0]
    direct.write(out)
    assert out == [0.5, 9.0, 0.7, 9.0]
    assert direct.advance(0.05 + 1e-9) == [0]  # that of the other joint has not renewed it
    direct.set({})
    out = [9.0] * 4
    direct.write(out)
    assert out == [9.0, 9.0, 0.7, 9.0]
    assert not direct.advance(HOLDS_S - 0.1)
    assert direct.advance(0.05) == [2]
    assert not direct.drives
    out = [9.0] * 4
    direct.write(out)
    assert out == [9.0] * 4
    assert not direct.advance(0.01)


def test_commands_that_are_dropped_do_not_expire() -> None:
    direct = DirectDrive()
    direct.set(checked())
    direct.clear()
    assert not direct.drives
    assert not direct.advance(10.0)


def test_a_command_has_expired_exactly_when_its_time_is_over() -> None:
    direct = DirectDrive()
    direct.set(checked())
    assert direct.advance(HOLDS_S) == [0]


def still(angles: list[float], limit: float = 1e-9) -> bool:
    return max(angles) - min(angles) < limit


def test_a_joint_stops_when_its_own_commands_end_whatever_else_is_commanded() -> None:
    stage = MovedBody()
    stage.runner.drive(["left"], {"position": [1.0], "velocity": [2.0]})
    for _ in range(40):  # the one who moved the arm is gone, another one goes on with the head
        stage.runner.drive(["yaw"], {"position": [0.5]})
        stage.runner.drive([], {})
        stage.step()
    assert stage.targets.velocity[stage.index["left"]] == 0.0
    assert still(stage.angles("left")[-3:])
    assert stage.angle("left") == pytest.approx(2.0 * (HOLDS_S + 0.125), abs=0.1)
    assert stage.angle("yaw") == pytest.approx(0.5)


def test_a_joint_stops_beside_one_of_its_channel_that_is_commanded_further() -> None:
    stage = MovedBody(ARM)
    stage.runner.drive(["upper"], {"position": [1.0]})
    for _ in range(30):
        stage.runner.drive(["fore"], {"position": [-1.0]})
        stage.step()
    upper = stage.angle("upper")
    assert still(stage.angles("upper")[-3:])
    assert HOLDS_S < upper < HOLDS_S + 0.25
    assert stage.angle("fore") == pytest.approx(-30 * DT)
    stage.run(0.6)
    assert -1.0 < stage.angle("fore") < -30 * DT - 0.2
    assert stage.angle("upper") == pytest.approx(upper)


def test_joints_of_one_channel_whose_commands_end_one_after_the_other_do_not_turn_back() -> None:
    stage = MovedBody(ARM)
    stage.runner.drive(["upper"], {"position": [1.0]})
    for _ in range(5):
        stage.runner.drive(["fore"], {"position": [1.0]})
        stage.step()
    stage.run(1.0)
    for name in ("upper", "fore"):
        steps = [b - a for a, b in pairwise(stage.angles(name))]
        assert min(steps) > -1e-9
        assert max(a - b for a, b in pairwise(steps)) < 0.2 * DT  # nor stop at once
        assert still(stage.angles(name)[-10:])


def lifted(*, head_is_driven: bool) -> list[float]:
    """The way of an arm by a skill that took it from joint commands, which may go on for the head."""
    stage = MovedBody()
    stage.runner.drive(["yaw", "left"], {"position": [0.2, 0.2]})
    stage.step()
    lift = stage.start("lift")
    for _ in range(60):
        if head_is_driven:
            stage.runner.drive(["yaw"], {"position": [0.4]})  # the first one in the percept of the skill
        stage.step()
    assert stage.angle("yaw") == pytest.approx(0.4 if head_is_driven else 0.2)
    assert stage.status(lift) is SkillStatus.SUCCEEDED
    return stage.angles("left")


def test_a_skill_keeps_the_joints_that_it_took_from_joint_commands() -> None:
    assert lifted(head_is_driven=True) == lifted(head_is_driven=False)


def ended(stage: MovedBody, by: str, skill: str) -> None:
    """The commands of a joint end: by time, by a stop, or because a skill has its channel."""
    if by == "stop":
        stage.runner.stop()
    elif by == "skill":
        stage.start(skill)
    else:
        stage.run(HOLDS_S)


@pytest.mark.parametrize("by", ["time", "stop", "skill"])
def test_a_joint_that_speed_or_torque_alone_has_moved_goes_on_from_where_it_is(by: str) -> None:
    stage = MovedBody()
    stage.runner.drive(["yaw"], {"velocity": [1.0], "kp": [0.0]})
    stage.step()
    assert stage.targets.kp[0] == 0.0
    stage.state = replace(stage.state, position=(0.6, *stage.state.position[1:]))
    if by == "time":
        for _ in range(9):
            stage.step()
            assert stage.targets.kp[0] == 0.0
            stage.state = replace(stage.state, position=(0.6, *stage.state.position[1:]))
    else:
        ended(stage, by, "nod")
    stage.track.clear()
    stage.run(0.1)
    assert stage.targets.kp[0] == 10.0
    assert stage.angles("yaw") == pytest.approx([0.6] * 5, abs=0.02)
    if by != "skill":
        stage.run(1.0)
        assert stage.angle("yaw") == pytest.approx(0.6)


def test_a_servo_that_has_no_gains_in_its_body_file_slows_down_as_others() -> None:
    stage = MovedBody(parse_body(ARM_FILE.replace("kp: 10, kd: 1", "kp: 0, kd: 0"), "servos.yaml"))
    stage.runner.drive(["upper"], {"position": [1.0]})
    stage.run(HOLDS_S + 1.0)
    assert stage.angle("upper") == pytest.approx(HOLDS_S + 0.125, abs=0.05)


@pytest.mark.parametrize("by", ["time", "stop", "skill"])
def test_legs_go_smoothly_to_a_stand_when_their_commands_end(by: str) -> None:
    stage = MovedBody(T1)
    standing = stage.angle("Left_Knee_Pitch")
    for _ in range(60):
        stage.runner.drive(["Left_Knee_Pitch"], {"position": [standing + 0.8]})
        stage.step()
    assert stage.angle("Left_Knee_Pitch") == pytest.approx(standing + 0.8)
    stage.track.clear()
    ended(stage, by, "stand")
    stage.run(1.0)
    steps = [abs(b - a) for a, b in pairwise(stage.angles("Left_Knee_Pitch"))]
    assert max(steps) < 0.4 * 10.0 * DT  # it may go at 10 rad/s
    assert stage.angle("Left_Knee_Pitch") == pytest.approx(standing, abs=0.01)


def test_a_joint_beside_one_that_is_commanded_now_slows_down() -> None:
    stage = MovedBody(ARM)
    for _ in range(30):
        stage.runner.drive(["upper", "fore"], {"position": [1.0, 1.0]})
        stage.step()
    stage.run(HOLDS_S + DT)  # both are on their way to a stop
    stage.runner.drive(["upper"], {"position": [1.0]})
    stage.run(0.5)
    speeds = [(b - a) / DT for a, b in pairwise(stage.angles("fore"))]
    assert max(a - b for a, b in pairwise(speeds)) < 0.2
