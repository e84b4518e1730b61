# SPDX-License-Identifier: Apache-2.0
"""Every way in which the nodes of a document can be bad: an error at its place in either mode, of a listed code."""

import ast
import json
import re
from pathlib import Path

import pytest
from bml_documents import resolves

import embodiment_bridge.bml as bml
from embodiment_bridge.bml import Limits, read
from embodiment_bridge.bml.base.problems import CODES, HINTS, Problems, short
from embodiment_bridge.core.errors import unknown

WAIT = {"type": "delay", "duration": 1}
PLAY = {"type": "player", "action": "play", "url": "http://a.example/a"}
BODY = {"type": "body", "action": "RESET"}
SPEAK = {"type": "speak", "content": "hi"}
SEQUENCE = {"type": "sequence", "behaviors": [WAIT]}
SELECTOR = {"type": "selector", "behaviors": [WAIT]}
IS = {"key": "a", "op": "==", "value": 1}

ERRORS = [
    # What a node is.
    (None, "", "WRONG_TYPE"),
    (True, "", "WRONG_TYPE"),
    (7, "", "WRONG_TYPE"),
    ("sequence", "", "WRONG_TYPE"),
    ([], "", "WRONG_TYPE"),
    ([WAIT], "", "WRONG_TYPE"),
    ({}, "", "MISSING_TYPE"),
    ({"type": "sequence", "behaviors": [3]}, "/behaviors/0", "WRONG_TYPE"),
    ({"type": "loop", "loop": 2, "behavior": [WAIT]}, "/behavior", "WRONG_TYPE"),
    # Types.
    ({"type": 3}, "/type", "WRONG_TYPE"),
    ({"type": None}, "/type", "WRONG_TYPE"),
    ({"type": ["sequence"]}, "/type", "WRONG_TYPE"),
    ({"type": ""}, "/type", "UNKNOWN_TYPE"),
    ({"type": "dance"}, "/type", "UNKNOWN_TYPE"),
    ({"type": "behavior"}, "/type", "UNKNOWN_TYPE"),
    # Children.
    ({"type": "sequence"}, "", "MISSING_KEY"),
    ({"type": "sequence", "behavior": WAIT}, "", "MISSING_KEY"),
    ({"type": "sequence", "behaviors": 3}, "/behaviors", "WRONG_TYPE"),
    ({"type": "sequence", "behaviors": None}, "/behaviors", "WRONG_TYPE"),
    ({"type": "sequence", "behaviors": {"a": WAIT, "b": 3}}, "/behaviors", "WRONG_TYPE"),
    ({"type": "sequence", "behaviors": {"n" * 201: WAIT}}, "/behaviors", "TOO_LONG"),
    ({"type": "sequence", "behaviors": [WAIT], "children": [WAIT]}, "", "BOTH_CHILD_KEYS"),
    ({"type": "loop", "loop": 2}, "", "MISSING_KEY"),
    ({"type": "loop", "loop": 2, "behavior": WAIT, "behaviors": [WAIT]}, "", "BOTH_CHILD_KEYS"),
    # Keys of all nodes.
    ({**WAIT, "name": 3}, "/name", "WRONG_TYPE"),
    ({**WAIT, "name": "n" * 201}, "/name", "TOO_LONG"),
    ({**WAIT, "loop": "2"}, "/loop", "WRONG_TYPE"),
    ({**WAIT, "loop": True}, "/loop", "WRONG_TYPE"),
    ({**WAIT, "loop": None}, "/loop", "WRONG_TYPE"),
    ({**WAIT, "loop": 1.5}, "/loop", "WRONG_TYPE"),
    ({**WAIT, "loop": -2}, "/loop", "OUT_OF_RANGE"),
    ({**WAIT, "loop": 10**9 + 1}, "/loop", "OUT_OF_RANGE"),
    ({**WAIT, "loop": 10**300}, "/loop", "OUT_OF_RANGE"),
    ({**WAIT, "repeat": -2}, "/repeat", "OUT_OF_RANGE"),
    ({**WAIT, "retry": 0}, "/retry", "OUT_OF_RANGE"),
    ({**WAIT, "retry": True}, "/retry", "WRONG_TYPE"),
    ({**WAIT, "loop": 2, "repeat": 3}, "/repeat", "LOOP_AND_REPEAT"),
    ({**BODY, "duration": "1"}, "/duration", "WRONG_TYPE"),
    ({**BODY, "duration": True}, "/duration", "WRONG_TYPE"),
    ({**BODY, "duration": -0.1}, "/duration", "OUT_OF_RANGE"),
    ({**BODY, "duration": 86401}, "/duration", "OUT_OF_RANGE"),
    ({**BODY, "duration": 10**399}, "/duration", "OUT_OF_RANGE"),
    # Policies.
    ({**SEQUENCE, "successPolicy": 1}, "/successPolicy", "WRONG_TYPE"),
    ({**SEQUENCE, "successPolicy": "FailOnOne"}, "/successPolicy", "UNKNOWN_POLICY"),
    ({**SEQUENCE, "failurePolicy": "SucceedOnAll"}, "/failurePolicy", "UNKNOWN_POLICY"),
    ({**SEQUENCE, "failurePolicy": ""}, "/failurePolicy", "UNKNOWN_POLICY"),
    # Time-outs, clean-ups, choices.
    ({**WAIT, "timeout": 0}, "/timeout", "OUT_OF_RANGE"),
    ({**WAIT, "timeout": "1"}, "/timeout", "WRONG_TYPE"),
    ({**WAIT, "finally": WAIT}, "/finally", "UNSUPPORTED_EXTENSION"),
    ({**SEQUENCE, "finally": 3}, "/finally", "WRONG_TYPE"),
    ({**SEQUENCE, "finally": {"type": "x"}}, "/finally/type", "UNKNOWN_TYPE"),
    ({"type": "x", "finally": {"type": "delay", "duration": -1}}, "/finally/duration", "OUT_OF_RANGE"),
    ({"type": "loop", "loop": 2, "behavior": WAIT, "finally": []}, "/finally", "WRONG_TYPE"),
    ({**SELECTOR, "reactive": "maybe"}, "/reactive", "WRONG_TYPE"),
    ({**SELECTOR, "random": 2}, "/random", "WRONG_TYPE"),
    ({**SELECTOR, "random": True, "reactive": True}, "", "REACTIVE_AND_RANDOM"),
    ({**SELECTOR, "weights": [1]}, "", "MISSING_KEY"),
    ({**SELECTOR, "random": True, "weights": 1}, "/weights", "WRONG_TYPE"),
    ({**SELECTOR, "random": True, "weights": [0]}, "/weights/0", "BAD_WEIGHTS"),
    ({**SELECTOR, "random": True, "weights": ["1"]}, "/weights/0", "BAD_WEIGHTS"),
    # Conditions.
    *[
        ({**WAIT, "condition": condition}, "/condition" + pointer, code)
        for condition, pointer, code in (
            (True, "", "WRONG_TYPE"),
            ("battery > 3", "", "WRONG_TYPE"),
            ({}, "", "MISSING_KEY"),
            ({"key": "a", "value": 1}, "", "MISSING_KEY"),
            ({"key": "a", "op": "=="}, "", "MISSING_KEY"),
            ({"op": "==", "value": 1}, "", "MISSING_KEY"),
            ({**IS, "key": "1a"}, "/key", "BAD_KEY"),
            ({**IS, "key": "a\n"}, "/key", "BAD_KEY"),
            ({**IS, "key": 3}, "/key", "WRONG_TYPE"),
            ({**IS, "op": "="}, "/op", "UNKNOWN_OPERATOR"),
            ({**IS, "op": None}, "/op", "WRONG_TYPE"),
            ({**IS, "value": {}}, "/value", "WRONG_TYPE"),
            ({**IS, "value": 2**53 + 1}, "/value", "OUT_OF_RANGE"),
            ({**IS, "value": "v" * 4001}, "/value", "TOO_LONG"),
            ({**IS, "op": "exists", "value": "yes"}, "/value", "WRONG_TYPE"),
            ({**IS, "op": "in"}, "/value", "WRONG_TYPE"),
            ({**IS, "op": "in", "value": []}, "/value", "WRONG_TYPE"),
            ({**IS, "op": "in", "value": [1, []]}, "/value/1", "WRONG_TYPE"),
            ({**IS, "eval": "1"}, "/eval", "UNKNOWN_CONDITION_KEY"),
            ({"all": IS}, "/all", "WRONG_TYPE"),
            ({"any": []}, "/any", "WRONG_TYPE"),
            ({"not": [IS]}, "/not", "WRONG_TYPE"),
            ({"all": [IS], "key": "a"}, "/key", "UNKNOWN_CONDITION_KEY"),
            ({"all": [IS], "any": [IS]}, "/any", "UNKNOWN_CONDITION_KEY"),
            ({"all": [IS, 3]}, "/all/1", "WRONG_TYPE"),
        )
    ],
    # Leaves.
    ({"type": "set", "key": "a"}, "", "MISSING_KEY"),
    ({"type": "set", "value": 1}, "", "MISSING_KEY"),
    ({"type": "set", "key": "", "value": 1}, "/key", "EMPTY_TEXT"),
    ({"type": "set", "key": "a b", "value": 1}, "/key", "BAD_KEY"),
    ({"type": "set", "key": "a", "value": [1]}, "/value", "WRONG_TYPE"),
    ({"type": "subtree"}, "", "MISSING_KEY"),
    ({"type": "subtree", "ref": 3}, "/ref", "WRONG_TYPE"),
    ({"type": "subtree", "ref": "r", "args": [1]}, "/args", "WRONG_TYPE"),
    ({"type": "subtree", "ref": "r", "args": {"a b": 1}}, "/args", "BAD_ARGUMENT"),
    ({"type": "subtree", "ref": "r", "args": {"a": {}}}, "/args/a", "WRONG_TYPE"),
    ({"type": "subtree", "ref": "r", "args": {f"a{i}": i for i in range(51)}}, "/args", "BAD_ARGUMENT"),
    ({**WAIT, "return": "yes"}, "/return", "WRONG_TYPE"),
    ({**WAIT, "return": 2}, "/return", "WRONG_TYPE"),
    ({**WAIT, "return": None}, "/return", "WRONG_TYPE"),
    ({"type": "body"}, "", "MISSING_KEY"),
    ({"type": "body", "action": ""}, "/action", "EMPTY_TEXT"),
    ({"type": "body", "action": 3}, "/action", "WRONG_TYPE"),
    ({"type": "body", "action": "3D"}, "/action", "BAD_ACTION"),
    ({"type": "body", "action": "EYE RED!"}, "/action", "BAD_ACTION"),
    ({"type": "body", "action": "RESET\n"}, "/action", "BAD_ACTION"),
    ({"type": "body", "action": "重置"}, "/action", "BAD_ACTION"),
    ({"type": "body", "action": "A" * 65}, "/action", "BAD_ACTION"),
    ({"type": "body", "action": "A" * 4001}, "/action", "TOO_LONG"),
    ({**BODY, "intensity": 1.1}, "/intensity", "OUT_OF_RANGE"),
    ({**BODY, "intensity": "1"}, "/intensity", "WRONG_TYPE"),
    ({**BODY, "parameters": [1]}, "/parameters", "WRONG_TYPE"),
    ({**BODY, "parameters": {str(i): 1 for i in range(51)}}, "/parameters", "TOO_LONG"),
    ({**BODY, "parameters": {"a": True}}, "/parameters/a", "WRONG_TYPE"),
    ({**BODY, "parameters": {"a": None}}, "/parameters/a", "WRONG_TYPE"),
    ({**BODY, "parameters": {"a": 10**400}}, "/parameters/a", "NOT_FINITE"),
    ({**BODY, "parameters": {"a": "x" * 4001}}, "/parameters/a", "TOO_LONG"),
    ({"type": "emotion"}, "", "MISSING_KEY"),
    ({"type": "player"}, "", "MISSING_KEY"),
    ({"type": "player", "action": "plya"}, "/action", "UNKNOWN_ACTION"),
    ({"type": "player", "action": "play"}, "", "MISSING_KEY"),
    ({"type": "player", "action": "setVolume"}, "", "MISSING_KEY"),
    ({**PLAY, "url": ""}, "/url", "EMPTY_TEXT"),
    ({**PLAY, "url": 3}, "/url", "WRONG_TYPE"),
    ({**PLAY, "url": "http://a.example/" + "a" * 2048}, "/url", "TOO_LONG"),
    ({**PLAY, "volume": 101}, "/volume", "OUT_OF_RANGE"),
    ({**PLAY, "volume": -1}, "/volume", "OUT_OF_RANGE"),
    ({**PLAY, "volume": "50"}, "/volume", "WRONG_TYPE"),
    ({**PLAY, "content": "c" * 4001}, "/content", "TOO_LONG"),
    ({"type": "request"}, "", "MISSING_KEY"),
    ({"type": "request", "url": ""}, "/url", "EMPTY_TEXT"),
    ({"type": "stop", "target": ""}, "/target", "EMPTY_TEXT"),
    ({"type": "stop", "target": 3}, "/target", "WRONG_TYPE"),
    ({"type": "speak"}, "", "MISSING_KEY"),
    ({"type": "speak", "content": ""}, "/content", "EMPTY_TEXT"),
    ({"type": "speak", "content": "c" * 4001}, "/content", "TOO_LONG"),
    ({**SPEAK, "voice": 3}, "/voice", "WRONG_TYPE"),
    ({**SPEAK, "language": "l" * 201}, "/language", "TOO_LONG"),
    ({**SPEAK, "rate": 0}, "/rate", "OUT_OF_RANGE"),
    ({**SPEAK, "rate": 11}, "/rate", "OUT_OF_RANGE"),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("given", "pointer", "code"), ERRORS)
def test_bad_node(given, pointer, code, strict):
    result = read(json.dumps(given), strict=strict)
    assert result.document is None
    assert (pointer, code, True) in [(p.pointer, p.code, p.fatal) for p in result.problems]
    assert resolves(pointer, given)


@pytest.mark.parametrize("given", [{"action": WAIT, "suspendable": "maybe"}, {"action": WAIT, "name": 3}])
def test_bad_envelope(given):
    result = read(json.dumps(given))
    assert result.document is None
    assert "WRONG_TYPE" in [p.code for p in result.problems]


def test_object_that_is_node_and_envelope_is_a_node():
    result = read(json.dumps({"type": "body", "action": WAIT}))
    assert [(p.pointer, p.code) for p in result.problems] == [("/action", "WRONG_TYPE")]


def test_all_errors_are_told_at_once_in_text_order():
    bad = {**WAIT, "duration": -1}
    value = {
        "type": "sequense",
        "behaviors": [
            bad,
            {"type": "loop", "loop": 2, "behavior": {"type": "body"}},
            {"type": "x", "behavior": bad},
        ],
    }
    assert [(p.pointer, p.code) for p in read(json.dumps(value)).problems] == [
        ("/type", "UNKNOWN_TYPE"),
        ("/behaviors/0/duration", "OUT_OF_RANGE"),
        ("/behaviors/1/behavior", "MISSING_KEY"),
        ("/behaviors/2/type", "UNKNOWN_TYPE"),
        ("/behaviors/2/behavior/duration", "OUT_OF_RANGE"),
    ]


def nested(levels):
    value = WAIT
    for _ in range(levels - 1):
        value = {"type": "sequence", "behaviors": [value]}
    return json.dumps(value)


def test_depth_of_nodes_is_limited():
    assert read(nested(64)).document is not None
    result = read(nested(65))
    assert [(p.pointer, p.code) for p in result.problems] == [("/behaviors/0" * 64, "TOO_DEEP")]


def test_number_of_children_is_limited():
    value = {"type": "sequence", "behaviors": [WAIT] * 1000}
    assert read(json.dumps(value)).document is not None
    value["behaviors"].append(WAIT)
    result = read(json.dumps(value))
    assert [(p.pointer, p.code) for p in result.problems] == [("/behaviors", "TOO_MANY_CHILDREN")]


def test_keys_of_a_single_child_are_not_children():
    value = {"type": "sequence", "behaviors": {**WAIT, "name": "three keys"}}
    assert read(json.dumps(value), limits=Limits(max_children=2)).document is not None


def test_number_of_nodes_is_limited():
    limits = Limits(max_nodes=5)
    value = {"type": "sequence", "behaviors": [WAIT] * 4}
    assert read(json.dumps(value), limits=limits).document is not None
    value["behaviors"].append(WAIT)
    result = read(json.dumps(value), limits=limits)
    assert [(p.pointer, p.code) for p in result.problems] == [("/behaviors/4", "TOO_MANY_NODES")]


def test_names_on_the_way_cannot_make_pointers_long():
    value = WAIT
    for _ in range(12):
        value = {"type": "sequence", "behaviors": {"n" * 200: value}}
    result = read(json.dumps(value))
    assert "TOO_LONG" in [p.code for p in result.problems]
    assert max(len(p.pointer) for p in result.problems) <= 2048 + len("/behaviors")


def test_problems_beyond_the_limit_are_counted():
    value = {"type": "sequence", "behaviors": [{**WAIT, "a": 1, "b": 2} for _ in range(4)]}
    result = read(json.dumps(value), limits=Limits(max_problems=5))
    assert len(result.problems) == 6
    assert str(result.problems[-1]) == ": MORE_PROBLEMS: 3 more problems are not listed"
    assert not result.problems[-1].fatal
    assert result.document is not None


def test_an_error_beyond_the_limit_still_counts_as_one():
    nodes = [{**WAIT, "a": 1}, {**WAIT, "a": 1}, {"type": "x"}, {**WAIT, "a": 1}]
    value = {"type": "sequence", "behaviors": nodes}
    result = read(json.dumps(value), limits=Limits(max_problems=2))
    assert result.document is None
    assert result.problems[-1].fatal


def test_nearest_names_are_not_looked_up_without_end():
    value = {"type": "sequence", "behaviors": [{"type": f"sequence{i}"} for i in range(HINTS + 1)]}
    problems = read(json.dumps(value)).problems
    assert "did you mean" in problems[HINTS - 1].message
    assert "did you mean" not in problems[HINTS].message


def test_messages_quote_little_of_a_long_value():
    long = "x" * 100_000
    for value in (
        {"type": long},
        {**WAIT, long: 1},
        {"type": "body", "action": long},
        {**WAIT, "loop": long},
    ):
        for problem in read(json.dumps(value)).problems:
            assert len(str(problem)) < 1000


NOTES = {"error", "warning", "tolerated", "add", "Problem"}


def codes_in_use():
    """The second argument of every call that notes a problem."""
    for path in Path(bml.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or len(node.args) < 3:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in NOTES and isinstance(node.args[1], ast.Constant):
                yield node.args[1].value


def test_codes_in_use_are_the_listed_ones():
    assert set(codes_in_use()) == set(CODES)


def test_every_code_is_documented_and_no_other():
    text = (Path(__file__).parents[2] / "docs" / "bml.md").read_text()
    assert set(re.findall(r"^\| `([A-Z][A-Z0-9_]+)` \|", text, re.MULTILINE)) == set(CODES)


@pytest.mark.parametrize("strict", [False, True])
def test_tolerated_is_fatal_in_strict_mode_only(strict):
    problems = Problems(strict=strict)
    problems.warning("", "A", "doubtful")
    assert not problems.fatal
    problems.tolerated("", "B", "another form")
    assert problems.fatal == strict
    assert [p.fatal for p in problems.listing()] == [False, strict]


def test_problem_reads_as_one_line():
    problems = Problems()
    problems.error("/a/0", "CODE", "what is wrong")
    assert str(problems.listing()[0]) == "/a/0: CODE: what is wrong"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (-3, "-3"),
        (10**100, "a number of 101 characters"),
        ("a\nb", r"'a\nb'"),
        ("\ud800", r"'\ud800'"),
        ("x" * 61, "'" + "x" * 60 + "'..."),
        ([1], "an array"),
        ({"a": 1}, "an object"),
    ],
)
def test_short(value, text):
    assert short(value) == text


def test_name_with_its_words_in_another_order_is_meant_first() -> None:
    text = unknown("action", "SHAKE_HEAD", ["SHAKE_HAND", "HEAD_SHAKE"])
    assert "did you mean 'HEAD_SHAKE'?" in text
