# SPDX-License-Identifier: Apache-2.0
"""The body actions PAUSE, RESUME and STOP, where they are switched on."""

from dataclasses import replace

from virtual_run import SKILLS, Script, VirtualRun, body, delay, document, lastly, par, seq

from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.rehearsal.rehearse import Cues, rehearse
from embodiment_bridge.bml import check
from embodiment_bridge.body.state import with_control_actions

CONTROLLED = with_control_actions(SKILLS | {"reset": replace(SKILLS["reset"], channels=("head",))})


def told(root) -> list[dict]:
    return list(rehearse(document(root), Rules(CONTROLLED), Cues()))


def test_a_motion_stands_from_pause_to_resume_and_the_clock_goes_on() -> None:
    control = seq(delay(1), body("PAUSE"), delay(3), body("RESUME"))
    seen = told(par(body("HEAD_SHAKE", 2), control))
    assert seen[-1] == {"outcome": "SUCCEEDED", "t": 5.0}
    assert [line["t"] for line in seen if line.get("node") == "/1" and line["event"] == "success"] == [4.0]
    assert any(line.get("code") == "SLOT_OVERRUN" for line in seen)


def test_what_begins_while_the_body_is_paused_begins_to_move_after_it() -> None:
    control = seq(body("PAUSE"), delay(3), body("RESUME"))
    assert told(par(control, seq(delay(1), body("HEAD_SHAKE", 2))))[-1]["t"] == 5.0


def test_stop_replaces_the_motions_by_the_rest_pose() -> None:
    seen = told(par(body("HEAD_SHAKE", 4), seq(delay(1), body("PAUSE"), delay(1), body("STOP"))))
    replaced = next(line for line in seen if line.get("code") == "REPLACED")
    assert (replaced["t"], replaced["node"]) == (4.0, "/0")  # it keeps its slot
    assert [line["t"] for line in seen if line.get("node") == "/1" and line["event"] == "success"] == [3.0]


def test_a_pause_of_the_run_does_not_let_a_paused_body_go_on() -> None:
    skills = Script()
    stage = VirtualRun(par(body("HEAD_SHAKE"), seq(body("PAUSE"), delay(9))), skills=skills, known=CONTROLLED)
    stage.to(1.0)
    stage.run.pause()
    stage.to(2.0)
    stage.run.resume()
    stage.to(3.0)
    assert skills.held
    assert not any("HOLD_FORCED" in warning for warning in stage.run.warnings)
    stage.run.cancel()
    stage.to(4.0)
    assert not skills.held


def test_a_clean_up_moves_a_body_that_was_left_paused() -> None:
    seen = told(lastly(seq(body("HEAD_SHAKE", 1), body("PAUSE")), body("RESET", 1)))
    assert seen[-1] == {"outcome": "SUCCEEDED", "t": 2.0}


def test_they_are_off_and_nothing_else_is_suggested() -> None:
    for action in ("PAUSE", "RESUME", "STOP"):
        (problem,) = check(document(body(action)), SKILLS)
        assert (problem.code, problem.fatal) == ("UNKNOWN_ACTION", True)
        assert problem.message == f"{action} is off here; the parameter control_actions switches it on"
    assert check(document(seq(body("PAUSE"), body("RESUME"), body("STOP"))), CONTROLLED) == []
