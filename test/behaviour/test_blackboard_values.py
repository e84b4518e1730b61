# SPDX-License-Identifier: Apache-2.0
"""Values of the blackboard as people write them."""

import pytest

from embodiment_bridge.behaviour.engine.blackboard import value_of
from embodiment_bridge.core.errors import CommandError


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("true", True), ("null", None), ('"a"', "a"), (r'"\ud83d\ude00"', "\U0001f600")],
)
def test_value(text, value):
    assert value_of("key", text) == value


@pytest.mark.parametrize("text", ["", "[1]", "{}", "NaN", "[" * 5000, r'"\ud800"', '"\ud800"'])
def test_what_is_no_value_is_refused_by_its_key(text):
    with pytest.raises(CommandError, match="value of 'key' is"):
        value_of("key", text)
