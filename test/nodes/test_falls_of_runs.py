# SPDX-License-Identifier: Apache-2.0
"""A fall is told with the run that moves the body, or moved it until 3 s ago; one that nothing moved is not."""

import pytest
from embodiment_bridge.msg import BodyStatus
from run_executor_stage import PerformerStage

from embodiment_bridge.behaviour.run_log.replay import logged, replay
from embodiment_bridge.nodes.tree.runs.run_files import RunFiles

TEXT = "fallen 0.7 s after the end of 'head_shake'"


def status(posture: int) -> BodyStatus:
    return BodyStatus(posture=posture, reason=TEXT if posture == BodyStatus.FALLEN else "")


@pytest.mark.parametrize(("ends", "after", "told"), [(False, 1.0, 1), (True, 1.0, 1), (True, 5.0, 0)])
def test_a_fall_is_an_event_of_the_run_that_moved_the_body_and_in_its_log(
    monkeypatch, tmp_path, ends, after, told
) -> None:
    stage = PerformerStage(monkeypatch, RunFiles(str(tmp_path), 2, pytest.fail))
    late = []
    stage.run_executor._viewers.tell_late = lambda run_id, run: late.append(run_id)
    stage.node.told(status(BodyStatus.FALLEN))  # it lay there before
    stage.node.told(status(BodyStatus.STANDING))
    assert stage.goal("dance") == ""
    stage.passes(0.5)
    if ends:
        stage.scheduler.cancel("dance")
        stage.run_executor.tick()
        stage.passes(0.5)
        assert stage.state("dance") == "ENDED"
    stage.now += after
    for _ in range(2):  # it is told again each second
        stage.node.told(status(BodyStatus.FALLEN))
    falls = [event for event in stage.runs["dance"].run.take_events() if event.event == "fallen"]
    assert [(event.origin.kind, event.message) for event in falls] == told * [("body", TEXT)]
    assert late == (["dance"] if ends and told else [])
    stage.run_executor.tick()
    stage.files.close()
    (log,) = tmp_path.iterdir()
    lines = log.read_text(encoding="utf-8").splitlines()
    assert [one.message for one in logged(lines) if one.event == "fallen"] == told * [TEXT]
    assert replay(lines) == logged(lines)


def test_a_log_that_was_removed_does_not_come_back_with_a_fall(monkeypatch, tmp_path) -> None:
    stage = PerformerStage(monkeypatch, RunFiles(str(tmp_path), 0, pytest.fail))
    stage.run_executor._viewers.tell_late = lambda run_id, run: None
    stage.node.told(status(BodyStatus.STANDING))
    stage.goal("da")
    stage.scheduler.cancel("da")
    stage.passes(0.5)
    assert stage.state("da") == "ENDED"
    stage.node.told(status(BodyStatus.FALLEN))
    assert list(tmp_path.iterdir()) == []
