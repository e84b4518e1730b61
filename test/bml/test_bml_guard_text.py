# SPDX-License-Identifier: Apache-2.0
"""Guards in one line of text."""

import pytest

from embodiment_bridge.bml.base.conditions import Compare
from embodiment_bridge.bml.rules.operator_rules import parse_guard
from embodiment_bridge.core.errors import ConfigError


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
