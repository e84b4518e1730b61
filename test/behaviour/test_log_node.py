# SPDX-License-Identifier: Apache-2.0
"""``log``: read, written, judged by the schema, drawn and run."""

import json

import jsonschema
import pytest
from virtual_run import VirtualRun, dry_run

from embodiment_bridge.bml import Estimate, analyse, read, to_data
from embodiment_bridge.bml.authoring import show
from embodiment_bridge.bml.authoring.builder import node
from embodiment_bridge.bml.authoring.json_form import schema
from embodiment_bridge.bml.nodes.leaves import Log

VALIDATOR = jsonschema.Draft202012Validator(schema())


def log(text):
    return {"type": "log", "text": text}


def strict(value, **options):
    return read(json.dumps(value), strict=True, **options)


@pytest.mark.parametrize("text", ["plain", "x is {x}", "{{x}}", "a {b.c/d-e} {{{f}}} }}{{"])
def test_it_is_read_and_written(text):
    assert VALIDATOR.is_valid(log(text))
    document = strict(log(text)).document
    assert document.root == Log(pointer="", text=text)
    assert to_data(document) == log(text)


@pytest.mark.parametrize(
    ("value", "pointer", "code"),
    [
        ({"type": "log"}, "", "MISSING_KEY"),
        (log(""), "/text", "EMPTY_TEXT"),
        (log(7), "/text", "WRONG_TYPE"),
        (log("x" * 4001), "/text", "TOO_LONG"),
        (log("a { b"), "/text", "BAD_KEY"),
        (log("a } b"), "/text", "BAD_KEY"),
        (log("{}"), "/text", "BAD_KEY"),
        (log("{1x}"), "/text", "BAD_KEY"),
        (log("{x!r}"), "/text", "BAD_KEY"),
        (log("{{x}"), "/text", "BAD_KEY"),
    ],
)
def test_bad_one(value, pointer, code):
    assert not VALIDATOR.is_valid(value)
    assert [(p.pointer, p.code) for p in strict(value).problems] == [(pointer, code)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"),
        ("x is {x}", "x is 1.5"),
        ("{flag} {mood} {none} {n}", "true glad null 3"),
        ("{{x}} {{{x}}}", "{x} {1.5}"),
        ("{evil}", "{x} {{"),
    ],
)
def test_the_line_is_the_message_of_its_success(text, line):
    values = {"x": 1.5, "flag": True, "mood": "glad", "n": 3, "evil": "{x} {{"}
    events = [
        one for one in dry_run(json.dumps(log(text)), {}, values=values) if one.get("event") == "success"
    ]
    assert [(one["type"], one["message"], one["t"]) for one in events] == [("log", line, 0.0)]


def test_it_looks_when_its_turn_comes():
    put = {"type": "set", "key": "x", "value": 2}
    stage = VirtualRun(json.dumps({"type": "sequence", "behaviors": [log("{x}"), put, log("{x}")]}))
    stage.tick(0.0)
    said = [e.message for e in stage.events if e.event == "success" and e.origin.kind == "log"]
    assert said == ["null", "2"]


def test_arguments_of_subtrees_are_whole_texts_only():
    outer = {"type": "subtree", "ref": "say", "args": {"line": "hello {x}"}}
    for inner, text in (("${line}", "hello {x}"), ("a ${x}", "a ${x}")):
        found = strict(outer, subtrees={"say": json.dumps(log(inner))}).document.root.child
        assert found.text == text


def test_estimate_and_drawing():
    document = strict(log("x is {x}")).document
    assert analyse(document, {}).estimates[""] == Estimate(0.0, 0.0, 0.0, False)
    assert show.to_text(document) == "log x is {x}\n"


def test_the_builder_makes_nodes_of_any_type():
    assert json.loads(node("log", text="hello").to_json()) == log("hello")
