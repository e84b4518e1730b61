# SPDX-License-Identifier: Apache-2.0
"""No joint is ever told to leave its range or to move faster than it may."""

import math
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st
from motion_stage import SMALL, T1, MovedBody

from embodiment_bridge.body.state import BodyState, SkillRequest
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.posture import JointLimiter

ANY = st.floats(allow_nan=True, allow_infinity=True)
ANGLE = ANY | st.floats(-4, 4)
STEP = st.sampled_from([0.02, 0.02, 0.01, 0.03, 0.0, 0.5]) | st.floats(0, 0.2)


def check(body, before, after, dt) -> None:
    for joint, old, new in zip(body.joints, before, after, strict=True):
        assert joint.lower <= new <= joint.upper, joint.name
        assert abs(new - old) <= joint.velocity * dt + 1e-9, joint.name


@given(st.lists(st.tuples(st.lists(ANGLE, min_size=4, max_size=4), STEP), max_size=20))
def test_limiter_keeps_range_and_speed_for_any_targets(steps) -> None:
    limiter = JointLimiter(SMALL.joints)
    for targets, dt in steps:
        before = list(limiter.position)
        limiter.step(targets, dt)
        check(SMALL, before, limiter.position, dt)
        for speed, old, new in zip(limiter.velocity, before, limiter.position, strict=True):
            assert dt == 0.0 or math.isclose(speed, (new - old) / dt, abs_tol=1e-9)


def test_limiter_reaches_a_target_that_is_out_of_range_at_the_limit() -> None:
    limiter = JointLimiter(SMALL.joints)
    for _ in range(100):
        limiter.step([5.0, 5.0, -5.0, math.nan], 0.02)
    assert limiter.position == [1.0, 1.5, -1.0, 0.0]
    assert limiter.at_rest(range(4))
    assert limiter.arrived([5.0, 5.0, -5.0, 0.0], range(4))
    assert not limiter.arrived([0.9, 5.0, -5.0, 0.0], range(4))
    limiter.step([0.9, 0.0, 0.0, 0.0], 0.02)
    assert not limiter.at_rest([0])


def test_limiter_starts_in_range_and_ignores_what_is_no_number() -> None:
    limiter = JointLimiter(SMALL.joints)
    limiter.reset([9.0, -9.0, math.nan, 0.2])
    assert limiter.position == [1.0, -1.0, 0.0, 0.2]


def test_limiter_is_at_rest_when_it_begins_and_begins_again() -> None:
    limiter = JointLimiter(SMALL.joints)
    assert limiter.velocity == [0.0] * 4
    limiter.step([0.9] * 4, 0.02)
    assert not limiter.at_rest(range(4))
    limiter.reset([0.5] * 4)
    assert limiter.velocity == [0.0] * 4


def test_a_joint_has_arrived_within_a_millionth_of_a_radian() -> None:
    limiter = JointLimiter(SMALL.joints)
    limiter.reset([0.0] * 4)
    assert limiter.arrived([1e-6, 0.0, -1e-6, 0.0], range(4))
    assert not limiter.arrived([1.1e-6, 0.0, 0.0, 0.0], range(4))
    assert limiter.arrived([1.1e-6, 0.0, 0.0, 0.0], [1, 2, 3])


@st.composite
def commands(draw):
    """One thing that somebody may do to a runner between two percepts."""
    kind = draw(
        st.sampled_from(["start", "start", "cancel", "hold", "stop", "velocity", "none", "none", "reset"])
    )
    number = draw(st.integers(0, 5))
    if kind == "start":
        name = draw(st.sampled_from(sorted(T1.skills)))
        slot = draw(st.sampled_from([0.0, 0.3, 1.0, 5.0]))
        parameters = draw(
            st.dictionaries(st.sampled_from(["distance", "angle", "turn", "steps"]), ANY, max_size=2)
        )
        return lambda runner, state: runner.start(SkillRequest(f"{number}", name, parameters, slot))
    if kind == "velocity":
        forward, turn = draw(ANY | st.floats(-1, 1)), draw(ANY | st.floats(-1, 1))
        return lambda runner, state: runner.set_velocity(forward, turn)
    actions = {
        "cancel": lambda runner, state: runner.cancel(f"{number}"),
        "hold": lambda runner, state: runner.hold(number > 2),
        "stop": lambda runner, state: runner.stop(),
        "reset": lambda runner, state: runner.reset(state),
        "none": lambda runner, state: None,
    }
    return actions[kind]


@st.composite
def states(draw):
    """What a body may sense: mostly sane, at times not."""
    count = len(T1.joints)
    position = draw(st.sampled_from([(0.0,) * count, (math.nan,) * count, (1.0,) * count, (0.0,)]))
    base = draw(st.sampled_from([(0.0, 0.0, 0.65), (math.nan, 0.0, 0.65), (0.0, 0.0, 0.2)]))
    tilt = st.sampled_from([0.0, 0.0, 0.1, -0.1, 1.5, math.nan, math.inf])
    known = draw(st.booleans())
    return BodyState(0.0, position, position, base, draw(tilt), draw(tilt), draw(tilt), has_base=known)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(commands(), states(), STEP, st.integers(1, 20)), max_size=12))
def test_runner_keeps_range_and_speed_whatever_happens(script) -> None:
    stage = MovedBody(T1, settle=1.2)
    before = stage.targets.position
    for command, state, dt, times in script:
        with suppress(CommandError):
            command(stage.runner, state)
        for _ in range(times):
            fresh = stage.runner.status == "unknown"  # after a reset there is no command to keep near to
            after = stage.runner.step(state, dt).position
            assert all(math.isfinite(angle) for angle in after)
            if not fresh and stage.runner.status != "unknown":
                check(T1, before, after, min(dt, 0.1))
            before = after
        stage.runner.take_reports()
