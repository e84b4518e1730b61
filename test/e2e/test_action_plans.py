# SPDX-License-Identifier: Apache-2.0
"""The action execute_action_plan, as any client asks for it: what the mock body does then, over DDS."""

from math import hypot, remainder, tau

import pytest
from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.msg import (
    ActionParameter,
    ActionPlan,
    NodeEvent,
    PlanAction,
    PlanActionStatus,
    TreeSnapshot,
)
from opencog_stage import graph
from std_msgs.msg import String

from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.tree.bml_client import BmlClient


def statuses(result):
    return [(one.name, one.status) for one in result.actions]


def test_plan_of_any_client_is_canceled_half_way():
    with graph() as g:
        g.join()
        feedback, trees, events = [], [], []
        g.watcher.create_subscription(TreeSnapshot, "behavior_tree/tree", trees.append, profile("state"))
        g.watcher.create_subscription(NodeEvent, "behavior_tree/events", events.append, profile("events"))
        g.until(lambda: g.watcher.count_publishers("behavior_tree/events"))
        goal = g.plans.send(plan_goal("say:hello", "look_at:ball", "walk:3"), feedback.append)
        g.until(lambda: feedback and feedback[-1].actions[2].status == PlanActionStatus.RUNNING)
        goal.cancel()
        g.until(lambda: goal.result)
        assert goal.result.outcome == "CANCELED"
        done, canceled = PlanActionStatus.DONE, PlanActionStatus.CANCELED
        assert statuses(goal.result) == [("say", done), ("look_at", done), ("walk", canceled)]
        g.until(lambda: any(e.pointer == "/behaviors/2" and e.event == "halted" for e in events))
        steps = ["/behaviors/0", "/behaviors/1", "/behaviors/2"]
        assert any(all(step in [node.pointer for node in tree.nodes] for step in steps) for tree in trees)


def test_document_preempts_a_plan_and_a_plan_a_document():
    with graph() as g:
        g.join()
        bml = BmlClient(g.watcher, lambda _: None)
        first = g.plans.send(plan_goal("walk:3"))
        g.until(lambda: abs(g.watcher.x) > 0.1 and bml.server_is_there)
        bml.send('{"type": "delay", "duration": 1000}', source="test")
        g.until(lambda: first.result)
        assert first.result.outcome == "PREEMPTED"
        second = g.plans.send(plan_goal("say:hello"))
        g.until(lambda: bml.result and second.result)
        assert (bml.result.outcome, second.result.outcome) == ("PREEMPTED", "SUCCEEDED")
        bml.destroy()


def test_turn_takes_a_heading_and_nudge_brings_the_thing_to_its_place():
    with graph() as g:
        g.join()
        ball, base = g.world.ball, g.world.base
        made = g.plans.send(plan_goal("turn:1.2"))
        g.until(lambda: made.result)
        g.until(lambda: base.turn == base.forward == 0.0)
        assert (made.result.outcome, base.yaw) == ("SUCCEEDED", pytest.approx(1.2, abs=0.15))
        goal = plan_goal("nudge_to:ball")
        goal.plan.actions[0].parameters.append(vector(0.5, -1.0))
        made = g.plans.send(goal)
        g.until(lambda: made.result)
        assert made.result.outcome == "SUCCEEDED", made.result.reason
        g.until(lambda: not ball.held and ball.vx == ball.vy == 0.0)
        assert hypot(ball.x - 0.5, ball.y + 1.0) < 0.35


def test_follow_keeps_near_to_who_walks_for_so_long_and_then_rests():
    with graph() as g:
        g.join()
        world = g.world
        robin, base = world.neighbour, world.base
        robin.x, robin.y = 1.6, 0.0
        robin._path, robin._next = ((1.6, 0.0), (1.6, 2.4)), 1
        g.until(lambda: "robin" in g.brain.known)
        goal = plan_goal("follow:robin")
        goal.plan.actions[0].parameters.append(ActionParameter(type="float", value="8.0"))
        made = g.plans.send(goal)
        g.until(lambda: made.result)
        assert made.result.outcome == "SUCCEEDED", made.result.reason
        assert made.result.elapsed == pytest.approx(8.0, abs=1.5)
        g.until(lambda: base.turn == base.forward == 0.0)
        assert base.y > 0.3, "it went after robin"
        assert remainder(world.bearing(robin.x, robin.y), tau) == pytest.approx(0.0, abs=0.7)


def test_what_cannot_be_reached_says_why_and_the_body_stays_where_it_is():
    with graph() as g:
        g.join()
        far = plan_goal("walk:300", "say:hello")
        far.on_error = "continue"
        made = g.plans.send(far)
        g.until(lambda: made.result)
        assert "'x' is 300.0, not a number within -100 to 100 m" in made.result.actions[0].reason
        unknown = g.plans.send(plan_goal("grab:bal"))
        g.until(lambda: unknown.result)
        assert "unknown thing 'bal'; did you mean 'ball'" in unknown.result.reason
        base = g.world.base
        assert (made.result.actions[1].status, base.x, base.y) == (PlanActionStatus.DONE, 0.0, 0.0)


def test_plan_of_a_client_that_falls_silent_is_paused_until_it_is_heard_again():
    with graph(speed=2.0) as g:
        g.join()
        base = g.world.base
        topic = g.watcher.create_publisher(String, "keep_alive", profile("command"))
        signs = g.watcher.create_timer(0.03, lambda: topic.publish(String(data="brain")))
        goal = plan_goal("walk:2")
        goal.source = "brain"
        made = g.plans.send(goal)
        g.until(lambda: base.x > 0.1)
        signs.cancel()
        g.until(lambda: g.tree.diagnose()[1].endswith("paused") and base.forward == base.turn == 0.0)
        assert made.result is None
        assert base.x < 1.9
        signs.reset()
        g.until(lambda: made.result)
        assert (made.result.outcome, base.x) == ("SUCCEEDED", pytest.approx(2.0, abs=0.15))


def test_plan_that_cannot_be_run_is_rejected():
    with graph() as g:
        g.join()
        goal = plan_goal("say:hello")
        goal.on_error = "hope"
        refused = g.plans.send(goal)
        g.until(lambda: refused.result)
        assert refused.result.outcome == "REJECTED"
        assert "unknown value of on_error 'hope'" in refused.result.reason


def plan_goal(*steps):
    """``name:value``: a walk so many m ahead, a turn to a heading in rad, something said, something looked at."""
    actions = []
    for number, step in enumerate(steps, 1):
        name, _, value = step.partition(":")
        kind = {"say": "string", "turn": "rotation"}.get(name, "entity")
        parameter = vector(float(value), 0.0) if name == "walk" else ActionParameter(type=kind, value=value)
        if name == "turn":
            parameter.rotation.z = float(value)
        actions.append(PlanAction(sequence=number, name=name, parameters=[parameter]))
    return ExecuteActionPlan.Goal(plan=ActionPlan(actions=actions))


def vector(x, y):
    """A place in ``map``, m."""
    parameter = ActionParameter(type="vector")
    parameter.vector.x, parameter.vector.y = x, y
    return parameter
