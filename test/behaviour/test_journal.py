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
