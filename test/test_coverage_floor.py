# SPDX-License-Identifier: Apache-2.0
"""What tools/coverage_floor.py makes of a report and of the committed list."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from coverage_floor import LIST, Floors, read_floors, shortfalls


def report(**percents: float):
    return {"files": {name: {"summary": {"percent_covered": value}} for name, value in percents.items()}}


def test_less_than_the_floor_is_told() -> None:
    assert shortfalls(report(), 90.0, Floors(total=91.0)) == [
        "90.00 % of all lines and branches are covered, the floor is 91.00 %"
    ]
    assert shortfalls(report(), 91.0, Floors(total=91.0)) == []


@pytest.mark.parametrize(
    ("floors", "least"),
    [(Floors(), 80.0), (Floors(whole=["a*"]), 100.0), (Floors(whole=["a*"], files={"a": 70.0}), 70.0)],
)
def test_a_file_has_its_own_floor(floors: Floors, least: float) -> None:
    assert shortfalls(report(a=least), 100.0, floors) == []
    assert shortfalls(report(a=least - 0.1), 100.0, floors) == [
        f"a: {least - 0.1:.2f} % covered, at least {least:.2f} % is committed"
    ]


@pytest.mark.parametrize("line", ["floor", "floor much", "whole", "a.py 50", "a.py much why"])
def test_a_line_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(ValueError, match=r"uncovered\.txt:1"):
        read_floors(line)


def test_the_committed_list_names_files_that_are_there() -> None:
    floors = read_floors(LIST.read_text())
    assert floors.total > 0.0
    assert [path for path in floors.files if not (LIST.parents[1] / path).is_file()] == []
