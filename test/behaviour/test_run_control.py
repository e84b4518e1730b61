# SPDX-License-Identifier: Apache-2.0
"""Steps and breakpoints, exact as the pause is; and the actions PAUSE, RESUME and STOP."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_run import (
    SKILLS,
    Script,
    VirtualRun,
    body,
    delay,
    document,
    fail,
    guard,
    lastly,
    lines,
    loop,
    par,
    play,
    put,
    seq,
)

from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.behaviour.rehearsal.rehearse import Cues, rehearse
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia
from embodiment_bridge.bml import check
from embodiment_bridge.body.state import with_control_actions
from embodiment_bridge.core.errors import ConfigError


def paused(stage, step=0.1, most=1000):
    """Tick until the run is paused or has ended."""
    for _ in range(most):
        if stage.tick(stage.now + step) in (RunState.PAUSED, RunState.ENDED):
            return
    raise AssertionError("goes on")


def test_steps_go_from_transition_to_transition():
    stage = VirtualRun(seq(delay(1), put("a", 1), par(delay(1), delay(2))))
    stage.tick(0.0)
    assert not stage.run.step()  # not paused
    stage.run.pause()
    paused(stage)
    seen = []
    while stage.run.step():
        before = len(stage.events)
        paused(stage)
        seen.append([f"{e.event} {e.origin.pointer}" for e in stage.events[before:]])
    assert seen == [
        ["success /0"],
        ["start /1", "success /1"],
        ["start /2"],
        ["start /2/0"],
        ["start /2/1"],
        ["success /2/0"],
        ["success /2/1", "success /2", "success "],
    ]
    assert stage.ended == ("SUCCEEDED", 3.0)


def test_one_of_several_leaves_begins_with_each_step():
    skills = Script()
    stage = VirtualRun(par(body("RESET"), body("HAND_ROLL")), skills=skills)
    stage.run.set_breakpoints([""])
    stage.tick(0.0)
    paused(stage)
    started = []
    for _ in range(3):
        stage.run.step()
        paused(stage)
        started.append([call[1] for call in skills.calls if call[0] == "start"])
    assert started == [[], ["reset"], ["reset", "hand_roll"]]


@given(gaps=st.lists(st.floats(0.1, 30.0), min_size=3, max_size=3))
@settings(max_examples=30, deadline=None)
def test_steps_and_breakpoints_change_no_time(gaps):
    root = seq(
        loop(3, delay(0.7)), par(delay(1), seq(put("a", 1), guard("a", delay(2), value=1))), name="all"
    )
    stage = VirtualRun(root)
    stage.run.set_breakpoints(["/1", "/1/1/1/0"])
    stage.tick(0.0)
    while stage.run.ending is None:
        paused(stage)
        if stage.run.ending is None:
            stage.tick(stage.now + gaps[len(stage.events) % 3])
            assert stage.run.step() if len(stage.events) % 2 else stage.run.resume()
    plain = [line for line in lines(root) if "event" in line]
    assert stage.ended == ("SUCCEEDED", pytest.approx(4.1))
    seen = [(round(e.t, 6), e.event, e.origin.pointer) for e in stage.events if e.event != "breakpoint"]
    assert sorted(seen) == sorted((line["t"], line["event"], line["node"]) for line in plain)


def test_breakpoint_holds_a_node_back_before_it_begins():
    skills = Script()
    stage = VirtualRun(seq(delay(1), body("RESET", name="hop"), delay(1)), skills=skills)
    stage.run.set_breakpoints(["hop"])
    stage.to(1.0)
    paused(stage)
    assert [origin.pointer for origin in stage.run.held_back()] == ["/1"]
    assert skills.calls == [("hold", True)]
    assert stage.run.resume()
    stage.tick(stage.now + 5)
    assert skills.calls[-1][:2] == ("start", "reset")
    assert stage.run.held_back() == []


def test_breakpoint_in_a_loop_stops_each_iteration():
    stage = VirtualRun(loop(3, delay(1, name="x")))
    stage.run.set_breakpoints(["/0"])
    stage.tick(0.0)
    stops = 0
    while stage.run.ending is None:
        paused(stage)
        stops += stage.run.resume()
    assert stops == 3
    assert stage.ended == ("SUCCEEDED", 3.0)


def test_a_node_with_its_wrappers_is_one():
    more = '"loop":2,"timeout":9,"condition":{"key":"a","op":"exists","value":false}'
    text = f'{{"type":"delay","duration":1,"name":"x",{more}}}'
    stage = VirtualRun(text)
    stage.run.set_breakpoints(["x"])
    stage.tick(0.0)
    paused(stage)
    stage.run.resume()
    stage.to_end(0.1)
    assert stage.ended == ("SUCCEEDED", 2.0)


def test_canceling_at_a_breakpoint_leaves_no_trace_of_the_node():
    stage = VirtualRun(seq(delay(1), seq(delay(1), name="x")))
    stage.run.set_breakpoints(["x"])
    stage.to(1.0)
    paused(stage)
    stage.run.cancel()
    stage.tick(stage.now + 1)
    assert stage.run.ending.outcome.value == "CANCELED"
    assert [event.event for event in stage.events if event.origin.pointer.startswith("/1")] == ["breakpoint"]


def test_a_clean_up_does_not_stop_at_a_breakpoint_during_a_halt():
    stage = VirtualRun(lastly(delay(9), delay(1)))
    stage.run.set_breakpoints(["/finally"])
    stage.to(1.0)
    stage.run.cancel()
    stage.to_end(0.5)
    assert "success /finally" in stage.seen()


@pytest.mark.parametrize("names", [[str(i) for i in range(101)], [3]])
def test_bad_breakpoints(names):
    with pytest.raises(ConfigError, match="breakpoint"):
        VirtualRun(delay(1)).run.set_breakpoints(names)


def test_pause_ends_a_step():
    stage = VirtualRun(seq(delay(5), delay(1)))
    stage.tick(0.0)
    stage.run.pause()
    stage.tick(0.1)
    assert stage.run.step()
    stage.tick(1.0)
    assert stage.run.pause()
    stage.tick(1.1)
    stage.run.resume()
    stage.to_end(0.5)
    assert stage.ended == ("SUCCEEDED", 6.0)


# A port that is lost during a pause.


class Lost(Script):
    """A body that is there until it is not."""

    gone = False

    def report(self, request_id):
        if self.gone:
            raise ConnectionError("the body is gone")
        return super().report(request_id)

    def hold(self, on):
        if self.gone:
            raise ConnectionError("the body is gone")
        super().hold(on)

    def cancel(self, request_id):
        if self.gone:
            raise ConnectionError("the body is gone")
        super().cancel(request_id)


@pytest.mark.parametrize("when", ["pausing", "paused"])
def test_a_body_lost_during_a_pause_fails_its_node_when_it_goes_on(when):
    skills = Lost()
    skills.obedient = when == "paused"
    stage = VirtualRun(seq(body()), skills=skills)
    stage.tick(0.0)
    stage.run.pause()
    stage.tick(0.1)
    skills.gone = True
    stage.tick(0.2)
    assert stage.run.state is RunState.PAUSED
    assert stage.run.ending is None
    stage.run.resume()
    stage.tick(0.3)
    assert stage.ended == ("FAILED", 0.0)
    assert "the body is gone" in stage.run.ending.reason


def test_canceling_with_a_lost_body_ends_the_run():
    skills = Lost()
    stage = VirtualRun(lastly(body(), fail(0.1)), skills=skills)
    stage.tick(0.0)
    stage.run.pause()
    stage.tick(0.1)
    skills.gone = True
    stage.run.cancel()
    stage.to_end(0.1)
    assert stage.run.ending.outcome.value == "CANCELED"


def test_a_player_lost_during_a_pause():
    class Mute(VirtualMedia):
        def report(self, request_id):
            raise OSError("unplugged")

    stage = VirtualRun(play(), media=Mute({"http://media.example/song.mp3": 20.0}))
    stage.tick(0.0)
    stage.run.pause()
    stage.tick(2.0)
    stage.run.resume()
    stage.tick(2.1)
    assert stage.run.ending.outcome.value == "FAILED"


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
