# SPDX-License-Identifier: Apache-2.0
"""The two-by-two tables of policies, with times from a separate reference interpreter."""

import pytest
from virtual_run import (
    ALL_ALL,
    ALL_ONE,
    ONE_ALL,
    ONE_ONE,
    Foretold,
    VirtualRun,
    body,
    delay,
    fail,
    forever,
    loop,
    outcome,
    par,
    sel,
    seq,
)

from embodiment_bridge.body.state import SkillStatus

MIXED = (delay(1), fail(2), delay(3))
POLICIES = {"all/one": ALL_ONE, "all/all": ALL_ALL, "one/one": ONE_ONE, "one/all": ONE_ALL}
S, F = "SUCCEEDED", "FAILED"


@pytest.mark.parametrize("kind", [seq, sel], ids=["sequence", "selector"])
@pytest.mark.parametrize(
    ("policy", "expected"),
    [("all/one", (F, 3)), ("all/all", (F, 6)), ("one/one", (S, 1)), ("one/all", (S, 1))],
)
def test_ordered(kind, policy, expected):
    assert outcome(kind(*MIXED, **POLICIES[policy])) == expected


@pytest.mark.parametrize(
    ("policy", "children", "expected"),
    [
        ("all/one", (delay(1), delay(2)), (S, 3)),
        ("all/all", (delay(1), delay(2)), (S, 3)),
        ("all/all", (fail(1), fail(2)), (F, 3)),
        ("one/one", (fail(1), delay(2)), (F, 1)),
        ("one/all", (fail(1), delay(2)), (S, 3)),
        ("one/all", (fail(1), fail(2)), (F, 3)),
    ],
)
def test_ordered_other_ends(policy, children, expected):
    assert outcome(seq(*children, **POLICIES[policy])) == expected


@pytest.mark.parametrize(
    ("policy", "children", "expected"),
    [
        ("all/one", MIXED, (F, 2)),
        ("all/all", MIXED, (F, 3)),
        ("one/one", MIXED, (S, 1)),
        ("one/all", MIXED, (S, 1)),
        ("all/one", (delay(1), delay(4)), (S, 4)),
        ("one/one", (fail(1), delay(2)), (F, 1)),
        ("one/all", (fail(1), delay(2)), (S, 2)),
        ("one/all", (fail(1), fail(2)), (F, 2)),
        ("all/all", (fail(1), fail(2)), (F, 2)),
    ],
)
def test_parallel(policy, children, expected):
    assert outcome(par(*children, **POLICIES[policy])) == expected


@pytest.mark.parametrize("children", [(delay(1), fail(1)), (fail(1), delay(1))])
@pytest.mark.parametrize(
    ("policy", "expected"), [("one/one", F), ("all/one", F), ("one/all", S), ("all/all", F)]
)
def test_parallel_tie(policy, children, expected):
    assert outcome(par(*children, **POLICIES[policy])) == (expected, 1)


def test_a_tie_is_a_tie_whatever_the_last_bits_of_the_sums_say():
    three_tenths = seq(delay(0.1), delay(0.2))  # 0.30000000000000004
    assert 0.1 + 0.2 != 0.3
    assert outcome(par(three_tenths, fail(0.3), succeed_on_one=True)) == (F, 0.3)
    assert outcome(par(delay(0.3), seq(delay(0.1), fail(0.2)), succeed_on_one=True)) == (F, 0.3)


def test_parallel_judges_by_scheduled_time_when_a_late_tick_sees_both_ends():
    early_success = par(fail(1.03), delay(1.01), **ONE_ONE)
    stage = VirtualRun(early_success)
    stage.tick(0.0)
    stage.tick(1.04)
    assert stage.ended == (S, 1.01)


OK, BAD = SkillStatus.SUCCEEDED, SkillStatus.FAILED


@pytest.mark.parametrize(
    ("policy", "iterations", "expected"),
    [
        ("all/one", (OK, BAD, OK), (F, 2)),
        ("all/all", (OK, BAD, OK), (F, 3)),
        ("one/one", (OK, BAD, OK), (S, 1)),
        ("one/all", (OK, BAD, OK), (S, 1)),
        ("all/one", (OK, OK, OK), (S, 3)),
        ("all/all", (OK, OK, OK), (S, 3)),
        ("all/all", (BAD, BAD, BAD), (F, 3)),
        ("one/one", (BAD, OK, OK), (F, 1)),
        ("one/all", (BAD, BAD, OK), (S, 3)),
        ("one/all", (BAD, BAD, BAD), (F, 3)),
    ],
)
def test_loop_of_three(policy, iterations, expected):
    stage = VirtualRun(loop(3, body(slot=1), **POLICIES[policy]), skills=Foretold(iterations))
    stage.to_end(1.0)
    assert stage.ended == expected


@pytest.mark.parametrize(
    ("policy", "iterations", "expected"),
    [
        ("all/one", (OK, OK, OK, BAD), (F, 4)),
        ("one/one", (BAD,), (F, 1)),
        ("one/one", (OK,), (S, 1)),
        ("one/all", (BAD, BAD, BAD, OK), (S, 4)),
        ("all/all", (BAD, OK, BAD, OK), None),
    ],
)
def test_endless_loop(policy, iterations, expected):
    skills = Foretold([*iterations, *[SkillStatus.SKIPPED] * 10])
    stage = VirtualRun(forever(body(slot=1), **POLICIES[policy]), skills=skills)
    stage.tick(0.0)
    stage.to(8.0)
    assert stage.ended == expected


@pytest.mark.parametrize(
    ("root", "expected"), [(seq(), (S, 0)), (par(), (S, 0)), (sel(), (F, 0)), (seq(delay(1), sel()), (F, 1))]
)
def test_without_children(root, expected):
    assert outcome(root) == expected


def test_the_reason_of_a_failure_is_that_of_the_leaf():
    stage = VirtualRun(par(delay(9), seq(delay(1), fail(1))))
    stage.to_end(0.5)
    ending = stage.run.ending
    assert (ending.origin.pointer, ending.reason) == ("/1/1", "fails after 1 s, as written")
