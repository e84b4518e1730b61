# SPDX-License-Identifier: Apache-2.0
"""How skills run beside each other and how they end."""

from dataclasses import replace
from itertools import pairwise

import pytest
from motion_stage import ARM_FILE, DT, T1, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.state import SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint

SUCCEEDED, SKIPPED, REPLACED, CANCELED, FAILED, RUNNING = (
    SkillStatus[name] for name in ("SUCCEEDED", "SKIPPED", "REPLACED", "CANCELED", "FAILED", "RUNNING")
)


def speeds(stage: MovedBody, joint: str) -> list[float]:
    angles = stage.angles(joint)
    return [(b - a) / DT for a, b in pairwise(angles)]


REACH = """skills:
  reach: {kind: motion, channels: [arm_l], nominal_s: 2.0, min_s: 2.0, keyframes: [{at: 1.0, upper: 0.9, fore: 0.9}]}
  lift: {kind: motion, channels: [arm_l], nominal_s: 2.0, min_s: 2.0, keyframes: [{at: 1.0, upper: 0.0}]}
"""
REACHING = parse_body(ARM_FILE.replace("skills: {}\n", REACH), "arm.yaml")


def test_a_joint_that_the_newer_skill_does_not_move_slows_down() -> None:
    stage = MovedBody(REACHING)
    stage.start("reach")
    stage.run(1.0)
    before, speed = stage.angle("fore"), speeds(stage, "fore")[-1]
    assert speed > 0.7
    lift = stage.start("lift")
    stage.finish(lift)
    assert max(a - b for a, b in pairwise(speeds(stage, "fore"))) < 0.2  # in 0.02 s
    assert stage.angle("fore") == pytest.approx(before + 0.125 * speed, abs=0.02)
    assert stage.angle("upper") == pytest.approx(0.0)


def test_skills_on_different_channels_run_together() -> None:
    stage = MovedBody()
    first, second = stage.start("nod"), stage.start("bow")
    stage.finish(first)
    assert stage.status(second) is SUCCEEDED


def test_newer_skill_replaces_the_older_and_its_other_arm_comes_to_rest() -> None:
    stage = MovedBody()
    wave = stage.start("wave")
    stage.run(0.26)
    lift = stage.start("lift")
    stage.step()
    assert (stage.status(wave), stage.last(wave).reason) == (REPLACED, f"channel taken by {lift!r}")
    assert stage.finish(lift).status is SUCCEEDED
    assert stage.angle("left") == pytest.approx(-0.5)
    assert max(abs(b - a) for a, b in pairwise(speeds(stage, "left"))) < 0.4
    assert stage.angle("right") == 0.0


def test_replaced_arm_that_moves_slows_down_where_it_is() -> None:
    stage = MovedBody()
    stage.start("wave")
    stage.run(1.26)  # the right arm is on its way down
    before, speed = stage.angle("right"), speeds(stage, "right")[-1]
    assert speed < -0.5
    stage.start("lift")
    stage.run(1.0)
    assert stage.angle("right") == pytest.approx(before + 0.125 * speed, abs=0.02)
    assert speeds(stage, "right")[-1] == 0.0


@pytest.mark.parametrize(
    ("name", "joint", "after", "slot_s"),
    [("nod", "yaw", "where it was", 2.0), ("look", "yaw", 0.0, 1.0), ("bow", "turn", 1.0, 1.0)],
)
def test_cancel_ends_as_the_skill_says_and_only_at_rest(name, joint, after, slot_s) -> None:
    stage = MovedBody()
    request = stage.start(name)
    stage.run(0.4)
    middle = stage.angle(joint)
    assert stage.runner.cancel(request) is True
    stage.step()
    assert stage.status(request) is RUNNING  # still moving
    report = stage.finish(request)
    assert report.status is CANCELED
    assert stage.targets.velocity[stage.index[joint]] == 0.0
    if after == "where it was":
        assert abs(stage.angle(joint) - middle) < 0.15
    else:
        assert stage.angle(joint) == pytest.approx(after)
    end = stage.angle(joint)
    stage.run(slot_s)
    assert stage.angle(joint) == end
    assert stage.runner.cancel(request) is False


def test_cancel_twice_is_one_cancel() -> None:
    stage = MovedBody()
    request = stage.start("look")
    stage.run(0.4)
    stage.runner.cancel(request)
    stage.run(0.1)
    stage.runner.cancel(request)
    assert stage.finish(request, 1.0).status is CANCELED
    assert stage.angle("yaw") == pytest.approx(0.0)


def test_canceled_skill_that_is_replaced_on_its_way_is_canceled() -> None:
    stage = MovedBody()
    request = stage.start("look")
    stage.run(0.4)
    stage.runner.cancel(request)
    stage.start("nod")
    stage.step()
    assert stage.status(request) is CANCELED


def test_stop_ends_all_where_they_are() -> None:
    stage = MovedBody()
    requests = [stage.start("look"), stage.start("bow"), stage.start("eye_red", 5.0)]
    stage.run(0.4)
    angles = stage.angle("yaw"), stage.angle("turn")
    stage.runner.stop()
    for request in requests:
        assert stage.finish(request, 0.5).status is CANCELED
    assert stage.angle("yaw") == pytest.approx(angles[0], abs=0.2)
    assert stage.angle("turn") == pytest.approx(angles[1], abs=0.2)
    stage.runner.stop()  # again, with nothing to stop
    stage.run(0.2)


def brought_to_rest(stops: int) -> list[float]:
    stage = MovedBody()
    stage.start("wave")
    stage.run(1.26)
    lift = stage.start("lift")  # the right arm slows down, the left one goes up
    stage.run(0.1)
    for _ in range(stops):
        stage.runner.stop()
        stage.step()
    stage.run(1.0)
    assert stage.status(lift) is CANCELED
    return [*stage.angles("left")[-1:], *stage.angles("right")[-1:]]


def test_a_stop_that_is_repeated_stops_as_soon_as_one() -> None:
    assert brought_to_rest(stops=20) == pytest.approx(brought_to_rest(stops=1), abs=1e-9)


@pytest.mark.parametrize(("slot", "seconds"), [(0.0, 0.6), (1.0, 1.0)])
def test_skill_of_an_absent_channel_takes_its_slot_and_is_skipped(slot: float, seconds: float) -> None:
    stage = MovedBody()
    report = stage.finish(stage.start("grip", slot))
    assert (report.status, report.progress) == (SKIPPED, 1.0)
    assert "lacks" in report.reason
    assert len(stage.track) * DT == pytest.approx(seconds)
    assert len(set(stage.track)) == 1


def test_light_without_a_slot_is_over_at_once() -> None:
    stage = MovedBody()
    assert stage.finish(stage.start("eye_red"), DT).status is SKIPPED


def test_progress_is_told_five_times_a_second_and_rises() -> None:
    stage = MovedBody()
    request = stage.start("nod", 4.0)
    stage.finish(request)
    reports = [r for r in stage.reports if r.id == request]
    assert len(reports) == 1 + 4 * 5
    progress = [r.progress for r in reports]
    assert progress == sorted(progress)
    assert (progress[0], progress[-1], reports[-1].status) == (0.0, 1.0, SUCCEEDED)
    assert progress[10] == pytest.approx(0.5, abs=0.03)


def test_hold_freezes_in_mid_air_and_resume_goes_on_exactly() -> None:
    free, held = MovedBody(), MovedBody()
    free.finish(free.start("nod", 3.0))
    request = held.start("nod", 3.0)
    held.run(0.6)
    held.runner.hold(True)
    held.run(0.3)
    assert held.last(request).held
    assert held.runner.held
    frozen = held.angle("yaw")
    assert speeds(held, "yaw")[-1] == 0.0
    held.run(3.0)
    assert held.angle("yaw") == frozen
    held.runner.hold(False)
    held.step()
    assert not held.last(request).held
    assert held.finish(request).status is SUCCEEDED
    # The same way, only later: each held angle lies on the free path, and both end at the same place.
    assert held.angles("yaw")[-50:] == pytest.approx(free.angles("yaw")[-50:], abs=1e-9)
    assert max(held.angles("yaw")) == pytest.approx(max(free.angles("yaw")), abs=2e-3)
    smooth = [abs(b - a) for a, b in pairwise(speeds(held, "yaw"))]
    assert max(smooth) < 0.1


def test_skill_that_is_started_while_held_waits() -> None:
    stage = MovedBody()
    stage.runner.hold(True)
    stage.run(0.5)
    request = stage.start("nod")
    stage.run(1.0)
    assert stage.angle("yaw") == 0.0
    assert stage.last(request).held
    stage.runner.hold(False)
    assert stage.finish(request, 2.5).status is SUCCEEDED


@pytest.mark.parametrize("name", ["nod", "look", "bow"])
def test_cancel_while_held_ends_now(name: str) -> None:
    stage = MovedBody()
    request = stage.start(name)
    stage.run(0.4)
    stage.runner.hold(True)
    stage.run(0.5)
    stage.runner.cancel(request)
    assert stage.finish(request, 1.0).status is CANCELED


def test_cancel_of_a_skill_that_has_not_moved_yet_ends_at_once() -> None:
    stage = MovedBody()
    request = stage.start("nod")
    stage.runner.cancel(request)
    stage.step()
    assert stage.status(request) is CANCELED
    assert stage.angle("yaw") == 0.0


LIMP = {0: "limp", 1: "silent"}  # of the head, and of the waist


def test_a_skill_whose_joints_are_all_limp_fails_and_says_what_to_do() -> None:
    stage = MovedBody()
    stage.state = replace(stage.state, limp=LIMP)
    stage.step()
    nod, wave = stage.start("nod"), stage.start("wave")
    report = stage.finish(nod, 0.1)
    assert (report.status, report.reason) == (
        FAILED,
        "cannot be moved: yaw (limp); set_torque drives limp joints",
    )
    assert stage.finish(wave).status is SUCCEEDED
    run = stage.runner.follow(["turn", "yaw"], [TrajectoryPoint(1.0, (0.6, 0.2))])
    assert "turn (silent), yaw (limp)" in stage.finish(run, 0.1).reason


def test_a_skill_of_which_some_joints_are_limp_succeeds_with_a_remark() -> None:
    stage = MovedBody()
    stage.state = replace(stage.state, limp=LIMP)
    reset = stage.start("reset")
    for _ in range(100):  # the head hangs
        stage.step()
        stage.state = replace(stage.state, position=(0.3, *stage.state.position[1:]))
    report = stage.last(reset)
    assert (report.status, report.reason) == (
        SUCCEEDED,
        "cannot be moved: yaw (limp), turn (silent); set_torque drives limp joints",
    )


def test_joints_that_become_limp_on_their_way_end_the_skill_and_begin_where_they_are_afterwards() -> None:
    stage = MovedBody()
    look = stage.start("look")
    stage.run(0.5)
    stage.state = replace(stage.state, limp={0: "limp: overload"})
    assert stage.finish(look, 0.1).reason.startswith("cannot be moved: yaw (limp: overload)")
    for _ in range(20):
        stage.state = replace(stage.state, position=(-0.6, *stage.state.position[1:]))
        stage.step()
    stage.state = replace(stage.state, limp={}, position=(-0.6, *stage.state.position[1:]))
    stage.track.clear()
    stage.run(1.0)
    assert stage.angles("yaw") == pytest.approx([-0.6] * 50, abs=1e-6)


def test_commands_of_joints_and_velocities_that_nothing_can_follow_are_refused() -> None:
    stage = MovedBody()
    stage.state = replace(stage.state, limp=LIMP)
    stage.step()
    with pytest.raises(CommandError, match=r"^joint command: cannot be moved: yaw \(limp\)"):
        stage.runner.drive(["yaw"], {"position": [0.2]})
    stage.runner.drive(["yaw", "left"], {"position": [0.2, 0.2]})
    assert stage.runner.remark == "cannot be moved: yaw (limp); set_torque drives limp joints"
    legs = MovedBody(T1)
    numbers = [i for i, joint in enumerate(T1.joints) if joint.channel == "legs"]
    legs.state = replace(legs.state, limp=dict.fromkeys(numbers, "limp"))
    legs.step()
    for ask in (lambda: legs.runner.set_velocity(0.2, 0.0), lambda: legs.runner.walk_to(1.0, 0.0, 0.0)):
        with pytest.raises(CommandError, match=r"cannot be moved: .* and \d+ more; set_torque"):
            ask()
    walk = legs.start("walk_forward") if "walk_forward" in T1.skills else legs.start("go_to", x=1.0, y=0.0)
    assert legs.finish(walk, 0.1).status is FAILED
