# SPDX-License-Identifier: Apache-2.0
"""Lists in parentheses: what is one, and what is none."""

import pytest

from embodiment_bridge.protocols.maeden.text_packets import MAX_ITEMS, read_list, read_view

ROW = "(() () () () ())"


@pytest.mark.parametrize(
    ("text", "items"),
    [("()", ()), ('("K" "T")', ("K", "T")), ("(K T)", ("K", "T")), ('( "a b"c )', ("a b", "c"))],
)
def test_list_of_items(text: str, items: tuple[str, ...]) -> None:
    assert read_list(text) == items


@pytest.mark.parametrize(
    "text",
    ["", "K", "(K", "(K))", "()()", '("K', '("")', "((K))", "(((((K)))))", "(" + "K " * MAX_ITEMS + ")"],
)
def test_what_is_no_list_of_items(text: str) -> None:
    assert read_list(text) is None


@pytest.mark.parametrize(
    "rows", [[ROW] * 6, [ROW] * 6 + ["()"], [ROW] * 6 + ["K"], [ROW] * 6 + ["(K () () () ())"]]
)
def test_what_is_no_view(rows: list[str]) -> None:
    assert read_view(f"({''.join(rows)})") is None
