# SPDX-License-Identifier: Apache-2.0
"""From a document to a tree, or to a clear refusal."""

import math

import py_trees
import pytest
from virtual_run import (
    VirtualRun,
    body,
    box,
    delay,
    document,
    forever,
    lines,
    loop,
    par,
    play,
    player,
    request,
    seq,
    speak,
    stop,
)

from embodiment_bridge.behaviour.engine.loading import Loaded
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.behaviour.nodes.tree_builder import MAX_NODES
from embodiment_bridge.bml.nodes.body import Body
from embodiment_bridge.bml.nodes.composite import Composite
from embodiment_bridge.bml.nodes.node import Document
from embodiment_bridge.bml.nodes.registry import kind_of, label_of


def nested(levels, node=None):
    node = node or delay(0)
    for _ in range(levels - 1):
        node = seq(node)
    return Document(node)


def rejection(root):
    stage = VirtualRun(root)
    stage.tick(0.0)
    assert stage.ended == ("REJECTED", 0.0)
    (problem,) = stage.run.problems
    assert stage.run.ending.reason == str(problem)
    assert stage.run.ending.origin.pointer == problem.pointer
    return problem


@pytest.mark.parametrize(
    ("root", "pointer", "code"),
    [
        (seq(loop(0, delay(1))), "/0", "OUT_OF_RANGE"),
        (seq(loop(-2, delay(1))), "/0", "OUT_OF_RANGE"),
        (delay(math.nan), "", "OUT_OF_RANGE"),
        (delay(-1.0), "", "OUT_OF_RANGE"),
        (box(math.inf, delay(1)), "", "OUT_OF_RANGE"),
        (body(slot=-0.5), "", "OUT_OF_RANGE"),
        (body("FLY"), "/action", "UNKNOWN_ACTION"),
        (player("rewind"), "", "UNKNOWN_ACTION"),
        (Composite(pointer="", kind="choir", children=()), "", "UNKNOWN_TYPE"),
        (play("file:///etc/passwd"), "/url", "URL_REFUSED"),
        (request("http://127.0.0.1/"), "/url", "URL_REFUSED"),
        (speak(), "", "UNRESOLVED_SPEAK"),
    ],
)
def test_what_cannot_be_run_is_rejected_where_it_stands(root, pointer, code):
    problem = rejection(root)
    assert (problem.pointer, problem.code) == (pointer, code)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"type": "dance"}', b"\xff", '{"type": "delay", "duration": NaN}']
)
def test_text_that_cannot_be_read_is_rejected(text):
    stage = VirtualRun(document(delay(0)))
    stage.run._source = text
    assert stage.tick(0.0) is RunState.ENDED
    assert stage.ended[0] == "REJECTED"
    assert stage.run.problems


def test_several_problems_are_counted():
    stage = VirtualRun(seq(body("FLY"), body("SWIM"), body("DIG")))
    stage.tick(0.0)
    assert len(stage.run.problems) == 3
    assert stage.run.ending.reason.endswith(" (and 2 more)")


def test_doubts_become_warnings():
    stage = VirtualRun('{"type": "delay", "duration": 0, "colour": 1}')
    stage.tick(0.0)
    assert stage.ended == ("SUCCEEDED", 0.0)
    assert "UNKNOWN_KEY" in stage.run.warnings[0]


def test_strict_reading():
    stage = VirtualRun('{"type": "delay", "duration": 0, "colour": 1}', strict=True)
    stage.tick(0.0)
    assert stage.ended == ("REJECTED", 0.0)


def test_the_deepest_tree_runs_and_halts():
    stage = VirtualRun(nested(256))
    stage.tick(0.0)
    assert stage.ended == ("SUCCEEDED", 0.0)
    stage = VirtualRun(nested(256, delay(9)))
    stage.tick(0.0)
    stage.run.cancel()
    assert stage.ended == ("CANCELED", 0.0)


@pytest.mark.parametrize("levels", [257, 50_000])
def test_a_deeper_one_is_rejected(levels):
    assert rejection(nested(levels)).code == "TOO_DEEP"


def test_a_document_that_uses_its_parts_again_and_again_is_rejected_in_time():
    node = delay(0)
    for _ in range(60):  # 2 ** 60 nodes when written out
        node = seq(node, node)
    stage = VirtualRun(Loaded(Document(node)))  # as if a reader had let it pass
    stage.to_end(0.02)
    assert stage.run.problems[0].code == "TOO_MANY_NODES"
    assert str(MAX_NODES) in stage.run.problems[0].message


def test_a_node_in_two_places_becomes_two_nodes():
    step = delay(1)
    stage = VirtualRun(Document(par(seq(step, step), step)))
    stage.to_end(0.5)
    assert stage.ended == ("SUCCEEDED", 2.0)


@pytest.mark.parametrize(
    ("node", "kind", "label"),
    [
        (delay(1), "delay", ""),
        (body("EYE_RED"), "body", "EYE_RED"),
        (Body(pointer="", kind="emotion", action="HAPPY"), "emotion", "HAPPY"),
        (play("http://u/song?token=secret"), "player", "play http://u/song"),
        (player("setVolume", 30.0), "player", "setVolume 30 %"),
        (request("http://u/next?key=secret"), "request", "GET http://u/next"),
        (request("http://me:secret@u/next@home#secret"), "request", "GET http://u/next@home"),
        (request("http://u#secret"), "request", "GET http://u"),
        (stop(), "stop", ""),
        (stop("song"), "stop", "target song"),
        (forever(delay(1)), "loop", ""),
        (box(1, delay(1)), "box", ""),
        (par(), "parallel", ""),
    ],
)
def test_kind_and_label(node, kind, label):
    assert (kind_of(node), label_of(node)) == (kind, label)


def test_events_name_pointer_kind_and_name():
    stage = VirtualRun(seq(body("EYE_RED", 1, name="red")))
    stage.tick(0.0)
    start = stage.events[-1]
    assert (start.event, start.status, start.t, start.message) == ("start", "RUNNING", 0.0, "EYE_RED")
    assert (start.origin.pointer, start.origin.kind, start.origin.name) == ("/0", "body", "red")


def test_active_nodes():
    stage = VirtualRun(par(seq(delay(1), delay(9)), delay(9), delay(0.5)))
    stage.to(2.0)
    assert [origin.pointer for origin in stage.run.active()] == ["", "/0", "/0/1", "/1"]
    stage.run.cancel()
    assert stage.run.active() == []


def test_viewers_of_py_trees_can_show_the_tree():
    stage = VirtualRun(par(seq(body("EYE_RED", 1)), loop(2, delay(1))))
    stage.tick(0.0)
    shown = py_trees.display.unicode_tree(stage.run.root, show_status=True)
    assert "EYE_RED" in shown
    visited = list(stage.run.root.tick())
    assert visited[-1] is stage.run.root
    assert stage.run.root.tip() is not None


def test_ticking_an_ended_tree_does_not_begin_it_again():
    stage = VirtualRun(delay(1))
    stage.tick(0.0)
    root = stage.run.root
    stage.to(1.0)
    before = len(stage.events)
    root.tick_once()
    assert root.status is py_trees.common.Status.SUCCESS
    assert len(stage.events) + len(stage.run.take_events()) == before


def test_a_rejected_document_yields_its_problems_in_a_dry_run():
    seen = lines(seq(body("FLY")))
    assert seen[0]["event"] == "problem"
    assert (seen[0]["node"], seen[0]["code"]) == ("/0/action", "UNKNOWN_ACTION")
    assert seen[-1]["outcome"] == "REJECTED"
