# SPDX-License-Identifier: Apache-2.0
"""A guard whose value nothing publishes is an error, told once."""

from types import SimpleNamespace

import pytest

from embodiment_bridge.bml.rules.operator_rules import parse_guard
from embodiment_bridge.nodes.tree.behavior_tree import LOOKS, GuardWatch


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
