# SPDX-License-Identifier: Apache-2.0
"""Conditions of documents, and guards as text."""

import json

import pytest
from bml_documents import conditions, document
from hypothesis import given

from embodiment_bridge.bml import read
from embodiment_bridge.bml.base.conditions import Compare, describe, holds, to_value
from embodiment_bridge.bml.rules.operator_rules import parse_guard
from embodiment_bridge.core.errors import ConfigError

WAIT = {"type": "delay", "duration": 1}
VALUES = {"t": True, "f": False, "one": 1, "half": 0.5, "word": "b", "empty": ""}


def condition(value):
    return document({**WAIT, "condition": value}).root.condition


@pytest.mark.parametrize(
    ("key", "op", "value", "met"),
    [
        ("one", "==", 1, True),
        ("one", "==", 1.0, True),
        ("one", "==", True, False),
        ("t", "==", 1, False),
        ("t", "!=", 1, True),
        ("f", "==", False, True),
        ("word", "==", "b", True),
        ("word", "!=", "b", False),
        ("gone", "==", None, True),
        ("gone", "!=", "sad", True),
        ("gone", "==", 0, False),
        ("half", "<", 1, True),
        ("half", "<=", 0.5, True),
        ("half", ">=", 0.6, False),
        ("half", ">", 0, True),
        ("word", "<", "c", True),
        ("word", ">", "a", True),
        ("word", "<", 3, False),
        ("one", ">", "a", False),
        ("t", ">", 0, False),
        ("gone", "<", 3, False),
        ("gone", ">=", None, False),
        ("one", "in", [2, 1], True),
        ("t", "in", [1, "true"], False),
        ("gone", "in", [None], True),
        ("empty", "exists", True, True),
        ("gone", "exists", True, False),
        ("gone", "exists", False, True),
    ],
)
def test_comparison(key, op, value, met):
    assert holds(condition({"key": key, "op": op, "value": value}), VALUES.get) is met
    assert holds(condition({"not": {"key": key, "op": op, "value": value}}), VALUES.get) is not met


@pytest.mark.parametrize(("kind", "met"), [("all", (True, False, False)), ("any", (True, True, False))])
def test_groups(kind, met):
    yes, no = {"key": "t", "op": "exists"}, {"key": "f", "op": "==", "value": True}
    for parts, wanted in zip(([yes, yes], [yes, no], [no, no]), met, strict=True):
        assert holds(condition({kind: parts}), VALUES.get) is wanted


@given(conditions)
def test_conditions_come_back_equal_and_can_be_told(value):
    tree = condition(value)
    assert condition(to_value(tree)) == tree
    assert describe(tree)
    assert holds(tree, VALUES.get) in (True, False)


def nested(levels):
    value = {"key": "a", "op": "exists"}
    for _ in range(levels - 1):
        value = {"not": value}
    return {**WAIT, "condition": value}


def test_depth_is_limited():
    assert read(json.dumps(nested(8))).document is not None
    problems = read(json.dumps(nested(9))).problems
    assert [(p.pointer, p.code) for p in problems] == [("/condition" + "/not" * 8, "CONDITION_TOO_LARGE")]


@pytest.mark.parametrize("count", [100, 5000])
def test_number_of_parts_is_limited_and_told_once(count):
    part = {"key": "a", "op": "exists"}
    assert read(json.dumps({**WAIT, "condition": {"all": [part] * 99}})).document is not None
    problems = read(json.dumps({**WAIT, "condition": {"all": [part] * count}})).problems
    assert [(p.pointer, p.code) for p in problems] == [("/condition/all/99", "CONDITION_TOO_LARGE")]


def test_listed_values_are_parts_too():
    part = {"key": "a", "op": "in", "value": list(range(60))}
    problems = read(json.dumps({**WAIT, "condition": {"all": [part] * 3}})).problems
    assert [(p.pointer, p.code) for p in problems] == [("/condition/all/2", "CONDITION_TOO_LARGE")]


@pytest.mark.parametrize(
    ("text", "guard"),
    [
        ("battery.percent >= 15", Compare("battery.percent", ">=", 15)),
        ("battery.percent>=15", Compare("battery.percent", ">=", 15)),
        ("  hottest < 65.5  ", Compare("hottest", "<", 65.5)),
        ("emergency == false", Compare("emergency", "==", False)),
        ('state != "fallen down"', Compare("state", "!=", "fallen down")),
    ],
)
def test_guard(text, guard):
    assert parse_guard(text) == guard


@pytest.mark.parametrize(
    "text",
    [
        "",
        "battery",
        "battery >=",
        "battery = 15",
        "1battery > 1",
        "a > b",
        "a > [1]",
        "a > 1e999",
        "a > NaN",
        "a > null",
        r'a == "\ud800"',
    ],
)
def test_bad_guard(text):
    with pytest.raises(ConfigError, match="parameter guards"):
        parse_guard(text)
