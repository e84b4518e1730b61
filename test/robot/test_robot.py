# SPDX-License-Identifier: Apache-2.0
"""The class Robot on the mock body."""

import json
import threading
from types import SimpleNamespace

import pytest
import rclpy
from rclpy.node import Node
from robot_stage import LONG, bringup
from waiting import GRAPH

import embodiment_bridge
from embodiment_bridge.bml import read
from embodiment_bridge.bml.rules.operator_rules import Allowed
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import CommandError, LinkError
from embodiment_bridge.robot.robot import Robot
from embodiment_bridge.robot.runs import Goal, way
from embodiment_bridge.robot.senses import Senses


@pytest.fixture(scope="module")
def robot():
    with Robot("one", graph=bringup("/one"), wait=GRAPH) as made:
        assert made.senses.wait(lambda: made.pose is not None and bool(made.see("ball")), GRAPH)
        yield made


def test_the_package_hands_the_class_out() -> None:
    assert embodiment_bridge.Robot is Robot
    with pytest.raises(AttributeError, match="no attribute 'Robott'"):
        _ = embodiment_bridge.Robott


def test_what_it_knows(robot) -> None:
    assert {"walk", "say", "head_shake"} <= set(robot.skills)
    (ball,) = robot.see("ball")
    assert (ball.kind, ball.is_named("ball"), ball.is_named("wall")) == ("ball", True, False)
    assert ball in robot.see()
    assert robot.wait_for("ball").id == ball.id
    with pytest.raises(
        CommandError, match=r"not seen within 0.1 s: unknown thing 'bal'; did you mean 'ball'"
    ):
        robot.wait_for("bal", 0.1)


def test_its_first_answers_know_the_link_and_the_things(robot) -> None:
    with Robot("one", wait=GRAPH) as other:
        assert (other.senses.link, [one.id for one in other.see("ball")]) == ("ready", ["ball"])


@pytest.mark.parametrize(
    ("take", "first_answer"),
    [
        ("_on_link", lambda robot: robot.senses.link == "ready"),
        ("_on_status", lambda robot: robot.senses.posture == "standing"),
        ("_on_description", lambda robot: "<robot" in robot.senses.description),
        ("_on_entities", lambda robot: robot.see()),
        ("_on_pose", lambda robot: robot.pose is not None),
    ],
)
def test_its_first_answers_wait_for_the_topic_that_comes_last(robot, monkeypatch, take, first_answer) -> None:
    taken, timers = getattr(Senses, take), []

    def take_later(senses: Senses, message: object) -> None:
        if not timers:
            timers.append(threading.Timer(0.4, taken, (senses, message)))
            timers[0].start()

    monkeypatch.setattr(Senses, take, take_later)
    with Robot("one", wait=GRAPH) as other:
        assert first_answer(other)
    timers[0].join()


def test_a_robot_can_be_stopped_as_soon_as_it_is_there(robot, monkeypatch) -> None:
    looks = iter([False] * 3)
    monkeypatch.setitem(robot._clients, "stop", SimpleNamespace(service_is_ready=lambda: next(looks, True)))
    robot._await_robot(GRAPH)
    assert next(looks, True)


def test_a_skill_with_its_parameters(robot) -> None:
    before = robot.pose.yaw
    outcome = robot.do("turn_left", angle=0.5)
    assert (outcome.outcome, outcome.reason, outcome.not_done) == ("SUCCEEDED", "", ())
    assert robot.senses.wait(lambda: abs(robot.pose.yaw - before - 0.5) < 0.1, GRAPH)


def test_it_goes_to_a_thing_and_to_a_place(robot) -> None:
    robot.go_to("ball")
    (ball,) = robot.see("ball")
    assert robot.senses.wait(lambda: robot.pose.distance(ball.x, ball.y) < 0.6, GRAPH)
    robot.go_to(0.0, 0.0)
    assert robot.senses.wait(lambda: robot.pose.distance(0.0, 0.0) < 0.3, GRAPH)
    with pytest.raises(CommandError, match="unknown thing 'moon'"):
        robot.go_to("moon")


@pytest.mark.parametrize(
    ("skills", "document"),
    [
        ({"go_to": (), "walk": ("x", "y")}, ("GO_TO", {"thing": "ball"})),
        ({"walk": ("entity", "x", "y")}, ("WALK", {"entity": "ball"})),
        ({"walk": ("distance",), "turn_left": ("angle",), "step_forward": ("distance",)}, None),
        ({}, None),
    ],
)
def test_it_goes_with_the_skill_that_the_body_has_for_that(skills, document) -> None:
    found = {
        name: SkillInfo(name, "native", ("legs",), 1.0, 1.0, parameters)
        for name, parameters in skills.items()
    }
    # Names are the body's: it may know things by more than those that it shows.
    senses = SimpleNamespace(skills=found, body="cart", find=lambda name: None, names=list)
    if document is None:
        with pytest.raises(CommandError, match="body 'cart' cannot walk to a place"):
            way(senses, Goal(thing="ball"))
        return
    action, parameters = document
    assert way(senses, Goal(thing="ball")) == {"type": "body", "action": action, "parameters": parameters}


def test_what_it_says_is_answered(robot) -> None:
    before = len(robot.heard())
    robot.say("good day")
    assert robot.senses.wait(lambda: any("good day" in one.text for one in robot.heard()[before:]), GRAPH)
    last = robot.heard()[-1].number
    assert robot.heard(after=last) == []


@pytest.mark.parametrize(
    ("skill", "parameters", "reason"),
    [
        ("wavee", {}, "UNKNOWN_ACTION: unknown body action 'WAVEE'"),
        ("walk", {"distanc": 1.0}, "did you mean 'distance'"),
        ("walk", {"distance": 1e6}, "'distance' is 1000000.0, not a number within -20 to 20 m"),
        ("say", {}, "SAY needs the parameter 'text'"),
        ("drop", {}, "there is nothing in the hand"),
        ("walk", {"distance": float("nan")}, "not JSON"),
    ],
)
def test_what_it_cannot_do_is_an_error_with_the_reason(robot, skill, parameters, reason) -> None:
    with pytest.raises(CommandError, match=reason):
        robot.do(skill, **parameters)


def test_documents_of_all_forms(robot) -> None:
    node = {"type": "delay", "duration": 0.05}
    for document in (node, json.dumps(node), read(json.dumps(node)).document):
        assert robot.run(document).outcome == "SUCCEEDED"


def test_a_document_is_checked(robot) -> None:
    check = robot.check(
        {"type": "sequence", "behaviors": [{"type": "delay"}, {"type": "body", "action": "FLY"}]}
    )
    assert not check.can_run
    assert {one.code for one in check.problems} >= {"UNKNOWN_ACTION"}
    good = robot.check({"type": "delay", "duration": 3})
    assert (good.can_run, good.least, good.expected, good.longest) == (True, 3.0, 3.0, 3.0)
    assert robot.check(LONG).longest == float("inf")


def test_a_run_is_held_goes_on_and_is_canceled(robot) -> None:
    run = robot.start(LONG)
    assert run.began.result(GRAPH)
    states = []
    moved = threading.Event()
    run.on_progress(lambda progress: (states.append(progress.state), moved.set()))
    assert robot.hold()
    assert robot.senses.wait(lambda: "PAUSED" in states, GRAPH)
    assert robot.hold(False)
    assert robot.senses.wait(lambda: states[-1] == "RUNNING", GRAPH)
    robot.cancel(run)
    assert run.ended.result(GRAPH).outcome == "CANCELED"


def test_who_holds_is_told_of_an_earlier_hold(robot) -> None:
    run = robot.start(LONG)
    assert run.began.result(GRAPH)
    assert robot.hold() == "pausing; held"
    with Robot("one", wait=GRAPH) as other:
        assert other.hold() == "held already; held already"
    assert robot.hold(False) == "going on; going on"
    assert robot.hold() == "pausing; held"
    assert robot.hold(False)
    robot.cancel(run)
    assert run.ended.result(GRAPH).outcome == "CANCELED"


def test_stop_ends_what_others_have_begun(robot) -> None:
    with Robot("one", wait=GRAPH) as other:
        run = other.start(LONG)
        assert run.began.result(GRAPH)
        assert "stopping" in robot.stop()
        assert run.ended.result(GRAPH).reason == "stopped by the stop service"


def test_what_was_asked_for_before_a_stop_does_not_begin_after_it(robot) -> None:
    before = robot.stops
    for _ in range(5):  # also where the tree hears of the goal after the stop
        run = robot.start(LONG)
        robot.stop()
        assert run.ended.result(GRAPH).outcome in ("CANCELED", "REJECTED")
    run = robot.start(LONG, stops=before)
    assert run.ended.result(GRAPH).reason.startswith("stop was called after this was asked for")


def test_only_false_lets_go(robot) -> None:
    assert "paused" in robot.hold("false")
    assert robot.hold(None) == "held already; held already"
    assert robot.hold(False) == "going on; going on"


def test_the_newest_run_wins(robot) -> None:
    first = robot.start(LONG)
    second = robot.start(LONG)
    assert first.ended.result(GRAPH).outcome == "PREEMPTED"
    third = robot.start(LONG, on_new="reject")
    assert third.ended.result(GRAPH).outcome == "REJECTED"
    robot.cancel(second)
    second.ended.result(GRAPH)


def test_channels_that_are_not_allowed(robot) -> None:
    with Robot("one", wait=GRAPH, allowed=Allowed("python", frozenset({"head"}))) as other:
        other.do("head_shake")
        with pytest.raises(CommandError, match="STEP_FORWARD drives legs, which 'python' may not"):
            other.do("step_forward")
        with pytest.raises(CommandError, match="may not fetch"):
            other.run({"type": "request", "url": "https://a.example/b"})


def test_it_knows_what_there_is_as_soon_as_it_is_there(robot) -> None:
    assert robot.see()
    for _ in range(5):
        with Robot("one", wait=GRAPH) as other:
            assert other.see()


def test_waiting_for_a_thing_that_is_behind_it_says_so(robot) -> None:
    robot.do("turn_left", angle=3.0)
    assert robot.senses.wait(lambda: any(not one.visible for one in robot.see()), GRAPH)
    hidden = next(one for one in robot.see() if not one.visible)
    with pytest.raises(CommandError, match=f"'{hidden.id}' is out of view, last seen [0-9]+ s ago"):
        robot.wait_for(hidden.id, 0.1)


def test_without_a_robot() -> None:
    with pytest.raises(LinkError, match=r"no robot in namespace /nobody after 0.2 s: a body is missing"):
        Robot("nobody", wait=0.2)


def test_a_tree_that_cannot_be_held_yet_is_waited_for(robot, monkeypatch) -> None:
    starting = SimpleNamespace(service_is_ready=lambda: False)
    monkeypatch.setitem(robot._clients, "behavior_tree/resume", starting)
    with pytest.raises(LinkError, match=r"after 0.2 s: a behaviour tree is missing"):
        robot._await_robot(0.2)


def test_nobody_waits_for_ever_when_the_graph_ends_by_itself(robot) -> None:
    with Robot("one", wait=GRAPH) as other:
        run = other.start(LONG)
        assert run.began.result(GRAPH)
        late = []

        def end(node: Node) -> None:
            late.append(other.on_graph(lambda _: None))
            rclpy.try_shutdown(context=node.context)

        other.on_graph(end).result(GRAPH)
        assert run.ended.result(GRAPH).outcome == "UNKNOWN"
        assert isinstance(late[0].exception(GRAPH), LinkError | None)
        with pytest.raises(LinkError, match="was closed"):
            other.stop()
    robot.stop()


def test_after_the_end(robot) -> None:
    with Robot("one", wait=GRAPH) as other:
        run = other.start(LONG)
        assert run.began.result(GRAPH)
    assert run.ended.result(GRAPH).outcome == "UNKNOWN"
    other.close()
    assert other.start(LONG).ended.result(GRAPH).reason == "the robot was closed"
    with pytest.raises(LinkError, match="was closed"):
        other.stop()
