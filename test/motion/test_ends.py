# SPDX-License-Identifier: Apache-2.0
"""An end is an end: no motion takes a joint beyond where it was and where it was told to go.

For each joint that no gait moves: from a rest of the whole body on, its commands stay within the hull of the angle
where it rested and of the targets that it has been given since, whoever gives them and however they end. A stop, a
cancel or a newer motion brakes within that hull.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion_stage import DT, MovedBody

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint

BODIES = {path.stem: read_body(path) for path in (Path(__file__).parents[2] / "config/bodies").glob("*.yaml")}
JOINTED = sorted(name for name, body in BODIES.items() if body.joints)
BEYOND = 0.02  # rad


@dataclass
class Watch:
    """Does things to a body and knows where each joint may be."""

    body: BodyDescription
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    goals: dict[str, dict[int, float]] = field(default_factory=dict)  # last points, by the id of their motion

    def __post_init__(self) -> None:
        self.stage = MovedBody(self.body)
        legs = self.stage.runner._legs
        moved = legs.joints if legs is not None else ()
        self.own = [i for i in range(len(self.body.joints)) if i not in moved]
        self.low, self.high = list(self.stage.targets.position), list(self.stage.targets.position)

    @property
    def runs(self):
        """The skills that run, by id."""
        return self.stage.runner._table._runs

    def told(self, joint: int, angle: float) -> None:
        self.low[joint], self.high[joint] = min(self.low[joint], angle), max(self.high[joint], angle)

    def angle(self, joint: int, share: float) -> float:
        one = self.body.joints[joint]
        lower, upper = max(one.lower, -3.0), min(one.upper, 3.0)
        return lower + share * (upper - lower)

    def follow(self, picks: list[float], shares: list[float], spans: list[float]) -> None:
        numbers = sorted({self.own[int(pick * len(self.own))] for pick in picks})
        points, time = [], 0.0
        for share, span in zip(shares, spans, strict=False):
            time += span
            points.append(TrajectoryPoint(time, tuple(self.angle(i, share) for i in numbers)))
        with suppress(CommandError):  # of times that do not increase
            run = self.stage.runner.follow([self.body.joints[i].name for i in numbers], points)
            self.goals[run] = dict(zip(numbers, points[-1].positions, strict=True))
            for point in points:
                for joint, angle in zip(numbers, point.positions, strict=True):
                    self.told(joint, angle)

    def drive(self, pick: float, share: float) -> None:
        joint = self.own[int(pick * len(self.own))]
        angle = self.angle(joint, share)
        self.stage.runner.drive([self.body.joints[joint].name], {"position": [angle]})
        self.told(joint, angle)

    def skill(self, pick: float, slot: float) -> None:
        skills = sorted(s.name for s in self.body.skills.values() if s.kind == "motion" and not s.lying)
        if not skills:
            return
        run = self.stage.start(skills[int(pick * len(skills))], slot)
        made = self.runs[run]
        names = {joint.name: i for i, joint in enumerate(self.body.joints)}
        frames = [frame.position for frame in made.keyframes if made.available]
        if made.skill.track is not None and made.available:
            frames += [
                dict(zip(made.skill.track.joints, row, strict=True)) for row in made.skill.track.angles
            ]
        for frame in frames:
            for name, angle in frame.items():
                self.told(names[name], angle)
                self.told(names[name], self.body.joints[names[name]].rest)  # by a cancel

    def cancel(self, pick: float) -> None:
        if runs := sorted(self.runs):
            self.stage.runner.cancel(runs[int(pick * len(runs))])

    def wait(self, steps: int) -> None:
        for _ in range(steps):
            seen = len(self.stage.reports)
            position = self.stage.step().position
            for report in self.stage.reports[seen:]:
                assert report.id not in self.goals or report.status is not SkillStatus.FAILED
                if report.status is SkillStatus.SUCCEEDED:
                    for joint, angle in self.goals.get(report.id, {}).items():
                        assert position[joint] == pytest.approx(angle, abs=2e-3), self.body.joints[joint].name
            for i in self.own:
                low, high = self.low[i] - BEYOND, self.high[i] + BEYOND
                assert low <= position[i] <= high, self.body.joints[i].name
            still = not any(self.stage.targets.velocity)
            if still and not self.runs and not self.stage.runner._joint_command.drives:
                self.low, self.high = list(position), list(position)


SHARE = st.floats(0.0, 0.999)
SPANS = st.lists(st.sampled_from([0.0, 0.02, 0.05, 0.3, 1.0]), min_size=3, max_size=3)
DEEDS = st.one_of(
    st.tuples(st.just("follow"), st.lists(SHARE, min_size=1, max_size=3), st.lists(SHARE, min_size=1), SPANS),
    st.tuples(st.just("drive"), SHARE, SHARE),
    st.tuples(st.just("skill"), SHARE, st.sampled_from([0.0, 0.2, 2.0])),
    st.tuples(st.just("cancel"), SHARE),
    st.tuples(st.sampled_from(["stop", "hold", "go"])),
)


@pytest.mark.parametrize("name", JOINTED)
@settings(max_examples=25)
@given(st.lists(st.tuples(DEEDS, st.integers(1, 25)), max_size=8))
def test_no_motion_leaves_where_a_joint_was_and_where_it_was_told_to_go(name, script) -> None:
    watch = Watch(BODIES[name])
    runner = watch.stage.runner
    others = {"stop": runner.stop, "hold": lambda: runner.hold(True), "go": lambda: runner.hold(False)}
    for (deed, *arguments), steps in script:
        others.get(deed, getattr(watch, deed, None))(*arguments)
        watch.wait(steps)
    runner.hold(False)
    for _ in range(40):
        watch.wait(25)
        if not watch.runs:
            break
    watch.wait(50)
    assert [watch.stage.targets.velocity[i] for i in watch.own] == [0.0] * len(watch.own)


@pytest.mark.parametrize("name", JOINTED)
@pytest.mark.parametrize("time", [0.0, 0.05, 0.2])
def test_a_point_that_is_too_fast_is_reached_and_not_passed(name: str, time: float) -> None:
    watch = Watch(BODIES[name])
    for joint in watch.own:
        target = watch.angle(joint, 0.7)
        run = watch.stage.runner.follow([watch.body.joints[joint].name], [TrajectoryPoint(time, (target,))])
        watch.told(joint, target)
        way = abs(target - watch.stage.targets.position[joint])
        report = watch.stage.finish(run)
        assert report.status is SkillStatus.SUCCEEDED
        if 1.5 * way / watch.body.joints[joint].velocity > time + DT:
            assert report.reason.endswith(f" s, not {time:.2f} s: its joints are not faster")
        end = watch.stage.targets
        assert end.position[joint] == pytest.approx(target, abs=1e-6)
        assert abs(end.velocity[joint]) <= 0.1
        watch.wait(round(1.0 / DT))
        assert watch.stage.targets.position[joint] == pytest.approx(target, abs=1e-6)


def test_a_trajectory_begins_at_its_time_and_one_that_has_begun_is_joined() -> None:
    watch = Watch(BODIES["desk_arm"])
    joint = watch.body.joints[0].name
    run = watch.stage.runner.follow([joint], [TrajectoryPoint(1.0, (0.4,))], 1.0)
    watch.stage.run(0.98)
    assert watch.stage.angle(joint) == 0.0
    assert watch.stage.finish(run).status is SkillStatus.SUCCEEDED
    assert watch.stage.angle(joint) == pytest.approx(0.4)
    assert len(watch.stage.track) * DT == pytest.approx(2.0, abs=2 * DT)
    watch.stage.track.clear()
    points = [TrajectoryPoint(1.0, (0.9,)), TrajectoryPoint(3.0, (0.0,))]
    run = watch.stage.runner.follow([joint], points, -2.0)
    watch.stage.finish(run)
    assert max(watch.stage.angles(joint)) <= 0.4 + 1e-9
    assert watch.stage.angle(joint) == pytest.approx(0.0)
    assert len(watch.stage.track) * DT == pytest.approx(1.0, abs=2 * DT)


@pytest.mark.parametrize(
    ("delay", "text"),
    [(-5.0, r"over before it came: its last point was 4\.00 s ago"), (4000.0, "begins in 4000 s")],
)
def test_a_trajectory_that_is_over_or_far_away_is_refused(delay: float, text: str) -> None:
    watch = Watch(BODIES["desk_arm"])
    with pytest.raises(CommandError, match=text):
        watch.stage.runner.follow([watch.body.joints[0].name], [TrajectoryPoint(1.0, (0.4,))], delay)


@pytest.mark.parametrize("by", ["stop", "cancel", "skill"])
def test_a_trajectory_that_waits_for_its_time_ends_without_a_motion(by: str) -> None:
    watch = Watch(BODIES["desk_arm"])
    joint = watch.body.joints[0].name
    run = watch.stage.runner.follow([joint], [TrajectoryPoint(1.0, (0.4,))], 1.0)
    watch.stage.run(0.5)
    if by == "stop":
        watch.stage.runner.stop()
    elif by == "cancel":
        watch.stage.runner.cancel(run)
    else:
        watch.stage.runner.follow([joint], [TrajectoryPoint(1.0, (0.0,))])
    watch.stage.run(3.0)
    assert watch.stage.status(run) is (SkillStatus.REPLACED if by == "skill" else SkillStatus.CANCELED)
    assert watch.stage.angles(joint) == [0.0] * len(watch.stage.track)
