# SPDX-License-Identifier: Apache-2.0
"""Pause, suspension, steps and breakpoints through the graph, on the mock body: what moves, what stands, who hears."""

import json

import pytest
from rclpy.parameter import Parameter
from run_stage import RunStage

from embodiment_bridge.nodes.base.runtime import Runtime

STILL = 1e-4  # rad; what a servo of the mock body still goes after the pause
WAVE = {"type": "body", "action": "HAND_PITCH", "duration": 3}
EYES = {"type": "body", "action": "EYE_RED", "duration": 3}
DANCE = json.dumps({"type": "parallel", "behaviors": [WAVE, EYES]})
SHAKE = json.dumps({"type": "body", "action": "HEAD_SHAKE", "duration": 1.5})


@pytest.fixture
def stages():
    """Makes stages: ``stages(**parameters of the tree)``."""
    made: list[RunStage] = []
    with Runtime() as runtime:

        def make(**of_tree) -> RunStage:
            made.append(RunStage(runtime, f"/stage{len(made)}", **of_tree))
            made[-1].join()
            return made[-1]

        yield make
        for stage in made:
            stage.close()


def until_arm_moves(stage: RunStage) -> None:
    stage.until(lambda: "joint_states" in stage.last and stage.joints()["l_shoulder_pitch"] < -0.3)


def test_a_paused_motion_stands_in_mid_air_and_goes_on_from_there(stages) -> None:
    stage = stages()
    stage.begin(DANCE)
    until_arm_moves(stage)
    stage.pause()
    held, elapsed = stage.joints(), stage.feedback[-1].elapsed
    assert -1.09 < held["l_shoulder_pitch"] < -0.3
    lights = {m.ns: m.color for m in stage.last["markers"].markers} if "markers" in stage.last else {}
    stage.steps(100)
    assert stage.joints() == pytest.approx(held, abs=STILL)
    assert stage.feedback[-1].elapsed == elapsed
    assert {m.ns: m.color for m in stage.last["markers"].markers if m.ns in lights} == lights
    assert stage.control("resume").success
    stage.until(lambda: stage.joints()["l_shoulder_pitch"] != held["l_shoulder_pitch"])
    assert stage.joints()["l_shoulder_pitch"] == pytest.approx(held["l_shoulder_pitch"], abs=0.15)
    assert stage.finish().outcome == "SUCCEEDED"
    assert stage.bml.result.elapsed == pytest.approx(3.0, abs=0.3)


def test_a_suspended_run_stands_while_its_guest_moves_the_rest(stages) -> None:
    stage = stages()
    stage.begin(DANCE, suspendable=True)
    until_arm_moves(stage)
    guest = stage.guest(SHAKE, on_new="suspend")
    stage.until(lambda: abs(stage.joints()["head_yaw"]) > 0.2)
    held = stage.joints()["l_shoulder_pitch"]
    assert -1.09 < held < -0.3
    stage.until(lambda: guest.result is not None)
    assert stage.joints()["l_shoulder_pitch"] == pytest.approx(held, abs=0.1)
    assert guest.result.outcome == "SUCCEEDED"
    assert stage.finish().outcome == "SUCCEEDED"
    assert stage.bml.result.elapsed == pytest.approx(3.0, abs=0.3)
    stage.until(lambda: stage.joints()["l_shoulder_pitch"] == pytest.approx(0.0, abs=0.01))


def test_what_did_not_say_suspendable_is_not_suspended(stages) -> None:
    stage = stages()
    stage.begin(DANCE)
    stage.wait_for("RUNNING")
    guest = stage.guest(SHAKE, on_new="suspend")
    stage.until(lambda: guest.result is not None)
    assert guest.result.outcome == "REJECTED"
    assert "suspendable" in guest.result.reason
    assert stage.control("stop").success
    assert stage.finish().outcome == "CANCELED"


def test_breakpoints_of_goal_and_parameter_stop_before_the_node(stages) -> None:
    stage = stages(breakpoints=["second"])
    waits = [{"type": "delay", "name": name, "duration": 0.2} for name in ("first", "second", "third")]
    stage.begin(json.dumps({"type": "sequence", "behaviors": waits}), breakpoints=["/behaviors/2"])
    stage.wait_for("PAUSED")
    assert stage.feedback[-1].held_back == ["/behaviors/1"]
    assert [event.name for event in stage.told("breakpoint")] == ["second"]
    assert "second" not in [event.name for event in stage.told("start")]
    assert stage.control("resume").success
    stage.until(lambda: len(stage.told("breakpoint")) == 2)
    stage.wait_for("PAUSED")
    assert stage.feedback[-1].held_back == ["/behaviors/2"]
    assert stage.control("step").success
    stage.until(lambda: "third" in [event.name for event in stage.told("start")])
    stage.wait_for("PAUSED")
    assert stage.control("resume").success
    assert stage.finish().outcome == "SUCCEEDED"
    assert stage.bml.result.elapsed == pytest.approx(0.6, abs=0.001)


def test_breakpoints_may_be_set_while_a_run_goes_on(stages) -> None:
    stage = stages()
    waits = [{"type": "delay", "name": name, "duration": 1.0} for name in ("first", "second")]
    stage.begin(json.dumps({"type": "sequence", "behaviors": waits}))
    stage.wait_for("RUNNING")
    assert stage.tree.set_parameters([Parameter("breakpoints", value=["second"])])[0].successful
    too_many = Parameter("breakpoints", value=[str(i) for i in range(51)])
    assert stage.tree.set_parameters([too_many])[0].reason == "51 breakpoints; there may be 50"
    stage.wait_for("PAUSED")
    assert stage.feedback[-1].held_back == ["/behaviors/1"]
    assert stage.control("resume").success
    assert stage.finish().outcome == "SUCCEEDED"


def test_a_goal_that_comes_during_a_pause_waits_for_the_end_of_it(stages) -> None:
    stage = stages()
    stage.begin(DANCE)
    until_arm_moves(stage)
    stage.pause()
    held = stage.joints()
    guest = stage.guest(SHAKE)
    stage.steps(50)
    assert guest.result is None
    assert stage.joints() == pytest.approx(held, abs=STILL)
    assert stage.control("resume").success
    assert stage.finish().outcome == "PREEMPTED"
    stage.until(lambda: guest.result is not None)
    assert guest.result.outcome == "SUCCEEDED"


def test_cancel_during_a_halt_and_during_a_pause_ends_at_rest(stages) -> None:
    stage = stages()
    for pause in (False, True):
        stage.begin(DANCE)
        until_arm_moves(stage)
        if pause:
            stage.pause()
        guest = stage.guest(SHAKE)  # halts the dance, or waits for the end of the pause
        stage.bml.cancel()
        stage.bml.cancel()
        guest.cancel()
        assert stage.finish().outcome in ("CANCELED", "PREEMPTED")
        stage.until(lambda guest=guest: guest.result is not None)
        assert stage.control("resume").success is pause
        assert stage.run('{"type": "body", "action": "RESET"}').outcome == "SUCCEEDED"
        stage.until(lambda: stage.joints()["l_shoulder_pitch"] == pytest.approx(0.0, abs=0.01))


def test_a_body_that_is_lost_during_a_pause_fails_the_run_when_it_goes_on(stages) -> None:
    stage = stages()
    stage.begin(DANCE)
    until_arm_moves(stage)
    stage.pause()
    stage.body.trigger_deactivate()
    stage.until(lambda: stage.watcher.link == "closed")
    assert stage.control("resume").success
    assert stage.finish().outcome == "FAILED"
    assert "deactivated" in stage.bml.result.reason
    stage.body.trigger_activate()
    stage.until(lambda: stage.watcher.link == "ready")
    assert stage.run(SHAKE).outcome == "SUCCEEDED"
