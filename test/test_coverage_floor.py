# SPDX-License-Identifier: Apache-2.0
"""What tools/coverage_floor.py makes of a report and of the committed list."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))
from coverage_floor import LIST, File, Floors, Report, only_whole, read_floors, shortfalls


def report(total: float = 100.0, /, **percents: float) -> Report:
    files = {
        name: File(summary={"percent_covered": value}, missing_lines=[], missing_branches=[])
        for name, value in percents.items()
    }
    return {"totals": {"percent_covered": total}, "files": files}


def test_less_than_the_floor_is_told() -> None:
    assert shortfalls(report(90.0), Floors(total=91.0)) == [
        "90.00 % of all lines and branches are covered, the floor is 91.00 %"
    ]
    assert shortfalls(report(91.0), Floors(total=91.0)) == []


@pytest.mark.parametrize(
    ("floors", "least"),
    [(Floors(), 80.0), (Floors(whole=["a*"]), 100.0), (Floors(whole=["a*"], files={"a": 70.0}), 70.0)],
)
def test_a_file_has_its_own_floor(floors: Floors, least: float) -> None:
    assert shortfalls(report(a=least), floors) == []
    assert shortfalls(report(a=least - 0.1), floors) == [
        f"a: {least - 0.1:.2f} % covered, at least {least:.2f} % is committed"
    ]


def test_what_is_not_covered_is_named() -> None:
    part = report(a=50.0)
    part["files"]["a"] |= {"missing_lines": [3], "missing_branches": [[2, 3], [4, 9], [5, -1]]}
    assert shortfalls(part, Floors())[0].endswith("; not 3, 4->9, 5->exit")


def test_a_pattern_of_no_file_is_told() -> None:
    assert shortfalls(report(a=100.0), Floors(whole=["b*"])) == ["whole b*: there is no such file"]


def test_codecs_alone() -> None:
    part, floors = only_whole(report(10.0, a=99.0, b=0.0), Floors(total=90.0, whole=["a*"]))
    assert shortfalls(part, floors) == ["a: 99.00 % covered, at least 100.00 % is committed"]


@pytest.mark.parametrize("line", ["floor", "floor much", "whole", "a.py 50", "a.py much why"])
def test_a_line_that_cannot_be_read_is_named(line: str) -> None:
    with pytest.raises(ValueError, match=r"uncovered\.txt:1"):
        read_floors(line)


def test_the_committed_list_names_files_that_are_there() -> None:
    floors = read_floors(LIST.read_text())
    assert floors.total > 0.0
    assert [path for path in floors.files if not (LIST.parents[1] / path).is_file()] == []
