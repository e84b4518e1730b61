# SPDX-License-Identifier: Apache-2.0
"""Any brain on any body: each cell through the launch file, with the same documents; the README's table is its result.

``EMBODIMENT_BRIDGE_MATRIX=docs/matrix.json`` writes the results there; ``tools/matrix_table.py`` makes the table.
"""

import dataclasses
import json
import os
import re
import runpy
from pathlib import Path

import pytest
import yaml
from matrix_stage import BODIES, DATA, ROOT, MatrixStage

from embodiment_bridge.standins.mcp_host.script import STEPS

BRAINS = ("bml", "opencog", "ros", "mcp")
EXPECTED = yaml.safe_load((DATA / "expected.yaml").read_text(encoding="utf-8"))
TABLE = runpy.run_path(str(ROOT / "tools/matrix_table.py"))


def steps(brain):
    """Names of the steps of a brain's document, in order."""
    match brain:
        case "bml":
            text = (DATA / "performance.json").read_text(encoding="utf-8")
            return [leaf["action"] for leaf in json.loads(text)["behaviors"]]
        case "mcp":
            return list(STEPS)
        case "opencog":
            return re.findall('<action name="([^"]*)"', (DATA / "plan.xml").read_text(encoding="utf-8"))
        case _:
            return [wish["name"] for wish in json.loads((DATA / "skills.json").read_text(encoding="utf-8"))]


def expected(brain, body):
    """What a cell shall have got, as ``matrix_stage.Outcome``."""
    cell = EXPECTED[f"{brain}-{body}"]
    not_done = cell.get("not_done", {})
    done = [step for step in steps(brain) if step not in not_done]
    return {"done": done, "not_done": not_done, "moved": cell["moved"]}


def write_down(cell, found):
    target = os.environ.get("EMBODIMENT_BRIDGE_MATRIX")
    if target:
        path = Path(target)
        results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.write_text(json.dumps({**results, cell: found}, indent=1) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def stage(request, tmp_path_factory):
    """The body of the cell; the cells of one body share it."""
    made = MatrixStage(request.param, tmp_path_factory.mktemp(request.param))
    yield made
    made.close()
    assert made.told == []


@pytest.mark.parametrize("stage", BODIES, indirect=True, scope="module")
@pytest.mark.parametrize("brain", BRAINS)
def test_cell(brain, stage) -> None:
    found = dataclasses.asdict(getattr(stage, f"perform_{brain}")())
    write_down(f"{brain}-{stage.body}", found)
    assert found == expected(brain, stage.body)


def test_committed_results_are_those_that_are_expected() -> None:
    results = json.loads(TABLE["RESULTS"].read_text(encoding="utf-8"))
    assert results == {f"{brain}-{body}": expected(brain, body) for body in BODIES for brain in BRAINS}


def test_readme_has_the_table_of_the_committed_results() -> None:
    results = json.loads(TABLE["RESULTS"].read_text(encoding="utf-8"))
    readme = TABLE["README"].read_text(encoding="utf-8")
    assert TABLE["with_table"](readme, TABLE["table"](results)) == readme


def test_table_names_what_works_in_part_and_why() -> None:
    well = {"done": ["a"], "not_done": {}, "moved": ["joints"]}
    part = {"done": ["a"], "not_done": {"b": "no b", "c": "no b", "d": "no d"}, "moved": ["base"]}
    still = {"done": ["a"], "not_done": {}, "moved": []}
    row = {"bml-x": well, "bml-y": well, "opencog-x": part, "opencog-y": part, "ros-x": still, "ros-y": well}
    row |= {"mcp-x": well, "mcp-y": well}
    assert TABLE["table"](row).splitlines() == [
        "| | `x` | `y` |",
        "|---|---|---|",
        "| BML goal | works | works |",
        "| OpenCog plan | in part: 1 of 4 | in part: 1 of 4 |",
        "| ROS action client | does not work | works |",
        "| Language model's host | works | works |",
        "",
        "* OpenCog plan, `x`, `y`: `b`, `c` no b; `d` no d",
    ]


def test_readme_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="matrix: begin"):
        TABLE["with_table"]("no markers", "")
