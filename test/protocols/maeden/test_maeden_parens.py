# SPDX-License-Identifier: Apache-2.0
"""Lists in parentheses in the lines of a packet: what is one, and what is none."""

import pytest

from embodiment_bridge.protocols.maeden.codec import Codec
from embodiment_bridge.protocols.maeden.events import Percept
from embodiment_bridge.protocols.maeden.packets import MAX_ITEMS

ROW = "(() () () () ())"


def percepts(inventory: str = "()", view: str = f"({ROW * 7})") -> list[Percept]:
    lines = ["0", "8", "f", inventory, view, "()", "()", "2000", "ok", "1"]
    events = Codec().feed("".join(f"{line}\n" for line in lines).encode())
    return [event for event in events if isinstance(event, Percept)]


@pytest.mark.parametrize(
    ("text", "items"),
    [("()", ()), ('("K" "T")', ("K", "T")), ("(K T)", ("K", "T")), ('( "a b"c )', ("a b", "c"))],
)
def test_list_of_items(text: str, items: tuple[str, ...]) -> None:
    assert [percept.inventory for percept in percepts(text)] == [items]


@pytest.mark.parametrize(
    "text",
    ["", "K", "(K", "(K))", "()()", '("K', '("")', "((K))", "(((((K)))))", "(" + "K " * MAX_ITEMS + ")"],
)
def test_what_is_no_list_of_items(text: str) -> None:
    assert not percepts(text)


@pytest.mark.parametrize(
    "rows", [[ROW] * 6, [ROW] * 6 + ["()"], [ROW] * 6 + ["K"], [ROW] * 6 + ["(K () () () ())"]]
)
def test_what_is_no_view(rows: list[str]) -> None:
    assert not percepts(view=f"({''.join(rows)})")
