# SPDX-License-Identifier: Apache-2.0
"""Goals begin one after the other and not too fast; what is large is read elsewhere. Counted, not timed."""

import json
import threading
from functools import partial

import pytest
from embodiment_bridge.action import ExecuteActionPlan
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_srvs.srv import Trigger
from waiting import GRAPH, spin_until, until

from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.launching.executables import behavior_tree, mock_body
from embodiment_bridge.nodes.base.goal_client import PlanClient
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree import goal_gate, plan_server
from embodiment_bridge.nodes.tree.bml_client import BmlClient
from embodiment_bridge.nodes.tree.goal_gate import GoalGate
from embodiment_bridge.nodes.tree.runs import goal_run


class Timer:
    def __init__(self, callback):
        self.callback = callback


class FakeNode:
    """Timers and tasks that are run by hand."""

    def __init__(self):
        self.timers, self.tasks = [], []
        self.executor = self

    def create_timer(self, period, callback, clock):
        self.timers.append(Timer(callback))
        return self.timers[-1]

    def destroy_timer(self, timer):
        self.timers.remove(timer)

    def create_task(self, *task):
        self.tasks.append(partial(*task))

    def turn(self):
        for timer in list(self.timers):
            timer.callback()


class Desk:
    def __init__(self, rate=10.0, most=3):
        self.node, self.now = FakeNode(), 0.0
        self.awaited = self.refusal = ""
        self.gate = GoalGate(self.node, rate, most, self, lambda: self.now)
        self.begun, self.refused = [], []

    def missing(self):
        return self.awaited

    def check(self):
        if self.refusal:
            raise Rejected.because("", "INACTIVE", self.refusal)

    def reads(self):
        """The reader is done, and the executor takes what it has read."""
        until(lambda: self.node.tasks)
        self.node.tasks[0]()

    def enter(self, *names):
        for name in names:
            self.gate.enter(lambda name=name: name, self.begun.append, self.refused.append)


def test_so_many_at_once_then_the_queue_then_a_refusal_that_says_why():
    desk = Desk(rate=10.0, most=3)
    desk.enter(*range(15))
    assert desk.begun == list(range(10))
    assert desk.gate.waiting == 3
    assert [str(error) for error in desk.refused] == [
        "too many goals: 3 wait already (parameter goal_queue), and 10 are begun in a second (goal_rate)"
    ] * 2
    assert desk.gate.refused == 2


def test_those_that_wait_begin_in_order_one_in_a_turn_and_at_the_rate():
    desk = Desk(rate=10.0, most=3)
    desk.enter(*range(13))
    desk.node.turn()
    assert len(desk.begun) == 10
    for turns, begun in ((1, 11), (5, 11)):
        desk.now = 0.1
        for _ in range(turns):
            desk.node.turn()
        assert len(desk.begun) == begun
    desk.now = 100.0
    desk.enter(13)  # after those that came before
    for _ in range(2):
        desk.node.turn()
    assert desk.begun == list(range(13))
    desk.node.turn()
    assert desk.begun == list(range(14))
    assert desk.node.timers == []


def test_goals_wait_for_each_thing_that_is_missing_and_then_begin_in_order():
    desk = Desk(rate=0.0, most=0)
    desk.awaited = "body"
    desk.enter("first", "second")
    desk.now = 1.9
    desk.node.turn()
    desk.awaited = "link"
    desk.now = 10.0
    desk.node.turn()
    assert (desk.begun, desk.gate.waiting, desk.refused) == ([], 2, [])
    desk.awaited = ""
    desk.gate.go_on()
    assert desk.begun == ["first"]
    desk.node.turn()
    assert (desk.begun, desk.node.timers) == (["first", "second"], [])


def test_what_stays_missing_is_waited_for_once_and_anew_after_the_queue_was_empty():
    desk = Desk(rate=0.0)
    for begun in (["one", "two"], ["one", "two", "three"]):
        desk.awaited = "body"
        desk.enter(*begun[len(desk.begun) :])
        desk.now += 2.0
        desk.node.turn()
        assert len(desk.begun) < len(begun)
        desk.now += 0.1
        desk.node.turn()
        desk.node.turn()
        assert (desk.begun, desk.node.timers) == (begun, [])


def test_not_any_number_of_goals_waits_for_a_body():
    desk = Desk(rate=0.0, most=0)
    desk.awaited = "body"
    desk.enter(*range(101))
    assert (desk.gate.waiting, len(desk.refused)) == (100, 1)


def test_no_rate_is_no_limit():
    desk = Desk(rate=0.0, most=0)
    desk.enter(*range(1000))
    assert len(desk.begun) == 1000


def test_a_flood_of_ten_seconds_begins_what_the_rate_allows():
    desk = Desk(rate=20.0, most=20)
    for tick in range(700):
        desk.now = tick / 70.0
        desk.enter(tick)
        desk.node.turn()
        assert desk.gate.waiting <= 20
    assert 200 <= len(desk.begun) <= 221
    assert len(desk.begun) + desk.gate.waiting + len(desk.refused) == 700


def test_what_is_large_is_read_on_a_thread_and_the_others_wait_for_it():
    desk = Desk(rate=0.0)
    began, go, taken, broken, threads = threading.Event(), threading.Event(), [], [], []

    def work():
        threads.append(threading.current_thread())
        began.set()
        assert go.wait(GRAPH)
        return "read"

    desk.gate.enter(lambda: "small", taken.append, broken.append, size=goal_gate.LARGE)
    assert taken == ["small"]
    desk.gate.enter(work, taken.append, broken.append, size=goal_gate.LARGE + 1)
    desk.enter("next")
    for _ in range(100):  # the executor goes on
        desk.node.turn()
    assert (taken, desk.begun, desk.gate.waiting) == (["small"], [], 1)
    assert began.wait(GRAPH)
    go.set()
    threads[0].join()
    assert threads[0] is not threading.main_thread()
    (task,) = desk.node.tasks
    assert taken == ["small"]
    task()
    desk.node.turn()
    assert (taken, desk.begun) == (["small", "read"], ["next"])


def test_goal_that_is_read_while_the_node_is_deactivated_is_refused_once_and_not_begun_later():
    desk = Desk(rate=0.0)
    go = threading.Event()
    desk.gate.enter(lambda: go.wait(GRAPH), desk.begun.append, desk.refused.append, size=goal_gate.LARGE + 1)
    desk.enter("next")
    desk.refusal = "deactivated"
    desk.gate.release()
    assert [str(error) for error in desk.refused] == [": INACTIVE: deactivated"] * 2
    desk.refusal = ""  # activated again
    go.set()
    desk.reads()
    desk.enter("later")
    assert (desk.begun, len(desk.refused)) == (["later"], 2)


def test_goal_for_which_there_is_no_thread_ends_and_the_next_begins(monkeypatch):
    def no_thread(thread):
        raise RuntimeError("can't start new thread")

    desk = Desk(rate=0.0)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", no_thread)
        desk.gate.enter(lambda: "", desk.begun.append, desk.refused.append, size=goal_gate.LARGE + 1)
    desk.enter("next")
    assert [str(error) for error in desk.refused] == ["can't start new thread"]
    assert desk.begun == ["next"]
    desk.gate.close()


@pytest.mark.parametrize("size", [goal_gate.LARGE, goal_gate.LARGE + 1])
def test_reading_that_breaks_ends_that_goal_and_the_next_begins(size):
    desk = Desk(rate=0.0)
    taken, broken = [], []
    desk.gate.enter(lambda: 1 / 0, taken.append, broken.append, size=size)
    if size > goal_gate.LARGE:
        desk.enter("next")
        desk.reads()
        desk.node.turn()
    else:
        desk.enter("next")
    assert taken == []
    assert [type(error) for error in broken] == [ZeroDivisionError]
    assert (desk.begun, desk.node.timers) == (["next"], [])


@pytest.mark.parametrize("size", [1, goal_gate.LARGE + 1])
def test_run_that_cannot_be_made_of_a_document_ends_that_goal(size):
    desk = Desk(rate=0.0)
    broken = []
    desk.gate.enter(lambda: 0, lambda zero: 1 / zero, broken.append, size=size)
    if size > goal_gate.LARGE:
        desk.reads()
    assert [type(error) for error in broken] == [ZeroDivisionError]


@pytest.mark.parametrize("waits", [False, True])
def test_goal_that_cannot_begin_when_its_turn_has_come_is_not_read(waits):
    desk = Desk(rate=0.0)
    desk.awaited = "body" if waits else ""
    desk.refusal = "" if waits else "activate it first"
    desk.enter("first")
    desk.awaited, desk.refusal = "", "activate it first"
    desk.node.turn()
    assert [str(error) for error in desk.refused] == [": INACTIVE: activate it first"]
    assert (desk.begun, desk.node.timers) == ([], [])


def test_at_the_end_all_that_wait_begin_and_may_be_refused():
    desk = Desk(rate=1.0, most=5)
    desk.enter(*range(4))
    desk.gate.close()
    assert desk.begun == [0, 1, 2, 3]
    assert desk.node.timers == []


@pytest.fixture
def now(monkeypatch):
    """The clock of the gate, s."""
    made = [0.0]
    monkeypatch.setattr(GoalGate.__init__, "__defaults__", (lambda: made[0],))
    return made


@pytest.fixture
def stage():
    with Runtime() as runtime:
        common = {"context": runtime.context, "namespace": "/gate"}
        body = runtime.add(mock_body(**common))
        values = [Parameter("goal_rate", value=1.0), Parameter("goal_queue", value=1)]
        tree = runtime.add(behavior_tree(parameter_overrides=values, **common))
        watcher = runtime.add(Watcher(**common))
        clients = [BmlClient(watcher, lambda feedback: None) for _ in range(4)]
        stage = runtime, body, tree, clients
        spin_until(runtime, lambda: all(client.server_is_there for client in clients) and bool(tree.skills))
        spin_until(runtime, lambda: watcher.link == "ready")
        yield stage
        for client in clients:
            client.destroy()


def test_goals_on_the_graph_wait_or_are_rejected_with_the_reason(now, stage):
    runtime, _, tree, clients = stage
    for client in clients:
        client.send('{"type": "delay", "duration": 0.1}', source="test", on_new="queue")
    spin_until(runtime, lambda: tree.diagnose()[2].get("goals refused") == 2)
    now[0] = 1.0
    spin_until(runtime, lambda: all(client.result is not None for client in clients))
    outcomes = [client.result.outcome for client in clients]
    assert sorted(outcomes) == ["REJECTED", "REJECTED", "SUCCEEDED", "SUCCEEDED"]
    reasons = {client.result.reason for client in clients if client.result.outcome == "REJECTED"}
    assert reasons == {
        "too many goals: 1 wait already (parameter goal_queue), and 1 are begun in a second (goal_rate)"
    }
    assert tree.diagnose()[2].get("goals refused") == 2


def test_goals_that_wait_when_the_robot_is_stopped_do_not_begin(now, stage):
    runtime, _, tree, clients = stage
    for client in clients[:2]:
        client.send('{"type": "delay", "duration": 600}', source="test", on_new="queue")
    spin_until(runtime, lambda: tree.diagnose()[2].get("goals waiting") == 1)
    node = runtime.add(Node("person", context=runtime.context, namespace="/gate"))
    stop = node.create_client(Trigger, "behavior_tree/stop")
    spin_until(runtime, stop.service_is_ready)
    tree._starts._wait(600.0)  # a document of start_file that has failed
    said = stop.call_async(Trigger.Request())
    now[0] = 600.0
    spin_until(runtime, lambda: all(client.result is not None for client in clients[:2]))
    assert said.result().message.endswith("; 1 that waited do not begin")
    assert tree._starts._timer is None
    assert [client.result.outcome for client in clients[:2]] == ["CANCELED", "REJECTED"]
    assert "STOPPED: stopped by the stop service before it began" in clients[1].result.reason


def test_goal_that_is_being_read_when_the_robot_is_stopped_does_not_begin():
    desk = Desk(rate=0.0)
    go = threading.Event()
    desk.gate.enter(lambda: go.wait(GRAPH), desk.begun.append, desk.refused.append, size=goal_gate.LARGE + 1)
    assert desk.gate.refuse(CommandError("stopped")) == 1
    go.set()
    desk.reads()
    assert (desk.begun, len(desk.refused)) == ([], 1)


LEAF = {"type": "delay", "duration": 0.0001}
LARGE = json.dumps({"type": "sequence", "behaviors": [{"type": "sequence", "behaviors": [LEAF] * 900}] * 3})


@pytest.mark.parametrize("document", [json.dumps(LEAF), LARGE], ids=["small", "large"])
def test_goal_whose_reading_breaks_ends_with_an_error_and_the_next_is_run(stage, monkeypatch, document):
    runtime, _, _, clients = stage
    monkeypatch.setattr(goal_run, "read_goal", lambda *words, **options: {}["no such key"])
    clients[0].send(document, source="test")
    spin_until(runtime, lambda: clients[0].result is not None)
    assert clients[0].result.outcome == "ERROR"
    assert clients[0].result.reason == "it could not be read or begun: KeyError: 'no such key'"
    monkeypatch.undo()
    clients[1].send(json.dumps(LEAF), source="test")
    spin_until(runtime, lambda: clients[1].result is not None)
    assert clients[1].result.outcome == "SUCCEEDED"


def test_plan_that_cannot_be_made_ends_with_an_error_also_after_it_waited(stage, monkeypatch):
    runtime, _, _, clients = stage
    monkeypatch.setattr(plan_server, "plan_document", lambda *words: {}["no such key"])
    plans = PlanClient(runtime.add(Watcher(context=runtime.context, namespace="/gate")))
    spin_until(runtime, lambda: plans.server_is_there)
    clients[0].send(json.dumps(LEAF), source="test")
    spin_until(runtime, lambda: clients[0].sent.answered)
    goal = plans.send(ExecuteActionPlan.Goal())
    spin_until(runtime, lambda: goal.result is not None)
    assert (goal.result.outcome, goal.result.reason) == (
        "ERROR",
        "it could not be read or begun: KeyError: 'no such key'",
    )
    plans.destroy()


def test_the_executor_goes_on_while_a_large_document_is_read(stage, monkeypatch):
    runtime, body, _, clients = stage
    go, threads = threading.Event(), []
    read = goal_run.read_goal

    def slow(*words, **options):
        threads.append(threading.current_thread())
        assert go.wait(GRAPH)
        return read(*words, **options)

    monkeypatch.setattr(goal_run, "read_goal", slow)
    assert len(LARGE) > goal_gate.LARGE
    clients[0].send(LARGE, source="test")
    spin_until(runtime, lambda: bool(threads))
    turns = []
    body.create_timer(0.01, lambda: turns.append(1))
    spin_until(runtime, lambda: len(turns) > 10)  # in the process whose tree reads
    assert threads[0] is not threading.main_thread()
    clients[0].cancel()
    go.set()
    spin_until(runtime, lambda: clients[0].result is not None)
    assert clients[0].result.outcome == "CANCELED"
