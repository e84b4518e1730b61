# SPDX-License-Identifier: Apache-2.0
"""``wait_until``: read, written, judged by the schema, estimated, drawn and run."""

import json
from math import inf

import jsonschema
import pytest
from virtual_run import VirtualRun

from embodiment_bridge.bml import Estimate, analyse, read, to_data
from embodiment_bridge.bml.authoring import show
from embodiment_bridge.bml.authoring.json_form import schema
from embodiment_bridge.bml.base.conditions import Compare
from embodiment_bridge.bml.nodes.leaves import WaitUntil

UNTIL = {"key": "ready", "op": "==", "value": True}
PLAIN = {"type": "wait_until", "until": UNTIL}
TIMED = PLAIN | {"timeout": 3}
VALIDATOR = jsonschema.Draft202012Validator(schema())


def strict(value, **options):
    return read(json.dumps(value), strict=True, **options)


def test_it_is_read_with_its_defaults():
    root = strict(TIMED | {"name": "w"}).document.root
    until = Compare("ready", "==", True)
    assert root == WaitUntil(pointer="", name="w", until=until, timeout_s=3.0, succeed=False)
    assert strict(PLAIN).document.root.timeout_s is None


@pytest.mark.parametrize(
    "value",
    [
        PLAIN,
        TIMED,
        TIMED | {"return": True, "loop": 2, "duration": 9, "condition": UNTIL},
        {"type": "parallel", "behaviors": [{"type": "sequence", "behaviors": [TIMED], "timeout": 2}]},
    ],
)
def test_it_is_written_as_it_was_read(value):
    assert VALIDATOR.is_valid(value)
    assert to_data(strict(value).document) == value


@pytest.mark.parametrize(
    ("value", "pointer", "code"),
    [
        ({"type": "wait_until"}, "", "MISSING_KEY"),
        (PLAIN | {"until": True}, "/until", "WRONG_TYPE"),
        (PLAIN | {"until": {"key": "1", "op": "exists"}}, "/until/key", "BAD_KEY"),
        (PLAIN | {"timeout": 0}, "/timeout", "OUT_OF_RANGE"),
        (PLAIN | {"return": "no"}, "/return", "WRONG_TYPE"),
        (PLAIN | {"finally": PLAIN}, "/finally", "UNSUPPORTED_EXTENSION"),
        (PLAIN | {"unitl": 1}, "/unitl", "UNKNOWN_KEY"),
    ],
)
def test_bad_one(value, pointer, code):
    assert not VALIDATOR.is_valid(value)
    assert [(p.pointer, p.code) for p in strict(value).problems] == [(pointer, code)]


def test_arguments_of_a_subtree_reach_the_condition():
    inner = PLAIN | {"until": UNTIL | {"key": "${what}"}, "timeout": "${s}"}
    outer = {"type": "subtree", "ref": "wait", "args": {"what": "door", "s": 2}}
    node = strict(outer, subtrees={"wait": json.dumps(inner)}).document.root.child
    assert (node.until.key, node.timeout_s) == ("door", 2.0)


@pytest.mark.parametrize(("value", "longest"), [(PLAIN, inf), (TIMED, 3.0)])
def test_estimate(value, longest):
    assert analyse(strict(value).document, {}).estimates[""] == Estimate(0.0, None, longest, False)


@pytest.mark.parametrize(("returned", "blocked"), [(False, 0), (True, 1)])
def test_what_cannot_follow_is_told(returned, blocked):
    value = {"type": "selector", "behaviors": [TIMED | {"return": returned}, PLAIN]}
    codes = [problem.code for problem in analyse(strict(value).document, {}).warnings]
    assert codes.count("UNREACHABLE") == blocked


def test_it_is_drawn():
    assert show.to_text(strict(TIMED).document) == "wait_until ready == True, at most 3 s\n"


def test_it_waits_for_the_value():
    stage = VirtualRun(
        json.dumps({"type": "sequence", "behaviors": [PLAIN, {"type": "delay", "duration": 1}]})
    )
    stage.to(2.0)
    assert stage.ended is None
    stage.board.write("ready", True)
    stage.to(2.5)
    stage.to(3.5)
    assert stage.ended == ("SUCCEEDED", 3.5)


def test_what_is_met_already_takes_no_time():
    stage = VirtualRun(json.dumps(PLAIN), board={"ready": True})
    stage.tick(0.0)
    assert stage.ended == ("SUCCEEDED", 0.0)


@pytest.mark.parametrize(("returned", "outcome"), [(False, "FAILED"), (True, "SUCCEEDED")])
def test_time_out(returned, outcome):
    stage = VirtualRun(json.dumps(TIMED | {"return": returned}))
    stage.to(3.0)
    assert stage.ended == (outcome, 3.0)
    (event,) = (e for e in stage.events if e.event in ("success", "failure"))
    assert event.message == "TIMEOUT: not met after 3 s: ready == True"


def test_met_too_late_is_not_met():
    stage = VirtualRun(json.dumps(TIMED))
    stage.to(2.5)
    stage.board.write("ready", True)
    stage.tick(3.25)
    assert stage.ended == ("FAILED", 3.0)


def test_met_in_the_tick_of_the_time_out_is_met():
    stage = VirtualRun(json.dumps(TIMED))
    stage.to(2.5)
    stage.board.write("ready", True)
    stage.tick(3.0)
    assert stage.ended == ("SUCCEEDED", 3.0)


def test_a_branch_waits_for_another_one():
    put = {
        "type": "sequence",
        "behaviors": [{"type": "delay", "duration": 2}, {"type": "set", "key": "ready", "value": True}],
    }
    stage = VirtualRun(json.dumps({"type": "parallel", "behaviors": [PLAIN, put]}))
    stage.to_end(0.5)
    assert stage.ended[0] == "SUCCEEDED"


def test_it_is_halted_while_it_waits():
    stage = VirtualRun(json.dumps(PLAIN))
    stage.to(1.0)
    stage.run.cancel()
    assert stage.ended == ("CANCELED", 1.0)
