# SPDX-License-Identifier: Apache-2.0
"""Fetched documents: in tail position they take the run's place, elsewhere they grow below the node."""

import gc
import json
from itertools import pairwise

import pytest
from virtual_run import (
    VirtualRun,
    body,
    box,
    delay,
    document,
    fail,
    forever,
    lines,
    loop,
    outcome,
    par,
    request,
    sel,
    seq,
)

from embodiment_bridge.behaviour.engine.loading import Loaded
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.ports import FetchReport, FetchStatus
from embodiment_bridge.behaviour.nodes.other_documents import Request, depth_of, in_tail_position
from embodiment_bridge.behaviour.nodes.tree_builder import build_in_slices
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualRequests

URL = "http://cloud.example/next"
NEXT = {"type": "request", "url": URL}


def reply(*nodes):
    return json.dumps({"type": "sequence", "behaviors": list(nodes)})


def wait(seconds, result=True):
    return {"type": "delay", "duration": seconds, "return": result}


@pytest.mark.parametrize(
    ("root", "answer", "expected"),
    [
        (request(URL), reply(wait(1)), ("SUCCEEDED", 1.2)),
        (request(URL), reply(wait(1, False)), ("FAILED", 1.2)),
        (seq(delay(2), request(URL)), reply(wait(1)), ("SUCCEEDED", 3.2)),
        (seq(request(URL), delay(2)), reply(wait(1)), ("SUCCEEDED", 3.2)),
        (loop(2, request(URL)), reply(wait(1)), ("SUCCEEDED", 2.4)),
        (par(request(URL), delay(5)), reply(wait(1)), ("SUCCEEDED", 5.0)),
        (box(0.9, request(URL)), reply(wait(1)), ("SUCCEEDED", 0.9)),
        (box(0.1, request(URL)), reply(wait(1)), ("SUCCEEDED", 0.1)),
        (sel(request(URL), delay(4)), reply(wait(1, False)), ("SUCCEEDED", 5.2)),
        (request(URL), '{"type": "stop"}', ("STOPPED", 0.2)),
        (par(request(URL), delay(5)), '{"type": "stop"}', ("STOPPED", 0.2)),
    ],
)
def test_ends_as_the_fetched_tree(root, answer, expected):
    assert outcome(root, replies={URL: answer}) == expected


@pytest.mark.parametrize("root", [request(URL), par(request(URL), delay(5))])
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("{", "REPLY_REJECTED: "),
        ('{"type": "dance"}', "REPLY_REJECTED: /type: UNKNOWN_TYPE"),
        ('{"type": "body", "action": "FLY"}', "REPLY_REJECTED: /action: UNKNOWN_ACTION"),
        ('{"type": "speak", "content": "hi"}', "REPLY_REJECTED: : UNRESOLVED_SPEAK"),
        ("[" * 100_000, "REPLY_REJECTED: "),
    ],
)
def test_a_reply_that_cannot_be_run_is_a_failure(root, answer, reason):
    last = lines(root, replies={URL: answer})[-1]
    assert (last["outcome"], last["t"]) == ("FAILED", 0.2)
    assert last["reason"].startswith(reason)


def test_without_a_reply_it_fails():
    last = lines(seq(delay(1), request(URL)))[-1]
    assert (last["outcome"], last["t"], last["node"]) == ("FAILED", 1.2, "/1")
    assert "--reply" in last["reason"]


def test_a_halted_fetch_is_canceled():
    stage = VirtualRun(par(request(URL), delay(0.1), succeed_on_one=True))
    stage.to(0.1, step=0.05)
    assert stage.ended == ("SUCCEEDED", 0.1)
    assert stage.requests.next_time() == float("inf")


def test_a_halt_waits_for_the_fetch_to_be_given_up():
    class Slow(VirtualRequests):
        def report(self, request_id):
            return FetchReport(request_id, FetchStatus.RUNNING)

    stage = VirtualRun(par(request(URL), delay(1), succeed_on_one=True), requests=Slow({}))
    stage.to(2.9)
    assert stage.ended is None
    stage.tick(3.0)
    assert stage.ended == ("SUCCEEDED", 3.0)


FINITE = (
    (request(URL), "", True),
    (seq(delay(1), request(URL)), "/1", True),
    (seq(request(URL), delay(1)), "/0", False),
    (seq(delay(1), seq(request(URL))), "/1/0", True),
    (seq(request(URL), succeed_on_one=True), "/0", False),  # others of its policies would change the result
    (seq(request(URL), fail_on_all=True), "/0", False),
    (sel(fail(1), request(URL)), "/1", True),
    (loop(1, request(URL)), "/0", True),
    (loop(2, request(URL)), "/0", False),
    (forever(request(URL)), "/0", False),
    (box(9, request(URL)), "/0", False),
    (par(request(URL)), "/0", False),
)


@pytest.mark.parametrize(("root", "pointer", "tail"), FINITE)
def test_tail_position(root, pointer, tail):
    stage = VirtualRun(root, requests=VirtualRequests({URL: reply(wait(9))}))
    stage.to(4.0, step=0.1)
    assert stage.seen("replaced") == ([f"replaced {pointer}"] if tail else [])
    assert stage.run.active()[0].document == (1 if tail else 0)


def test_the_last_iteration_of_a_loop_is_in_tail_position():
    stage = VirtualRun(loop(3, seq(delay(1), request(URL))), requests=VirtualRequests({URL: reply(wait(1))}))
    stage.to_end(0.1)
    assert stage.seen("replaced") == ["replaced /0/1"]
    assert stage.ended == ("SUCCEEDED", 6.6)


def test_replacements_are_half_a_second_apart():
    seen = lines(request(URL), replies={URL: json.dumps(NEXT)}, until=10.0)
    times = [line["t"] for line in seen if line.get("event") == "replaced"]
    assert times[0] == 0.2  # the first is not kept waiting
    gaps = [b - a for a, b in pairwise(times)]
    assert min(gaps) >= 0.5
    assert len(times) == 15  # then every 0.5 s + 0.2 s of fetching
    assert seen[-1]["outcome"] == "ERROR"


def live_nodes():
    gc.collect()
    return sum(isinstance(thing, Node) for thing in gc.get_objects())


def test_five_thousand_documents_in_constant_memory():
    class Prompt(VirtualRequests):
        """Replies at once."""

        def start(self, request_id, url, read):
            self._fetches[request_id] = (self._now, url)

    song = {"type": "body", "action": "HEAD_SHAKE", "duration": 0.6}
    stage = VirtualRun(request(URL), requests=Prompt({URL: reply(song, NEXT)}))
    counts = {}
    links, now = 0, 0.0
    while links < 5000:
        stage.tick(now)
        links += len(stage.seen("replaced"))
        stage.events.clear()
        now += 0.3
        if links in (100, 2500, 5000) and links not in counts:
            counts[links] = live_nodes()
    assert max(counts.values()) - min(counts.values()) <= 3  # one document more or less
    assert len(stage.skills._motions) <= 1
    assert stage.run.documents.count == 5001


def test_nested_documents_are_limited():
    nested = json.dumps({"type": "parallel", "behaviors": [NEXT, wait(60)]})
    last = lines(par(request(URL)), replies={URL: nested})[-1]
    assert last["outcome"] == "FAILED"
    assert last["t"] == pytest.approx(9 * 0.2)
    assert last["reason"] == "REQUEST_NESTING: 8 fetched documents are inside each other already"


def test_depth_counts_across_nested_documents():
    deep = wait(1)
    for _ in range(60):
        deep = {"type": "sequence", "behaviors": [deep]}
    deep_request = NEXT
    for _ in range(59):
        deep_request = {"type": "parallel", "behaviors": [deep_request]}
    last = lines(par(request(URL)), replies={URL: json.dumps(deep_request)})[-1]
    assert last["outcome"] == "FAILED"
    assert "TOO_DEEP" in last["reason"]


def test_an_iteration_leaves_no_tree_behind():
    stage = VirtualRun(
        forever(seq(request(URL), body(slot=0.5))), requests=VirtualRequests({URL: reply(wait(0.1))})
    )
    stage.to(10.0, step=0.1)
    early = live_nodes()
    stage.to(60.0, step=0.1)
    assert live_nodes() <= early + 3


@pytest.mark.parametrize(
    ("root", "depth", "tail"), [(par(seq(request(URL))), 3, False), (request(URL), 1, True)]
)
def test_place_in_the_tree(root, depth, tail):
    with pytest.raises(StopIteration) as done:
        next(build_in_slices(Loaded(document(root)), VirtualRun(root).run._context))
    leaf = done.value.value
    while leaf.children:
        leaf = leaf.children[0]
    assert isinstance(leaf, Request)
    assert depth_of(leaf) == depth
    assert in_tail_position(leaf) is tail
