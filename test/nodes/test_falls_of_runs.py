# SPDX-License-Identifier: Apache-2.0
"""A fall is told with the run that moves the body, or moved it until 3 s ago; one that nothing moved is not."""

import pytest
from embodiment_bridge.msg import BodyStatus
from run_executor_stage import PerformerStage

TEXT = "fallen 0.7 s after the end of 'head_shake'"


def status(posture: int) -> BodyStatus:
    return BodyStatus(posture=posture, reason=TEXT if posture == BodyStatus.FALLEN else "")


@pytest.mark.parametrize(("ends", "after", "told"), [(False, 1.0, 1), (True, 1.0, 1), (True, 5.0, 0)])
def test_a_fall_is_an_event_of_the_run_that_moved_the_body(monkeypatch, ends, after, told) -> None:
    stage = PerformerStage(monkeypatch)
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
