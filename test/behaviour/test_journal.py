# SPDX-License-Identifier: Apache-2.0
from embodiment_bridge.behaviour.engine import journal
from embodiment_bridge.behaviour.engine.journal import Journal, Origin

HERE = Origin("/0", "delay")


def test_events_nobody_takes_are_dropped_and_counted(monkeypatch):
    monkeypatch.setattr(journal, "EVENT_LIMIT", 3)
    kept = Journal()
    for t in range(5):
        kept.note(float(t), "start", HERE)
    assert [event.t for event in kept.take()] == [2.0, 3.0, 4.0]
    assert kept.dropped == 2
    assert kept.take() == []


def test_a_warning_is_given_once_for_each_node_and_code():
    kept = Journal()
    for origin in (HERE, HERE, Origin("/1", "delay"), Origin("/0", "delay", document=1)):
        kept.warn(0.0, origin, "LATE", "too late")
    kept.warn(0.0, HERE, "EARLY", "too early")
    assert len(kept.take()) == 4
    assert kept.warnings[-1] == "/0: EARLY: too early"


def test_a_fall_is_told_with_the_motion_before_it_else_with_the_one_that_runs():
    walk, wave, kept = Origin("/0", "body"), Origin("/1", "body"), Journal()
    assert not kept.note_fall(1.0, [HERE], "fallen")
    kept.note(2.0, "success", walk)
    kept.note(2.0, "success", HERE)
    assert kept.note_fall(4.0, [HERE, wave], "fallen 2.0 s after the end of 'walk'")
    assert kept.note_fall(6.0, [HERE, wave], "fallen")
    assert not kept.note_fall(6.0, [HERE], "fallen")
    falls = [event for event in kept.take() if event.event == "fallen"]
    assert [(event.t, event.origin) for event in falls] == [(4.0, walk), (6.0, wave)]
    assert "'walk'" in falls[0].message


def test_warnings_are_bounded():
    kept = Journal()
    for document in range(1000):
        kept.warn(0.0, Origin("/0", "delay", document=document), "LATE", "x" * 10_000)
    assert len(kept.warnings) == journal.WARNING_LIMIT
    assert all(len(line) <= journal.MESSAGE_LIMIT + 20 for line in kept.warnings)


def test_status_after_each_event():
    kept = Journal()
    for event in ("start", "success", "failure", "halted", "warning"):
        kept.note(0.0, event, HERE)
    assert [event.status for event in kept.take()] == ["RUNNING", "SUCCESS", "FAILURE", "HALTED", ""]
