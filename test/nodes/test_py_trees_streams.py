# SPDX-License-Identifier: Apache-2.0
"""Trees and blackboards as py_trees_ros shows them, and who gets them when."""

import json
import uuid

import py_trees_fakes
import pytest
from py_trees_ros_interfaces.msg import Behaviour
from unique_identifier_msgs.msg import UUID

from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualMedia, VirtualRequests, VirtualSkills
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.nodes.tree.runs import py_trees_streams
from embodiment_bridge.nodes.tree.runs.py_trees_messages import MAX_NODES, WINDOW, behaviours
from embodiment_bridge.nodes.tree.runs.py_trees_streams import MAX_STREAMS, PyTreesStreams

SKILLS = {"head_shake": SkillInfo("head_shake", "motion", ("head",), 1.0, 0.1)}
SHAKE = {"type": "body", "action": "HEAD_SHAKE", "duration": 1}
STREAM = "/robot1/behavior_tree/snapshot_streams"


def delay(seconds, **more):
    return {"type": "delay", "duration": seconds, **more}


def make_run(*children, **more):
    """A run of a sequence, on a virtual body whose clock is the run's."""
    body = VirtualSkills(SKILLS)
    text = json.dumps({"type": "sequence", "behaviors": children, **more})
    return Run(text, Ports(body, VirtualMedia({}), VirtualRequests({})), Rules(SKILLS))


@pytest.fixture
def node():
    return py_trees_fakes.Node()


@pytest.fixture
def streams(node):
    return PyTreesStreams(node)


def shown(run):
    """All nodes by name, with the events since the last call as those of the last tick."""
    made = behaviours(run.last_root, {event.origin for event in run.take_events()})
    return {message.name: message for message in made}


def tick(run, streams, now):
    run.tick(now)
    streams.ticked(now, now + 0.25)
    streams.publish(run, run.take_events())


def of(message):
    return uuid.UUID(bytes=bytes(message.uuid))


def test_tree_is_linked_by_ids():
    run = make_run(delay(1, name="wait"), {"type": "parallel", "name": "both", "behaviors": [SHAKE]})
    run.tick(0.0)
    made = behaviours(run.last_root, set())
    root, wait, both, shake = made
    assert [of(m) for m in root.child_ids] == [of(wait.own_id), of(both.own_id)]
    assert [of(m) for m in both.child_ids] == [of(shake.own_id)]
    assert root.parent_id == UUID()
    assert of(wait.parent_id) == of(both.parent_id) == of(root.own_id)
    assert of(root.current_child_id) == of(wait.own_id)
    assert len({of(m.own_id) for m in made}) == 4
    assert {of(m.own_id).version for m in made} == {4}  # py_trees_ros forces that version on what it reads


def test_ids_stay_the_same_during_a_run():
    run = make_run(delay(1), delay(1))
    run.tick(0.0)
    first = [of(m.own_id) for m in behaviours(run.last_root, set())]
    run.tick(1.5)
    assert [of(m.own_id) for m in behaviours(run.last_root, set())] == first


KINDS = [
    ({"type": "sequence", "behaviors": [delay(1)]}, "SEQUENCE", "WithMemory"),
    ({"type": "selector", "behaviors": [delay(1)]}, "SELECTOR", "WithMemory"),
    ({"type": "selector", "random": True, "behaviors": [delay(1)]}, "SELECTOR", "WithMemory"),
    ({"type": "selector", "reactive": True, "behaviors": [delay(1)]}, "SELECTOR", ""),
    ({"type": "parallel", "behaviors": [delay(1)]}, "PARALLEL", "OnAll"),
    ({"type": "parallel", "successPolicy": "SucceedOnOne", "behaviors": [delay(1)]}, "PARALLEL", "OnOne"),
    ({"type": "loop", "loop": 2, "behavior": delay(1)}, "DECORATOR", "/behaviors/0"),
    (delay(1), "BEHAVIOUR", "/behaviors/0"),
    (SHAKE, "BEHAVIOUR", "/behaviors/0"),
]


@pytest.mark.parametrize(("document", "kind", "detail"), KINDS)
def test_kind_of_node(document, kind, detail):
    run = make_run({**document, "name": "it"})
    run.tick(0.0)
    it = shown(run)["it"]
    assert (it.type, it.additional_detail) == (getattr(Behaviour, kind), detail)
    assert it.blackbox_level == Behaviour.BLACKBOX_LEVEL_NOT_A_BLACKBOX
    assert it.class_name.startswith("embodiment_bridge.behaviour.")


def test_node_and_its_clean_up_are_a_sequence():
    run = make_run({"type": "parallel", "finally": delay(1, name="tidy"), "behaviors": [delay(1)]})
    run.tick(0.0)
    _, both, inside, tidy, _ = behaviours(run.last_root, set())
    assert both.type == Behaviour.SEQUENCE
    assert [of(m) for m in both.child_ids] == [of(inside.own_id), of(tidy.own_id)]
    assert (inside.type, tidy.name) == (Behaviour.PARALLEL, "tidy")


def test_status_and_activity_of_the_last_tick():
    run = make_run(delay(1, name="a"), delay(1, name="b"), delay(1, name="c"), name="all")
    kind = Behaviour

    def at(now):
        run.tick(now)
        return {name: (m.status, m.is_active) for name, m in shown(run).items()}

    later = (kind.INVALID, False)
    assert at(0.0) == {"all": (kind.RUNNING, True), "a": (kind.RUNNING, True), "b": later, "c": later}
    assert at(1.1)["a"] == (kind.SUCCESS, True)
    assert at(1.2)["a"] == (kind.SUCCESS, False)
    assert at(2.1)["b"] == (kind.SUCCESS, True)
    ended = at(3.1)
    assert run.root is None
    assert ended["all"] == ended["c"] == (kind.SUCCESS, True)
    assert ended["a"] == (kind.SUCCESS, False)


def test_halted_and_failed_nodes_and_their_messages():
    run = make_run(
        {
            "type": "parallel",
            "name": "both",
            "behaviors": [{**SHAKE, "duration": 9}, delay(1, name="no", **{"return": False})],
        }
    )
    run.tick(0.0)
    assert shown(run)["HEAD_SHAKE"].message == ""
    for now in (1.1, 1.2):  # the body comes to rest in between
        run.tick(now)
    ended = shown(run)
    kind = Behaviour
    assert ended["no"].status == ended["both"].status == kind.FAILURE
    assert (ended["HEAD_SHAKE"].status, ended["HEAD_SHAKE"].is_active) == (kind.INVALID, False)


def test_named_leaf_says_what_it_does():
    run = make_run({**SHAKE, "name": "disagree"})
    run.tick(0.0)
    assert shown(run)["disagree"].message == "HEAD_SHAKE"


def test_of_a_large_tree_the_upper_part_is_shown():
    rows = [{"type": "sequence", "behaviors": [delay(1)] * 40} for _ in range(40)]
    run = make_run(*rows, name="all")
    while run.last_root is None:  # it is built a slice in each tick
        run.tick(0.0)
    made = behaviours(run.last_root, set())
    assert len(made) == MAX_NODES
    ids = {of(m.own_id) for m in made}
    assert {of(child) for m in made for child in m.child_ids} == ids - {of(made[0].own_id)}
    assert made[0].message == ""
    assert made[40].message == " (40 children not shown)"


def test_large_tree_at_the_limit_is_shown_whole():
    run = make_run(*[delay(1)] * (MAX_NODES - 1))
    run.tick(0.0)
    made = behaviours(run.last_root, set())
    assert len(made) == MAX_NODES
    assert made[0].message == ""


def test_nothing_is_made_without_a_stream(streams, monkeypatch):
    monkeypatch.setattr(py_trees_streams, "behaviours", None)  # would raise
    tick(make_run(delay(1)), streams, 0.0)


def test_stream_gets_changes_only(node, streams):
    topic = node.call("open").topic_name
    assert topic == f"{STREAM}/_snapshots_0"
    sent = node.publishers_made[topic].sent
    run = make_run(delay(1), delay(1))
    for now, messages in ((0.0, 1), (0.5, 1), (1.1, 2), (1.5, 2), (2.1, 3)):
        tick(run, streams, now)
        assert len(sent) == messages
    assert [m.statistics.count for m in sent] == [1, 3, 5]
    assert sent[-1].behaviours[0].status == Behaviour.SUCCESS
    assert all(m.changed and m.statistics.stamp.sec == 7 for m in sent)


def test_newcomer_gets_the_tree_as_it_stands(node, streams):
    run = make_run(delay(1))
    tick(run, streams, 0.0)
    sent = node.publishers_made[node.call("open").topic_name].sent
    tick(run, streams, 0.5)
    assert [m.changed for m in sent] == [False]


@pytest.mark.parametrize(("period", "messages"), [(0.0, 3), (-1.0, 3), (1e9, 1), (float("nan"), 1)])
def test_period_of_a_stream(node, streams, period, messages):
    sent = node.publishers_made[node.call("open", period=period).topic_name].sent
    run = make_run(delay(1))
    for now in (0.0, 0.1, 0.2):
        tick(run, streams, now)
    assert len(sent) == messages


def test_reconfigured_period(node, streams):
    topic = node.call("open").topic_name
    run = make_run(delay(1))
    tick(run, streams, 0.0)
    assert node.call("reconfigure", topic, period=0.0).result is True
    tick(run, streams, 0.1)
    assert len(node.publishers_made[topic].sent) == 2


@pytest.mark.parametrize("service", ["close", "reconfigure"])
def test_stream_that_is_not_there(node, streams, service):
    assert node.call(service, "/nobody").result is False


def test_closed_stream_is_gone(node, streams):
    topic = node.call("open").topic_name
    assert node.call("close", topic).result is True
    assert node.publishers_made == {}
    tick(make_run(delay(1)), streams, 0.0)


NAMES = [
    ("mine", f"{STREAM}/mine"),
    ("~/mine", "/robot1/behavior_tree/mine"),
    ("/anywhere", "/anywhere"),
]


@pytest.mark.parametrize(("wanted", "topic"), NAMES)
def test_wished_name(node, streams, wanted, topic):
    assert node.call("open", wanted).topic_name == topic
    assert node.call("open", wanted).topic_name == topic  # the same stream again
    assert list(node.publishers_made) == [topic]


def test_impossible_name_is_refused_with_a_line(node, streams):
    assert node.call("open", "a b").topic_name == ""
    assert node.publishers_made == {}
    assert node.lines == [("warning", "no stream 'a b': bad name ~/snapshot_streams/a b")]


def test_stream_that_nobody_hears_makes_room(node, streams):
    topics = [node.call("open").topic_name for _ in range(MAX_STREAMS)]
    node.publishers_made[topics[0]].subscribers = 1
    assert node.call("open").topic_name == f"{STREAM}/_snapshots_{MAX_STREAMS}"
    assert topics[0] in node.publishers_made
    assert topics[1] not in node.publishers_made
    assert len(node.publishers_made) == MAX_STREAMS


def test_too_many_streams_are_refused(node, streams):
    for _ in range(MAX_STREAMS):
        node.publishers_made[node.call("open").topic_name].subscribers = 1
    assert node.call("open").topic_name == ""
    assert len(node.publishers_made) == MAX_STREAMS
    assert "16 streams are open" in node.lines[0][1]


def test_rejected_document_has_no_tree(node, streams):
    topic = node.call("open").topic_name
    tick(make_run(delay(-1)), streams, 0.0)
    assert node.publishers_made[topic].sent == []


def test_statistics_are_of_the_last_ticks(node, streams):
    sent = node.publishers_made[node.call("open", period=0.0).topic_name].sent
    run = make_run(delay(100))
    for now in range(2 * WINDOW):
        tick(run, streams, float(now))
    first, last = sent[0].statistics, sent[-1].statistics
    assert (first.tick_duration, first.tick_interval, first.tick_duration_variance) == (0.25, 0.0, 0.0)
    assert (last.tick_duration_average, last.tick_interval_average) == (0.25, 1.0)
    assert (last.count, last.tick_interval, last.tick_interval_variance) == (2 * WINDOW, 1.0, 0.0)


def fill(run, **values):
    for key, value in values.items():
        run.blackboard.write(key, value)


def test_blackboard_comes_with_a_snapshot_that_asks_for_it(node, streams):
    plain = node.publishers_made[node.call("open").topic_name].sent
    told = node.publishers_made[node.call("open", data=True, activity=True).topic_name].sent
    run = make_run(delay(9))
    fill(run, near=True, steps=3)
    tick(run, streams, 0.0)
    fill(run, near=None, steps=4, new="a")
    tick(run, streams, 0.1)
    assert [(one.key, one.value) for one in told[0].blackboard_on_visited_path] == [
        ("near", "True"), ("steps", "3")
    ]  # fmt: skip
    assert told[0].blackboard_activity == []
    done = [(a.key, a.activity_type, a.previous_value, a.current_value) for a in told[1].blackboard_activity]
    assert done == [
        ("near", "UNSET", "True", ""), ("new", "INITIALISED", "", "a"), ("steps", "WRITE", "3", "4")
    ]  # fmt: skip
    assert len(plain) == 1
    assert plain[0].blackboard_on_visited_path == []


def test_blackboard_is_watched(node, streams):
    assert node.ask("get_variables").variables == []
    run = make_run(delay(9))
    fill(run, near=True, steps=3)
    tick(run, streams, 0.0)
    assert node.ask("get_variables").variables == ["near", "steps"]
    late = node.publishers_made[node.ask("open").topic]
    every = late.sent
    one = node.publishers_made[
        node.ask("open", variables=["steps", "far"], with_activity_stream=True).topic
    ].sent
    for publisher in node.publishers_made.values():
        publisher.subscribers = publisher is not late
    tick(run, streams, 0.05)
    assert late.sent == []  # nobody would hear it
    late.subscribers = 1
    for now, steps in ((0.1, 3), (0.2, 3), (0.3, 4)):
        fill(run, steps=steps)
        tick(run, streams, now)
    assert [message.data for message in every] == [
        "    near  : True\n    steps : 3", "    near  : True\n    steps : 4"
    ]  # fmt: skip
    assert [message.data.splitlines() for message in one] == [
        ["    far   : -", "    steps : 3", "Blackboard Activity Stream"],
        ["    far   : -", "    steps : 4", "Blackboard Activity Stream", "    steps : WRITE 3 -> 4"],
    ]


def test_closed_view_of_a_blackboard_is_gone(node, streams):
    topic = node.ask("open").topic
    assert topic == "/robot1/behavior_tree/blackboard_streams/_watcher_0"
    assert node.ask("close", topic_name=topic).result is True
    assert node.ask("close", topic_name=topic).result is False
    assert node.publishers_made == {}
