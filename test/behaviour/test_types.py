# SPDX-License-Identifier: Apache-2.0
"""The types of nodes and how they run belong together."""

from pathlib import Path

from embodiment_bridge import bml
from embodiment_bridge.behaviour.nodes.tree_builder import makers
from embodiment_bridge.bml.nodes.node_type import WrapperType
from embodiment_bridge.bml.nodes.registry import TYPES, WRAPPING, WRITTEN


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
