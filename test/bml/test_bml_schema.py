# SPDX-License-Identifier: Apache-2.0
"""The JSON schema takes what strict reading takes, and its file is the one that is made."""

import json
from pathlib import Path

import jsonschema
import pytest
from bml_documents import EXTENDED, INVALID, VALID, extended_trees, leaves, other_leaves, setters, trees
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_bml_errors import ERRORS
from test_bml_properties import broken_documents
from test_bml_tolerance import DOUBTS, FORMS

import embodiment_bridge.bml as bml
from embodiment_bridge.bml.authoring.json_form import schema
from embodiment_bridge.bml.nodes.registry import KEYS, WRITTEN
from embodiment_bridge.bml.reading.envelope import AT_THE_ROOT

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]  # large documents, and busy machines

SCHEMA = json.loads((Path(bml.__file__).parent / "bml.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
# What no schema can see.
BEYOND = {
    "CONDITION_TOO_LARGE",
    "BAD_WEIGHTS",
    "UNKNOWN_SUBTREE",
    "TOO_DEEP",
    "TOO_MANY_NODES",
    "NOT_FINITE",
    "DUPLICATE_KEY",
    "LONE_SURROGATE",
    "NOT_JSON",
}


def strict_takes(text):
    result = bml.read(text, strict=True)
    return result.document is not None, {p.code for p in result.problems if p.fatal}


def agree(value):
    taken, codes = strict_takes(json.dumps(value))
    return codes & BEYOND or VALIDATOR.is_valid(value) == taken


def test_schema_is_a_schema_without_one_of():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert '"oneOf"' not in json.dumps(SCHEMA)


@pytest.mark.parametrize("path", [*VALID, *EXTENDED, *INVALID], ids=lambda p: p.name)
def test_sample(path):
    text = path.read_text()
    taken, codes = strict_takes(text)
    if not codes & BEYOND:
        assert VALIDATOR.is_valid(json.loads(text)) == taken


@pytest.mark.parametrize("given_form", [form.values[0] for form in FORMS])
def test_tolerated_form_is_refused(given_form):
    assert not VALIDATOR.is_valid(given_form)


@pytest.mark.parametrize("value", [value for value, _, _ in DOUBTS])
def test_doubtful_form_is_taken(value):
    assert VALIDATOR.is_valid(value)


@pytest.mark.parametrize("value", [value for value, _, _ in ERRORS])
def test_bad_node_is_refused(value):
    # '$' matches before a last line break in Python, not in the regular expressions of JSON Schema.
    assert VALIDATOR.is_valid(value) == ("\\n" in json.dumps(value))


def test_version_is_taken_at_the_root_only():
    wait = {"type": "delay", "duration": 1, "version": "1.0"}
    assert VALIDATOR.is_valid(wait)
    assert not VALIDATOR.is_valid({"type": "sequence", "behaviors": [wait]})


def test_faults_are_told_at_their_place_one_each():
    value = json.loads(next(p for p in INVALID if p.name.startswith("b14")).read_text())
    assert sorted(error.json_path for error in VALIDATOR.iter_errors(value)) == [
        "$.behaviors[0].duration",
        "$.behaviors[1].action",
    ]


@settings(max_examples=50, deadline=None, suppress_health_check=SLOW)
@given(trees(leaves() | other_leaves()) | extended_trees(leaves() | other_leaves() | setters()))
def test_good_document_is_taken(value):
    assert VALIDATOR.is_valid(value)


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(broken_documents())
def test_broken_document(value):
    assert agree(value)


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given((trees(leaves() | other_leaves()) | extended_trees(leaves() | other_leaves() | setters())), st.data())
def test_document_without_one_of_its_keys(value, data):
    key = data.draw(st.sampled_from(sorted(value)))
    del value[key]
    assert agree(value)


def test_file_is_what_the_generator_makes():
    committed = (Path(bml.__file__).parent / "bml.schema.json").read_text(encoding="utf-8")
    assert json.loads(committed) == schema(), "run tools/bml_schema.py"


def test_every_type_has_the_keys_that_reading_knows():
    tolerated = {"loop": {"repeat"}}
    for name in WRITTEN:
        told = schema()["$defs"][name]["properties"].keys() - set(AT_THE_ROOT)
        assert told == KEYS[name] - tolerated.get(name, set())
