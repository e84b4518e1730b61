# SPDX-License-Identifier: Apache-2.0
"""Which emotion is shown for which feelings."""

import pytest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.opencog.world.feelings import USUAL, Mood, Rule, rules_of

RULES = rules_of(["fear>0.5=afraid", "happiness=happy", "love=happy"])


def test_rules() -> None:
    assert dict(RULES) == {"fear": Rule("afraid", 0.5), "happiness": Rule("happy"), "love": Rule("happy")}
    assert rules_of([""]) == {}
    assert len(rules_of(["usual"])) == len(USUAL)
    assert rules_of(["usual", "fear>0.2=sad"])["fear"] == Rule("sad", 0.2)


@pytest.mark.parametrize(
    "entry", ["fear", "fear=", "=sad", "fear>2=sad", "fear>x=sad", "fear>1.1.1=sad", "a b=c", "a=B"]
)
def test_bad_rule(entry: str) -> None:
    with pytest.raises(ConfigError, match="feelings_to_emotions"):
        rules_of([entry])


@pytest.mark.parametrize(
    ("levels", "wish"),
    [
        ({}, ""),
        ({"fear": 0.4, "happiness": 0.6}, ""),
        ({"fear": 0.5}, "afraid"),
        ({"fear": 0.6, "happiness": 0.8}, "happy"),
        ({"love": 0.75, "happiness": 0.1, "fear": 0.9}, "afraid"),
        ({"hunger": 1.0}, ""),
    ],
)
def test_the_strongest_over_its_threshold(levels, wish) -> None:
    assert Mood(RULES, 5.0).wish(levels, 0.0) == wish


def test_it_rests_between_changes_and_ends_as_neutral() -> None:
    mood = Mood(RULES, 5.0)
    mood.showing("afraid", 10.0)
    assert mood.wish({"happiness": 1.0}, 14.9) == ""
    assert mood.wish({"happiness": 1.0}, 15.0) == "happy"
    assert mood.wish({"fear": 0.45}, 15.0) == ""  # a little below its threshold it is still shown
    assert mood.wish({"fear": 0.3}, 15.0) == "neutral"
    mood.showing("neutral", 15.0)
    assert mood.wish({"fear": 0.3}, 25.0) == ""
