# SPDX-License-Identifier: Apache-2.0
"""The one reader of YAML: what it takes, and that what could cost minutes is refused after a few tokens."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yaml.composer import Composer

from embodiment_bridge.core import safe_yaml
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.safe_yaml import MAX_DEPTH, MAX_VALUES


def bomb(levels, merge=False):
    """Each level stands for ten of the one before."""
    lines = ["a0: &a0 {k0: 1, k1: 2}" if merge else "a0: &a0 [1, 2]"]
    for level in range(1, levels + 1):
        ten = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} " + (f"{{<<: [{ten}]}}" if merge else f"[{ten}]"))
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: {b: [1, 2.5, true, ~, x]}", {"a": {"b": [1, 2.5, True, None, "x"]}}),
        ("a: &x {k: 1}\nb: *x\nc: {<<: *x, m: 2}", {"a": {"k": 1}, "b": {"k": 1}, "c": {"k": 1, "m": 2}}),
        ("a: '12:30'", {"a": "12:30"}),
        ("a: 0x1F", {"a": 31}),
        ("a: 1.5e+3", {"a": 1500.0}),
        ("a: .inf", {"a": float("inf")}),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, None),
        ("", None),
    ],
)
def test_plain_values_are_read(text, value):
    found = safe_yaml.load(text)
    assert value is None or found == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 5000, f"nested more than {MAX_DEPTH} deep .*line 1, column {MAX_DEPTH + 1}"),
        ("{a: " * 5000, f"nested more than {MAX_DEPTH} deep"),
        ("- " * 5000, f"nested more than {MAX_DEPTH} deep"),
        ("? " * 5000, f"nested more than {MAX_DEPTH} deep"),
        (bomb(5), f"more than {MAX_VALUES} values"),
        (bomb(5, merge=True), f"more than {MAX_VALUES} values"),
        (bomb(60), f"more than {MAX_VALUES} values"),
        ("a: &a [*a]", "an alias refers to a value that contains it"),
        ("a: *b", "undefined alias"),
        ("[" + "1," * 60_000 + "1]", f"more than {MAX_VALUES} values"),
        ("a: 12:30", "'12:30' is a number to the base 60 in YAML; quote it"),
        ("a: 1:30.5", "'1:30.5' is a number to the base 60"),
        ("a: " + "9" * 5000, "more than 40 digits"),
        ("a: 0x" + "f" * 5000, "more than 40 digits"),
        ("a: " + ":".join(["1"] + ["59"] * 5000), "to the base 60"),
        ("a: 1\na: 2", "key 'a' given twice"),
        ('a: "\\ud800"', "invalid Unicode character escape code"),
        ("a: \ud800", "surrogates not allowed"),
        ("a: !!python/object:os.system x", "could not determine a constructor"),
        ("!!int ''", "index out of range"),
        ("a: 2001-99-99", "month"),
        ("x" * 1_000_001, "1000001 characters are more than the limit of 1000000"),
    ],
)
def test_what_is_bad_is_refused_in_one_line(text, says):
    with pytest.raises(ConfigError, match=says) as caught:
        safe_yaml.load(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "- " * 5000, "[" * 500_000])
def test_depth_is_refused_before_the_rest_is_composed(monkeypatch, text):
    composed = []
    compose = Composer.compose_node
    monkeypatch.setattr(Composer, "compose_node", lambda *given: (composed.append(1), compose(*given))[1])
    with pytest.raises(ConfigError):
        safe_yaml.load(text)
    assert len(composed) <= 2 * MAX_DEPTH  # a mapping has keys too


def test_launch_has_numbers_to_the_base_60_of_a_sane_length():
    assert safe_yaml.load("12:30", base_60=True) == 750
    with pytest.raises(ConfigError, match="more than 40 digits"):
        safe_yaml.load(":".join(["1"] + ["59"] * 5000), base_60=True)


@given(st.text(alphabet="ab:&*<>[]{}!|?-,'\"\\\n #09.x~%@`", max_size=60))
def test_any_text_is_read_or_refused(text):
    with suppress(ConfigError):
        safe_yaml.load(text)
