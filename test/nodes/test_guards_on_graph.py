# SPDX-License-Identifier: Apache-2.0
"""Guards refuse what they do not allow; one whose value nothing publishes is an error, told once."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from embodiment_bridge.bml.rules.operator_rules import parse_guard, parse_table
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.tree.behavior_tree import LOOKS, GuardWatch
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


@pytest.fixture
def watch():
    errors = []
    node = SimpleNamespace(
        active=True,
        create_timer=lambda *_, **__: None,
        destroy_timer=lambda timer: None,
        get_logger=lambda: SimpleNamespace(error=errors.append),
    )
    feed = SimpleNamespace(unpublished={"charge": "charge is /charge, and the topic has no publisher yet"})
    body = SimpleNamespace(missing="")
    made = GuardWatch(node, [parse_guard("warm > 1"), parse_guard("charge >= 0.15")], feed, body)
    made.errors, made.feed, made.body = errors, feed, body
    return made


def look(watch, times: int) -> None:
    for _ in range(times):
        watch.look()


def test_a_guard_without_a_publisher_is_an_error_that_is_told_once(watch) -> None:
    look(watch, LOOKS - 1)
    assert (watch.errors, watch.trouble) == ([], "")
    look(watch, 3)
    (error,) = watch.errors
    assert "charge >= 0.15 cannot hold" in error
    assert error.endswith("charge is /charge, and the topic has no publisher yet")
    assert watch.trouble == error
    watch.feed.unpublished = {}
    look(watch, 1)
    assert watch.trouble == ""


def test_while_the_body_is_not_there_nothing_is_missing(watch) -> None:
    watch.body.missing = "link"
    look(watch, 2 * LOOKS)
    watch.body.missing = "body"
    look(watch, 2 * LOOKS)
    assert not watch.errors
