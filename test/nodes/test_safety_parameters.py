# SPDX-License-Identifier: Apache-2.0
"""Guards, and that every parameter of safety has a place in the documentation."""

import re
from pathlib import Path

import pytest
import yaml

from embodiment_bridge.bml.rules.operator_rules import parse_table
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.tree.runs.document_rules import (
    MAX_GUARDS,
    SAFETY_PARAMETERS,
    guard_refusal,
    parse_guards,
)
from embodiment_bridge.nodes.tree.values.blackboard_sources import parse_sources

PAGE = (Path(__file__).parents[2] / "docs/safety.md").read_text(encoding="utf-8")
KNOWN = ["battery.percent", "hottest"]


def refusal(values, *texts, troubles=None):
    return guard_refusal(parse_guards(list(texts), KNOWN), values, troubles or {})


@pytest.mark.parametrize(
    ("values", "refused"),
    [
        ({"battery.percent": 15, "hottest": 60.0}, False),
        ({"battery.percent": 14.9, "hottest": 60.0}, True),
        ({"battery.percent": 80, "hottest": 65.0}, True),
        ({"battery.percent": "full", "hottest": 60.0}, True),
        ({"battery.percent": None, "hottest": 60.0}, True),
        ({}, True),
    ],
)
def test_all_of_them_must_hold(values, refused):
    reason = refusal(values, "battery.percent >= 15", "", "hottest < 65")
    assert bool(reason) == refused


def test_the_refusal_says_what_is_wanted_and_what_is():
    found = refusal({"battery.percent": 9}, "battery.percent >= 15")
    assert found == "VETOED: parameter guards wants battery.percent >= 15; it is 9"
    trouble = {"battery.percent": "the topic has no publisher yet"}
    found = refusal({"battery.percent": None}, "battery.percent >= 15", troubles=trouble)
    assert found.endswith("it is not known (the topic has no publisher yet)")


def test_without_guards_nothing_is_refused():
    assert refusal({}) == ""


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        (["batery.percent > 1"], "did you mean 'battery.percent'"),
        (["battery.percent"], "is not of the form"),
        (["battery.percent > 1"] * (MAX_GUARDS + 1), f"there may be {MAX_GUARDS}"),
    ],
)
def test_bad_guards(texts, text):
    with pytest.raises(ConfigError, match="parameter guards") as caught:
        parse_guards(texts, KNOWN)
    assert text in str(caught.value)


def test_the_example_of_the_page():
    example = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1])["/**"]["ros__parameters"]
    sources = parse_sources(example["blackboard"])
    wanted = parse_guards(example["guards"], [source.name for source in sources])
    assert [guard.value for guard in wanted] == [0.15, 65]
    for entry in re.findall(r"`((?:cloud|desk)=[a-z,_-]+)`", PAGE):
        assert parse_table([entry])


def test_the_page_has_every_parameter():
    assert {parameter.name for parameter in SAFETY_PARAMETERS} <= set(re.findall(r"`([a-z_]+)`", PAGE))
