# SPDX-License-Identifier: Apache-2.0
"""The committed JSON Schema is the one that the types of nodes make."""

import json
from pathlib import Path

import embodiment_bridge.bml as bml
from embodiment_bridge.bml.authoring.json_form import schema
from embodiment_bridge.bml.nodes.registry import KEYS, WRITTEN


def test_file_is_what_the_generator_makes():
    committed = (Path(bml.__file__).parent / "bml.schema.json").read_text(encoding="utf-8")
    assert json.loads(committed) == schema(), "run tools/bml_schema.py"


def test_every_type_has_the_keys_that_reading_knows():
    tolerated = {"loop": {"repeat"}}
    for name in WRITTEN:
        told = schema()["$defs"][name]["properties"].keys() - {"version"}
        assert told == KEYS[name] - tolerated.get(name, set())
