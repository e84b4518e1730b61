# SPDX-License-Identifier: Apache-2.0
"""Subtrees are put in place when a document is read, and a document that is too old is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.bml import Limits, check, read, to_data
from embodiment_bridge.bml.base.conditions import Compare
from embodiment_bridge.bml.reading.envelope import age_refusal, time_of
from embodiment_bridge.bml.reading.reader import metadata_of

WAIT = {"type": "delay", "duration": "${seconds}"}
GREET = {
    "type": "sequence",
    "behaviors": [
        {"type": "speak", "content": "${who}", "condition": {"key": "mood", "op": "==", "value": "${mood}"}},
        {"type": "speak", "content": "hello ${who}"},
        {**WAIT, "return": "${good}"},
    ],
}


def call(ref, **args):
    return {"type": "subtree", "ref": ref, "args": args} if args else {"type": "subtree", "ref": ref}


def reading(value, strict=True, limits=None, **table):
    texts = {name: text if isinstance(text, str) else json.dumps(text) for name, text in table.items()}
    return read(json.dumps(value), strict=strict, limits=limits or Limits(), subtrees=texts)


def found(result):
    return [(p.pointer, p.code) for p in result.problems]


def test_arguments_replace_whole_texts_of_any_type():
    value = {"type": "sequence", "behaviors": [call("greet", who="Eve", mood=True, seconds=2, good=False)]}
    result = reading(value, greet=GREET)
    assert result.problems == []
    inside = result.document.root.children[0].child
    guard, speak, delay = inside.children
    assert guard.condition == Compare("mood", "==", True)
    assert guard.child.content == "Eve"
    assert speak.content == "hello ${who}"
    assert (delay.duration_s, delay.succeed) == (2.0, False)
    assert delay.pointer == "/behaviors/0#greet/behaviors/2"


def test_subtree_is_written_as_its_name_and_comes_back_equal():
    value = {**call("x", seconds=1), "name": "n", "loop": 2, "timeout": 5}
    result = reading(value, x=WAIT)
    assert to_data(result.document) == value
    assert reading(to_data(result.document), x=WAIT) == result


def test_arguments_are_handed_on_and_an_envelope_is_opened():
    outer = {"action": {"type": "loop", "loop": 2, "behavior": call("inner", seconds="${s}")}}
    result = reading(call("outer", s=3), strict=False, outer=outer, inner=WAIT)
    assert found(result) == [("#outer", "ENVELOPE")]
    delay = result.document.root.child.child.child
    assert delay.duration_s == 3.0
    assert delay.pointer == "#outer/action/behavior#inner"


def test_arguments_reach_finally_but_not_the_document_itself():
    inner = {"type": "sequence", "behaviors": [], "finally": WAIT}
    value = {
        "type": "sequence",
        "behaviors": [call("x", seconds=1), {"type": "speak", "content": "${seconds}"}],
    }
    result = reading(value, x=inner)
    assert result.document.root.children[0].child.cleanup.duration_s == 1.0
    assert result.document.root.children[1].content == "${seconds}"


ERRORS = [
    (call("greeet"), {"greet": GREET}, "/ref", "UNKNOWN_SUBTREE"),
    (call("x"), {"x": WAIT}, "#x/duration", "MISSING_ARGUMENT"),
    (call("x", seconds="2"), {"x": WAIT}, "#x/duration", "WRONG_TYPE"),
    (call("x"), {"x": call("x")}, "#x/ref", "SUBTREE_CYCLE"),
    (call("x"), {"x": call("y"), "y": call("x")}, "#x#y/ref", "SUBTREE_CYCLE"),
    (call("x"), {"x": "{"}, "#x", "NOT_JSON"),
    (call("x"), {"x": '{"type":"delay","duration":NaN}'}, "#x/duration", "NOT_FINITE"),
    (call("x"), {"x": '{"type":"delay","type":"delay","duration":1}'}, "#x/type", "DUPLICATE_KEY"),
    (call("x"), {"x": [1]}, "#x", "WRONG_TYPE"),
    (call("x"), {"x": {"type": "loop", "behavior": WAIT, "loop": "${n}"}}, "#x/loop", "MISSING_ARGUMENT"),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("value", "table", "pointer", "code"), ERRORS)
def test_bad_subtree(value, table, pointer, code, strict):
    result = reading(value, strict=strict, **table)
    assert result.document is None
    assert (pointer, code, True) in [(p.pointer, p.code, p.fatal) for p in result.problems]


def test_a_name_that_makes_pointers_too_long_is_refused():
    assert found(reading(call("x"), limits=Limits(max_pointer=0), x=WAIT)) == [("", "TOO_LONG")]


def test_arguments_are_replaced_inside_of_keys_that_are_only_kept():
    result = reading(
        call("x", who="me"), strict=False, x={"type": "delay", "duration": 1, "note": [["${who}"]]}
    )
    assert result.document.root.child.extra == {"note": [["me"]]}


def test_a_bad_text_is_told_once_where_it_is_first_wanted():
    value = {"type": "sequence", "behaviors": [call("x"), call("x")]}
    assert found(reading(value, x="{")) == [("/behaviors/0#x", "NOT_JSON")]


def test_names_are_escaped_in_pointers():
    result = read(
        json.dumps(call("package://a/b")), subtrees={"package://a/b": '{"type":"delay","duration":-1}'}
    )
    assert found(result) == [("#package:~1~1a~1b/duration", "OUT_OF_RANGE")]


def test_doubling_is_bounded_by_the_number_of_nodes():
    table = {
        f"d{i}": {"type": "sequence", "behaviors": [call(f"d{i + 1}"), call(f"d{i + 1}")]} for i in range(25)
    }
    result = reading(call("d0"), d25={"type": "stop"}, **table)
    assert "TOO_MANY_NODES" in [code for _, code in found(result)]


def test_expanded_text_is_bounded():
    bulky = {"type": "delay", "duration": 1, "name": "n" * 150}
    value = {"type": "sequence", "behaviors": [call("x")] * 50}
    limits = Limits(max_expanded_bytes=5000)
    codes = [code for _, code in found(reading(value, limits=limits, x=bulky))]
    assert codes
    assert set(codes) == {"TOO_LARGE"}


def test_depth_counts_through_subtrees():
    table = {f"d{i}": call(f"d{i + 1}") for i in range(70)}
    assert [code for _, code in found(reading(call("d0"), d70={"type": "stop"}, **table))] == ["TOO_DEEP"]


def test_problems_against_a_body_are_told_inside():
    result = reading(call("x"), x={"type": "body", "action": "FLY"})
    assert [(p.pointer, p.code) for p in check(result.document, {})] == [("#x/action", "UNKNOWN_ACTION")]


SAY = {"type": "speak", "content": "hi"}
OPEN = [
    ({**SAY, "content": "${who}"}, {"/content": "who"}),
    ({**SAY, "content": "to ${who}", "name": "${n}", "unknown": "${u}"}, {}),
    ({"type": "sequence", "behaviors": [SAY, {**SAY, "voice": "${v}"}]}, {"/behaviors/1/voice": "v"}),
    ({**SAY, "condition": {"key": "k", "op": "in", "value": [1, "${a}"]}}, {"/condition/value/1": "a"}),
    ({"type": "body", "action": "WALK", "parameters": {"to": "${p}", "x": 1}}, {"/parameters/to": "p"}),
    ({"type": "subtree", "ref": "x", "args": {"a": "${b}"}}, {"/args/a": "b"}),
]


@pytest.mark.parametrize(("value", "open_"), OPEN)
def test_arguments_outside_of_a_subtree_are_told_when_the_document_is_checked(value, open_):
    document = read(json.dumps(value), subtrees={"x": json.dumps(SAY)}).document
    assert document.arguments == open_
    found = check(document, {}, speech=True, skip_unknown=True)
    assert [p.pointer for p in found if p.code == "OPEN_PARAMETER"] == list(open_)
    assert all(p.fatal and repr(open_[p.pointer]) in p.message for p in found if p.code == "OPEN_PARAMETER")


NOON = 1515405600.0  # 2018-01-08 10:00:00 UTC


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("20180108100000", NOON),
        ("2018-01-08T10:00:00", NOON),
        ("2018-01-08T10:00:00Z", NOON),
        ("2018-01-08T18:00:00+08:00", NOON),
        (1515405600, NOON),
        (1515405600.5, NOON + 0.5),
        ("20181308100000", None),
        ("yesterday", None),
        ("", None),
        (True, None),
        (None, None),
        ([], None),
        (float("nan"), None),
        (1e300, None),
        ("9" * 1000, None),
    ],
)
def test_times(value, seconds):
    assert time_of(value) == seconds


@pytest.mark.parametrize(
    ("metadata", "now", "text"),
    [
        ({"req_time": "20180108100000"}, NOON + 60.0, ""),
        ({"req_time": "20180108100000"}, NOON - 60.0, ""),
        ({"req_time": "20180108100000"}, NOON + 61.0, "61 s before now, parameter max_age allows 60 s"),
        ({"req_time": "20180108100000"}, NOON - 3600.0, "3600 s after now"),
        ({"req_time": "soon"}, NOON, "is not a time"),
        ({}, NOON, ""),
    ],
)
def test_age(metadata, now, text):
    reason = age_refusal(metadata, 60.0, now)
    assert text in reason
    assert bool(reason) == bool(text)
    assert age_refusal(metadata, 0.0, now) == ""


def test_it_can_be_required():
    assert "no req_time" in age_refusal({}, 60.0, NOON, required=True)
    assert age_refusal({}, 0.0, NOON, required=True) == ""


@given(
    st.one_of(
        st.text(), st.floats(), st.integers(), st.lists(st.none()), st.dictionaries(st.text(), st.none())
    )
)
def test_any_value_gets_an_answer(value):
    assert isinstance(age_refusal({"req_time": value}, 60.0, NOON), str)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ('{"action": {"type": "delay"}, "req_time": "20180108100000"}', "20180108100000"),
        (
            '{"action": {"type": "subtree", "ref": "nobody knows"}, "req_time": 1}',
            1,
        ),  # cannot be run, but has its time
        ('{"type": "delay", "duration": 1}', None),
        ("{", None),
        ("[" * 100_000, None),
        ("[]", None),
    ],
)
def test_metadata_of_any_text(text, time):
    assert metadata_of(text).get("req_time") == time
