# SPDX-License-Identifier: Apache-2.0
"""A large document that is fetched: no tick reads it, and none builds more than a slice of its tree."""

from dataclasses import replace

import pytest
from test_building_in_slices import placed
from test_log import Logged
from virtual_run import VirtualRun, body, delay, document, outcome, par, request, seq

from embodiment_bridge.behaviour.engine import loading
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.behaviour.nodes.tree_builder import SLICE
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualRequests
from embodiment_bridge.behaviour.run_log.replay import logged, replay
from embodiment_bridge.bml import to_json

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
def test_no_tick_makes_more_nodes_than_a_slice(root, monkeypatch):
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
