# SPDX-License-Identifier: Apache-2.0
"""Values of the blackboard as people write them, and the types of nodes, each with what runs it."""

from pathlib import Path

import pytest

from embodiment_bridge import bml
from embodiment_bridge.behaviour.engine.blackboard import value_of
from embodiment_bridge.behaviour.nodes.tree_builder import makers
from embodiment_bridge.bml.nodes.node_type import WrapperType
from embodiment_bridge.bml.nodes.registry import TYPES, WRAPPING, WRITTEN
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


def test_every_type_can_run_and_nothing_else():
    assert makers().keys() == TYPES.keys()


def test_what_is_made_for_a_key_has_a_place_in_the_order():
    made_for_keys = {name for name, found in TYPES.items() if isinstance(found, WrapperType)}
    assert made_for_keys == set(WRAPPING)
    assert not made_for_keys & WRITTEN - {"loop"}


def test_every_type_is_documented():
    page = (Path(bml.__file__).parents[2] / "docs" / "bml.md").read_text(encoding="utf-8")
    table = page.partition("| type | required |")[2].partition("\n\n")[0]
    for name in WRITTEN:
        assert f"`{name}`" in table, f"the table of types in docs/bml.md lacks {name}"
