# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge skills`: every skill of a body stands in its list, and a document may ask for each."""

import json
from pathlib import Path

import pytest

from embodiment_bridge.cli.command_line import main

ROOT = Path(__file__).parents[3]
BODIES = sorted(path.stem for path in (ROOT / "config/bodies").glob("*.yaml"))


def listed(capsys, *words: str) -> str:
    assert main(["skills", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("body", BODIES)
def test_each_name_is_one_that_a_document_may_ask_for(body, capsys, tmp_path) -> None:
    text = listed(capsys, "--body", body)
    facts = [json.loads(line) for line in listed(capsys, "--body", body, "--json").splitlines()]
    emotions_at = text.index(" emotions\n")
    named: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("  ") and line[2] != " ":
            name = line.split()[0]
            named[name] = "emotion" if text.index(f"\n  {name} ") > emotions_at else "body"
    assert sorted(named) == sorted(fact["name"].upper() for fact in facts)
    given = {
        fact["name"].upper(): {
            one["name"]: one["minimum"] if one["type"] == "number" else "ball"
            for one in fact["details"]
            if one["required"]
        }
        for fact in facts
    }
    document = {
        "type": "selector",
        "behaviors": [
            {"type": kind, "action": name, **({"parameters": given[name]} if given[name] else {})}
            for name, kind in named.items()
        ],
    }
    path = tmp_path / "all.json"
    path.write_text(json.dumps(document))
    main(["bml", "validate", "--body", body, str(path)])
    problems = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("warning ")]
    assert problems == []


def test_parameters_have_range_unit_and_sentence(capsys) -> None:
    text = listed(capsys, "--body", "t1")
    assert "distance       0.03 to 5 m        Length of the way. (default 0.1)\n" in text
    assert "[hand_l+hand_r, 0.6 s; this body lacks one of them" in text
    (said,) = [
        json.loads(line) for line in listed(capsys, "--body", "t1", "--json").splitlines() if '"say"' in line
    ]
    (what,) = said["details"]
    assert (what["type"], what["required"], what["minimum"]) == ("text", True, None)


def test_a_body_that_is_not_there_is_named_with_the_others(capsys) -> None:
    assert main(["skills", "--body", "t2"]) == 2
    assert "unknown body 't2' (known: ant, " in capsys.readouterr().err
