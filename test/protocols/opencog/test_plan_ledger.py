# SPDX-License-Identifier: Apache-2.0
"""What is reported of plans: everything, and nothing twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.protocols.opencog.plans.plan_ledger import PlanLedger, Report, Stand
from embodiment_bridge.protocols.opencog.xml.events import ActionPlan, BadAction
from embodiment_bridge.protocols.opencog.xml.parts import PlanAction


def plan(name, *sequences):
    return ActionPlan(name, "fido", "", tuple(PlanAction(f"a{n}", n) for n in sequences))


def stands(*states):
    """done, error or "" for the actions 1, 2, ..."""
    return [Stand(n, f"a{n}", state, "why" if state == "error" else "") for n, state in enumerate(states, 1)]


def told(reports):
    return [(report.plan_id, report.sequence, report.status) for report in reports]


def test_each_action_is_reported_once_as_it_ends():
    ledger = PlanLedger()
    order = ledger.take(plan("4", 1, 2))
    assert (order.begin, order.after, order.cancel, order.reports) == (True, False, (), ())
    assert told(ledger.stood(order.number, stands("", ""))) == []
    assert told(ledger.stood(order.number, stands("done", ""))) == [("4", 1, "done")]
    assert told(ledger.stood(order.number, stands("done", ""))) == []
    assert told(ledger.ended(order.number, stands("done", "done"), well=True)) == [("4", 2, "done")]
    assert ledger.ended(order.number, stands("done", "done"), well=True) == []


def test_failed_plan_is_closed_by_one_error():
    ledger = PlanLedger()
    number = ledger.take(plan("4", 1, 2, 3)).number
    reports = ledger.ended(number, stands("done", "error", ""), well=False, reason="it fell")
    assert told(reports) == [("4", 1, "done"), ("4", 2, "error"), ("4", None, "error")]
    assert reports[-1] == Report("4", "a1", "error", None, "it fell")
    assert reports[1].reason == "why"


def test_plan_that_goes_on_after_errors_needs_no_closing():
    ledger = PlanLedger(goes_on=True)
    number = ledger.take(plan("4", 1, 2)).number
    reports = ledger.ended(number, stands("error", "done"), well=False)
    assert told(reports) == [("4", 1, "error"), ("4", 2, "done")]


def test_canceled_plan_is_closed_also_where_it_would_go_on():
    ledger = PlanLedger(goes_on=True)
    number = ledger.take(plan("4", 1, 2)).number
    assert told(ledger.ended(number, stands("done", ""), well=False)) == [
        ("4", 1, "done"),
        ("4", None, "error"),
    ]


def test_newer_plan_replaces_and_what_comes_late_is_dropped():
    ledger = PlanLedger()
    first = ledger.take(plan("4", 1, 2))
    second = ledger.take(plan("6", 1))
    assert told(second.reports) == [("4", None, "error")]
    assert second.cancel == (first.number,)
    assert ledger.ended(first.number, stands("done", ""), well=False) == []
    assert told(ledger.ended(second.number, stands("done"), well=True)) == [("6", 1, "done")]


def test_plan_whose_last_report_was_faster_than_its_result_is_not_closed_by_the_next():
    ledger = PlanLedger()
    first = ledger.take(plan("4", 1, 2))
    assert told(ledger.stood(first.number, stands("done", "done"))) == [("4", 1, "done"), ("4", 2, "done")]
    second = ledger.take(plan("6", 1))
    assert second.reports == ()
    assert second.cancel == (first.number,)
    assert ledger.ended(first.number, stands("done", "done"), well=False) == []


def test_finished_plan_is_not_closed_by_the_next():
    ledger = PlanLedger()
    ledger.ended(ledger.take(plan("4", 1)).number, stands("done"), well=True)
    assert ledger.take(plan("6", 1)).reports == ()


def test_single_actions_of_a_longer_plan():
    ledger = PlanLedger()
    first = ledger.take(plan("4", 1))
    second = ledger.take(plan("4", 2))  # before the first has ended
    assert (second.begin, second.after, second.reports, second.cancel) == (True, True, (), ())
    assert told(ledger.ended(first.number, [Stand(1, "a1", "done")], well=True)) == [("4", 1, "done")]
    assert told(ledger.ended(second.number, [Stand(2, "a2", "done")], well=True)) == [("4", 2, "done")]
    third = ledger.take(plan("4", 3))
    assert (third.begin, third.after) == (True, False)
    reports = ledger.ended(third.number, [Stand(3, "a3", "error")], well=False)
    assert told(reports) == [("4", 3, "error"), ("4", None, "error")]
    assert ledger.take(plan("4", 4)).begin is False


def test_what_waits_behind_a_failed_action_of_its_plan_is_left_over():
    ledger = PlanLedger()
    first = ledger.take(plan("4", 1)).number
    second = ledger.take(plan("4", 2))
    assert (second.after, ledger.left_over) == (True, [])
    reports = ledger.ended(first, stands("error"), well=False, reason="it fell")
    assert told(reports) == [("4", 1, "error"), ("4", None, "error")]
    assert ledger.left_over == [second.number]
    assert ledger.ended(second.number, [], well=False) == []
    assert ledger.left_over == []


def test_same_action_again_while_the_plan_runs_is_ignored():
    ledger = PlanLedger()
    ledger.take(plan("4", 1, 2))
    order = ledger.take(plan("4", 2))
    assert not order.begin
    assert "repeats" in order.warning


def test_id_that_an_oac_uses_again_is_a_new_plan():
    ledger = PlanLedger()
    ledger.ended(ledger.take(plan("0", 1)).number, stands("done"), well=True)
    again = ledger.take(plan("0", 1))
    assert again.begin
    assert told(ledger.ended(again.number, stands("done"), well=True)) == [("0", 1, "done")]


def bad(name, sequence):
    return BadAction(name, "walk", sequence, "sequence=-1")


def test_a_lost_action_is_reported_at_once_and_ends_the_plan():
    ledger = PlanLedger()
    order = ledger.take(plan("4", 1, 3), [bad("4", 2)])
    assert order.reports == (Report("4", "walk", "error", 2, "sequence=-1"),)
    assert (order.begin, order.sequences) == (True, {1})  # what comes after the lost one is not done
    ended = ledger.ended(order.number, stands("done"), well=True)
    assert told(ended) == [("4", 1, "done"), ("4", None, "error")]
    assert ended[-1].reason == "sequence=-1"


def test_with_continue_only_the_lost_action_is_lost():
    ledger = PlanLedger(goes_on=True)
    order = ledger.take(plan("4", 1, 3), [bad("4", 2)])
    assert (told(order.reports), order.sequences) == ([("4", 2, "error")], {1, 3})
    done = [Stand(1, "a1", "done"), Stand(3, "a3", "done")]
    assert told(ledger.ended(order.number, done, well=True)) == [("4", 1, "done"), ("4", 3, "done")]


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_lost_action_without_a_number_of_its_own_closes_the_plan(goes_on):
    ledger = PlanLedger(goes_on=goes_on)
    order = ledger.take(plan("4", 1), [bad("4", None)])
    reports = list(order.reports)
    if order.begin:
        reports += ledger.ended(order.number, stands("done"), well=True)
    assert told(reports)[-1] == ("4", None, "error")


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_plan_of_nothing_but_lost_actions_is_answered_at_once(goes_on):
    order = PlanLedger(goes_on=goes_on).take(plan("4"), [bad("4", 1)])
    assert not order.begin
    assert told(order.reports)[0] == ("4", 1, "error")


def test_what_is_new_beside_repeated_actions_is_done():
    ledger = PlanLedger()
    ledger.take(plan("4", 1, 2))
    order = ledger.take(plan("4", 2, 3))
    assert (order.begin, order.after, order.sequences) == (True, True, {3})
    assert "repeats the actions [2]" in order.warning


def test_a_new_action_of_a_plan_that_is_over_is_answered():
    ledger = PlanLedger()
    ledger.ended(ledger.take(plan("4", 1)).number, stands("error"), well=False)
    order = ledger.take(plan("4", 2))
    assert (order.begin, told(order.reports)) == (False, [("4", 2, "error")])
    assert ledger.take(plan("4", 3)).reports[0].sequence == 3


def test_empty_plan_owes_nothing():
    order = PlanLedger().take(plan("4"))
    assert not order.begin
    assert order.reports == ()


def test_equal_sequence_numbers_are_reported_when_all_of_them_have_ended():
    ledger = PlanLedger()
    number = ledger.take(plan("4", 1, 1)).number
    assert ledger.stood(number, [Stand(1, "a", "done"), Stand(1, "b", "")]) == []
    reports = ledger.ended(number, [Stand(1, "a", "done"), Stand(1, "b", "error")], well=False)
    assert told(reports) == [("4", 1, "error"), ("4", None, "error")]


def test_oac_that_began_anew_is_owed_nothing():
    ledger = PlanLedger()
    number = ledger.take(plan("4", 1)).number
    assert ledger.forget() == [number]
    assert ledger.ended(number, stands("done"), well=True) == []
    assert ledger.take(plan("4", 1)).begin


def test_end_of_everything():
    ledger = PlanLedger()
    number = ledger.take(plan("4", 1, 2)).number
    reports, cancel = ledger.close("the bridge ends")
    assert told(reports) == [("4", None, "error")]
    assert cancel == [number]
    assert ledger.close("again") == ([], [])


STEPS = st.lists(
    st.tuples(st.sampled_from(["plan", "stood", "ended", "close"]), st.integers(0, 3), st.integers(1, 3)),
    max_size=30,
)


@given(steps=STEPS, goes_on=st.booleans())
def test_whatever_happens_nothing_is_reported_twice_and_every_plan_is_accounted_for(steps, goes_on):
    ledger = PlanLedger(goes_on=goes_on)
    running, owed, reports = [], {}, []
    for number_of_step, (what, which, size) in enumerate(steps):
        if what == "plan":
            order = ledger.take(plan(str(number_of_step), *range(1, size + 1)))
            reports += order.reports
            running.append((order.number, size))
            owed[str(number_of_step)] = set(range(1, size + 1))
        elif what == "close":
            reports += ledger.close("end")[0]
        elif running:
            number, size = running[which % len(running)]
            some = stands(*(("done", "error", "")[(which + n) % 3] for n in range(size)))
            if what == "stood":
                reports += ledger.stood(number, some)
            else:
                reports += ledger.ended(number, some, well=all(s.status == "done" for s in some))
    reports += ledger.close("end")[0]
    keys = [(report.plan_id, report.sequence) for report in reports]
    assert len(keys) == len(set(keys))
    closed = {report.plan_id for report in reports if report.sequence is None}
    for name, sequences in owed.items():
        assert name in closed or sequences <= {seq for plan_id, seq in keys if plan_id == name}


@pytest.mark.parametrize("count", [600])
def test_memory_of_plans_is_bounded(count):
    ledger = PlanLedger()
    for number in range(count):
        ledger.ended(ledger.take(plan(str(number), 1)).number, stands("done"), well=True)
    assert len(ledger._plans) == 500
    assert ledger.running == 0
