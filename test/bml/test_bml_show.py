# SPDX-License-Identifier: Apache-2.0
"""Documents drawn."""

import json
import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from math import inf

import pytest
from bml_documents import SKILLS, VALID, document, extended_trees, leaves, other_leaves, setters
from hypothesis import given, settings

from embodiment_bridge.bml import Estimate, analyse, read
from embodiment_bridge.bml.authoring import show
from embodiment_bridge.bml.nodes.node import preorder

WAIT = {"type": "delay", "duration": 1}
SHOWN = {
    "type": "selector",
    "name": "all",
    "reactive": True,
    "finally": {"type": "body", "action": "RESET"},
    "behaviors": [
        {
            "type": "sequence",
            "loop": 2,
            "timeout": 9,
            "condition": {"key": "a", "op": ">", "value": 3},
            "behaviors": [WAIT, {"type": "set", "key": "mood", "value": "glad"}],
        },
        {"type": "loop", "loop": -1, "behavior": {"type": "subtree", "ref": "nap"}},
    ],
}
TEXT = """\
selector 'all'  [reactive, time 1 s or more]
  sequence  [if a > 3, timeout 9 s, 2 times, time 0..2 s]
    delay 1 s  [time 1 s]
    set mood = 'glad'  [time 0 s]
  loop  [for ever, time for ever]
    subtree nap  [time 0.5 s]
      delay 0.5 s  [time 0.5 s]
  finally: body RESET  [time 1..2 s, about 1 s]
"""


def tree(value):
    return document(value, subtrees={"nap": '{"type": "delay", "duration": 0.5}'})


def test_text():
    shown = tree(SHOWN)
    assert show.to_text(shown, analyse(shown, SKILLS).estimates) == TEXT
    assert show.to_text(tree(WAIT)) == "delay 1 s\n"


def test_dot_has_every_node_and_escapes_quotes():
    found = show.to_dot(tree({"type": "sequence", "name": 'a "b" \\', "behaviors": [WAIT, WAIT]}))
    assert found.startswith("digraph bml {")
    assert found.count("[label=") == 3
    assert re.findall(r"n\d -> n\d", found) == ["n0 -> n1", "n0 -> n2"]
    assert '\\"b\\"' in found


def boxes(svg):
    root = ET.fromstring(svg)
    return [(float(r.get("x")), float(r.get("y"))) for r in root.iter("{http://www.w3.org/2000/svg}rect")]


@pytest.mark.parametrize("path", VALID, ids=lambda p: p.name)
def test_sample_as_picture(path):
    shown = read(path.read_bytes()).document
    places = boxes(show.to_svg(shown, analyse(shown, SKILLS).estimates))
    assert len(places) == len(set(places)) == len(show.items(shown))


@given(extended_trees(leaves() | other_leaves() | setters()))
@settings(max_examples=60, deadline=None)
def test_whatever_is_drawn_is_well_formed_and_nothing_overlaps(value):
    shown = document(value)
    places = boxes(show.to_svg(shown, analyse(shown, SKILLS).estimates))
    assert len(set(places)) == len(places) <= len(preorder(shown.root))
    for x in {x for x, _ in places}:
        rows = sorted(y for other, y in places if other == x)
        assert all(b - a >= show.BOX_HEIGHT for a, b in pairwise(rows))
    assert show.to_text(shown).count("\n") == len(places)
    assert show.to_dot(shown).count("label=") == len(places)


def test_characters_that_xml_does_not_allow_are_replaced():
    shown = tree({"type": "speak", "content": "a\u0001\n<b>&\ufffe"})
    assert boxes(show.to_svg(shown))
    assert show.to_text(shown).count("\n") == 1


def test_large_documents_are_drawn_without_recursion():
    value = WAIT
    for _ in range(63):
        value = {"type": "sequence", "behaviors": [value, WAIT]}
    assert len(boxes(show.to_svg(document(value)))) == 127
    wide = {"type": "sequence", "behaviors": [{"type": "parallel", "behaviors": [WAIT] * 900}] * 10}
    assert show.to_svg(read(json.dumps(wide)).document).count("<rect") == 9011


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(1.0, 1.0, 1.0, False), "1 s"),
        (Estimate(1.0, 2.0, 3.0, False), "1..3 s, about 2 s"),
        (Estimate(1.0, None, inf, False), "1 s or more"),
        (Estimate(inf, inf, inf, True), "for ever"),
    ],
)
def test_times(estimate, text):
    assert show.time_of(estimate) == text
