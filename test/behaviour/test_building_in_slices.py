# SPDX-License-Identifier: Apache-2.0
"""A large tree, written or fetched, is built a slice in each tick; what it does is as if it had been built at once."""

import json
from dataclasses import replace

import pytest
from test_log import Logged
from test_run_scheduler import House
from virtual_run import (
    SKILLS,
    Script,
    VirtualRun,
    body,
    delay,
    document,
    dry_run,
    loop,
    outcome,
    par,
    request,
    seq,
)

from embodiment_bridge.behaviour.engine import loading
from embodiment_bridge.behaviour.engine import node as nodes
from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.behaviour.nodes.tree_builder import SLICE
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualRequests
from embodiment_bridge.behaviour.run_log.replay import logged, replay
from embodiment_bridge.bml import to_json


def wide(leaves):
    """A sequence of sequences, 100 leaves in each."""
    return seq(*[seq(*[body(slot=0.1) for _ in range(100)]) for _ in range(leaves // 100)])


def loading_ticks(stage):
    ticks = 0
    while stage.tick(ticks * 0.02) is RunState.LOADING:
        ticks += 1
    return ticks


def placed(monkeypatch):
    """How many nodes were made since the last call of what this returns."""
    count = [0]
    place = nodes.Node.place

    def counted(node, *words):
        count[0] += 1
        place(node, *words)

    monkeypatch.setattr(nodes.Node, "place", counted)

    def since():
        made, count[0] = count[0], 0
        return made

    return since


def test_no_tick_makes_more_nodes_than_a_slice(monkeypatch):
    since = placed(monkeypatch)
    stage, made, now = VirtualRun(wide(9_800)), [], 0.0
    while not made or stage.run.state is RunState.LOADING:
        stage.tick(now)
        made.append(since())
        now += 0.02
    assert sum(made) == 9_800 + 98 + 1
    assert max(made) <= SLICE + 1
    assert sum(count > 0 for count in made) == -(-sum(made) // SLICE)


def test_what_is_small_begins_in_the_first_tick():
    assert loading_ticks(VirtualRun(wide(400))) == 0


def test_run_time_begins_when_the_tree_is_there():
    stage = VirtualRun(wide(2_000))
    ticks = loading_ticks(stage)
    assert ticks > 2
    assert (stage.run.clock.seconds, stage.events[0].t) == (0.0, 0.0)
    stage.tick(stage.now + 0.05)
    assert stage.run.clock.seconds == pytest.approx(0.05)


def test_nothing_is_begun_before_and_a_cancel_ends_it():
    stage = VirtualRun(wide(2_000), skills=Script())
    stage.tick(0.0)
    stage.run.cancel("enough")
    assert (stage.ended, stage.skills.calls) == (("CANCELED", 0.0), [])


def test_pause_while_it_is_built_lets_it_begin_after_the_resume():
    house, skills = House(), Script()
    assert house.goal("large", wide(2_000), skills) == ""
    house.tick()
    assert house.scheduler.pause()
    house.to(5.0)
    assert (house.state("large"), skills.calls) == (RunState.LOADING, [])
    assert not house.scheduler.needs_tick
    assert house.scheduler.resume()
    house.to(10.0)
    assert house.state("large") is RunState.RUNNING
    assert skills.calls[0][:2] == ("start", "head_shake")


def test_run_that_is_suspended_while_it_is_built_goes_on_with_that_afterwards():
    house = House()
    assert house.goal("large", wide(2_000), suspendable=True) == ""
    house.tick()
    assert house.goal("quick", delay(1), on_new="suspend") == ""
    house.to(3.0)
    assert house.ended == {"quick": ("SUCCEEDED", 1.0)}
    house.to(6.0)
    assert (house.current, house.state("large")) == ("large", RunState.RUNNING)


def test_dry_run_and_log_are_those_of_a_tree_that_is_built_at_once():
    root = seq(delay(0.5), par(*[loop(1, delay(1)) for _ in range(1_000)]), delay(1))
    assert list(dry_run(document(root), SKILLS))[-1] == {"outcome": "SUCCEEDED", "t": 2.5}
    stage = Logged(to_json(document(root)))
    stage.now = 100.0
    stage.to_end(0.3)
    assert stage.ended == ("SUCCEEDED", 2.5)
    first = next(entry for entry in stage.of("tick"))
    assert first["now"] > 100.0
    assert replay(stage.lines) == logged(stage.lines)
    assert len(logged(stage.lines)) > 4_000


def test_fetched_document_that_is_too_deep_fails_the_node_that_fetched_it():
    """It passes the reader, whose limit is another one; the tree that runs stays as it is."""
    deep = {"type": "delay", "duration": 1}
    for _ in range(5):
        deep = {"type": "sequence", "behaviors": [deep]}
    url = "http://cloud.example/deep"
    shallow = Settings(grace_s=0.0, max_depth=5)
    stage = VirtualRun(request(url), requests=VirtualRequests({url: json.dumps(deep)}), settings=shallow)
    stage.to_end(0.1)
    assert stage.ended == ("FAILED", 0.2)
    assert stage.run.ending.reason.startswith("REPLY_REJECTED: /")
    assert "no level is left of 5" in stage.run.ending.reason
    assert stage.seen("replaced") == []


URL = "http://cloud.example/large"
LARGE = to_json(document(par(*[par(*[delay(1) for _ in range(100)]) for _ in range(20)])))
NODES = 1 + 20 + 20 * 100
FETCHED_S = 0.2
TICK_S = 0.02
STARTS = [seq(delay(n * TICK_S), body(slot=0.1)) for n in range(30)]  # one in each tick
ROOTS = pytest.mark.parametrize("root", [request(URL), par(request(URL), *STARTS)], ids=["tail", "below"])


def large(root):
    return VirtualRun(root, requests=VirtualRequests({URL: LARGE}))


def until_it_is_built(stage):
    """Tick until the first slice is made."""
    while not stage.run.slices:
        stage.tick(stage.now + TICK_S)
        assert stage.now < 1.0


@ROOTS
def test_no_tick_makes_more_nodes_of_a_reply_than_a_slice(root, monkeypatch):
    """Also not where something begins in each tick, which then has two passes."""
    stage, since, made = large(root), placed(monkeypatch), []
    while stage.tick(stage.now + TICK_S) is not RunState.ENDED:
        made.append(since())
        assert stage.now < 5.0
    assert max(made) <= SLICE + 1
    assert sum(made) >= NODES
    assert stage.ended[0] == "SUCCEEDED"
    slices = -(-NODES // SLICE)
    assert stage.ended[1] == pytest.approx(FETCHED_S + (slices - 1) * TICK_S + 1.0, abs=1.5 * TICK_S)


@ROOTS
def test_on_a_virtual_clock_it_takes_no_time(root):
    assert outcome(root, replies={URL: LARGE}) == ("SUCCEEDED", 1.2)


@ROOTS
def test_the_log_is_enough_to_do_it_again(root):
    stage = Logged(to_json(document(root)), requests=Reading(LARGE))
    stage.to_end(TICK_S)
    assert stage.ended[0] == "SUCCEEDED"
    assert stage.run.slices == -(-NODES // SLICE) - 1
    assert replay(stage.lines) == logged(stage.lines)
    reports = [one["answer"] for one in stage.of("port") if one["call"].startswith("requests.report")]
    assert {tuple(one) for one in reports} == {("id", "status", "text", "reason")}


@ROOTS
def test_a_cancel_while_it_is_built(root):
    stage = large(root)
    until_it_is_built(stage)
    stage.run.cancel("enough")
    stage.to_end(TICK_S)
    assert stage.ended[0] == "CANCELED"
    assert stage.seen("replaced") == []


def test_pause_while_it_is_built(monkeypatch):
    stage = large(request(URL))
    until_it_is_built(stage)
    since = placed(monkeypatch)
    assert stage.run.pause()
    stage.to(stage.now + 1.0, step=TICK_S)
    assert (stage.run.state, since()) == (RunState.PAUSED, 0)
    assert stage.run.resume()
    stage.to_end(TICK_S)
    assert stage.ended[0] == "SUCCEEDED"


class Reading(VirtualRequests):
    """Reads the reply when it is asked for, as a port does that has threads."""

    def __init__(self, text):
        super().__init__({URL: text})
        self.document = None

    def start(self, request_id, url, read):
        self.document = read(self._replies[url])
        super().start(request_id, url, read)

    def report(self, request_id):
        report = super().report(request_id)
        return replace(report, document=self.document) if report.status.ended else report


@pytest.mark.parametrize("root", [request(URL), par(request(URL))], ids=["tail", "below"])
@pytest.mark.parametrize(
    ("reply", "ending", "reason"),
    [
        ('{"type": "delay", "duration": 1}', ("SUCCEEDED", 1.2), ""),
        ('{"type": "dance"}', ("FAILED", 0.2), "REPLY_REJECTED: /type: UNKNOWN_TYPE"),
    ],
)
def test_what_the_port_has_read_is_not_read_by_a_tick(root, reply, ending, reason, monkeypatch):
    stage = VirtualRun(root, requests=Reading(reply))
    stage.tick(0.0)
    monkeypatch.setattr(loading, "load", lambda *_, **__: pytest.fail("a tick has read it"))
    stage.to_end(0.1)
    assert stage.ended == ending
    assert stage.run.ending.reason.startswith(reason)
    assert stage.run.documents.count == (1 if reason else 2)
