# SPDX-License-Identifier: Apache-2.0
"""Any brain on any body: each cell through the launch file, with the same documents, judged by what the world shows.

The results are written to the file that the environment names in ``EMBODIMENT_BRIDGE_MATRIX``;
``tools/matrix_table.py`` makes the README's table of them. `make soak` does the longer documents.
"""

import dataclasses
import json
import os
import runpy
from pathlib import Path

import pytest
from matrix_stage import BODIES, DATA, ROOT, UNSEEN, MatrixStage

from embodiment_bridge.plans.plan_file import vocabulary

BRAINS = ("bml", "opencog", "ros", "mcp")
CELLS = [f"{brain}-{body}" for body in BODIES for brain in BRAINS]
BML = DATA.parent / "bml"
SELF_TEST = (BML / "11_self_test_all_actions.json").read_text(encoding="utf-8")
EXAMPLES = [path.read_text(encoding="utf-8") for path in sorted(BML.glob("0[123]_seed_*.json"))]
TABLE = runpy.run_path(str(ROOT / "tools/matrix_table.py"))
ROBOTS = {"rcsssmj": "t1", "simspark": "nao", "virtual_servos": "desk_humanoid"}
UPRIGHT_S = 3.0  # after the last motion


def committed():
    return json.loads(TABLE["RESULTS"].read_text(encoding="utf-8"))


def write_down(cell, found):
    path = Path(os.environ.get("EMBODIMENT_BRIDGE_MATRIX", ""))
    if path.name:
        results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        results |= {cell: found}
        ordered = {name: results[name] for name in CELLS if name in results}
        path.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def stage(request, tmp_path_factory):
    """The body of the cell; the cells of one body share it."""
    made = MatrixStage(request.param, tmp_path_factory.mktemp(request.param))
    try:
        yield made
        made.spin(UPRIGHT_S)
        assert not made.seen.fell(0.0)
    finally:
        made.close()
    assert made.told == []


@pytest.mark.parametrize("stage", BODIES, indirect=True, scope="module")
@pytest.mark.parametrize("brain", BRAINS)
def test_cell(brain, stage) -> None:
    found = dataclasses.asdict(getattr(stage, f"perform_{brain}")())
    write_down(f"{brain}-{stage.body}", found)
    assert found == committed()[f"{brain}-{stage.body}"]


@pytest.mark.soak
@pytest.mark.parametrize("stage", BODIES, indirect=True, scope="module")
def test_each_of_94_actions_is_done_or_says_why_not(stage) -> None:
    outcome = stage.perform_actions()
    stage.spin(UPRIGHT_S)
    assert {*outcome.done, *outcome.not_done} == set(vocabulary())
    assert (stage.fell, [name for name, why in outcome.not_done.items() if why == UNSEEN]) == (False, [])


@pytest.mark.soak
@pytest.mark.parametrize("stage", BODIES, indirect=True, scope="module")
def test_seed_documents_of_the_behaviour_language(stage) -> None:
    """The three examples, and the twenty actions twice in a row: all is done for which the body has limbs."""
    outcome = stage.perform_bml(*EXAMPLES, SELF_TEST, SELF_TEST)
    stage.spin(UPRIGHT_S)
    lacking = f"skipped: body '{ROBOTS.get(stage.body, stage.body)}' lacks the channel"
    assert (outcome.moved != [], stage.fell, set(outcome.not_done.values()) - {lacking}) == (
        True,
        False,
        set(),
    )


def test_each_cell_that_is_not_whole_says_why_in_one_sentence() -> None:
    results = committed()
    assert list(results) == CELLS
    assert {cell for cell, one in results.items() if one["not_done"]} == set(TABLE["WHY"])
    assert not [cell for cell, one in results.items() if one["fell"] or not one["moved"]]
    assert UNSEEN not in {reason for one in results.values() for reason in one["not_done"].values()}


def test_readme_has_the_table_of_the_committed_results() -> None:
    assert TABLE["main"](["--check"]) == 0


def test_table_names_what_works_in_part_and_why() -> None:
    well = {"done": ["a"], "not_done": {}, "moved": ["joints"], "fell": False}
    part = {**well, "not_done": {"b": "no b", "c": "no b", "d": "no d"}}
    row = {"bml-x": well, "bml-y": {**well, "fell": True}, "opencog-x": part, "opencog-y": part}
    row |= {"ros-x": {**well, "moved": []}, "ros-y": well, "mcp-x": part, "mcp-y": well}
    why = {"opencog-x": "It has no b.", "opencog-y": "It has no b.", "mcp-x": "It has no b."}
    assert TABLE["table"](row, why).splitlines() == [
        "| | `x` | `y` |",
        "|---|---|---|",
        "| BML goal | works | does not work |",
        "| OpenCog plan | 1 of 4 | 1 of 4 |",
        "| ROS action client | does not work | works |",
        "| Language model's host | 1 of 4 | works |",
        "",
        "* OpenCog plan on `x`, `y`; Language model's host on `x`: It has no b.",
    ]


def test_readme_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="matrix: begin"):
        TABLE["with_table"]("no markers", "")
