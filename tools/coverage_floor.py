# SPDX-License-Identifier: Apache-2.0
"""Compares a coverage report with what is committed in test/uncovered.txt; exit code 1 when less is covered.

coverage json -o coverage.json && python tools/coverage_floor.py coverage.json [--whole]

A line of test/uncovered.txt is ``floor PERCENT`` (lines and branches of all files together), ``whole PATTERN`` (each
such file is covered whole, branches included), or ``PATH PERCENT why`` (a file that may have less than ``FILE_FLOOR``).
With ``--whole`` only files of the patterns are looked at, for a report on the fast tests of the codecs alone.
"""

import json
import sys
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "test/uncovered.txt"
FILE_FLOOR = 80.0  # percent of lines and branches, of a file that is not in the list


class Summary(TypedDict):
    """What a report says of some lines."""

    percent_covered: float


class File(TypedDict):
    """What a report says of a file; a branch is a pair of lines, the second below 0 for the end of a function."""

    summary: Summary
    missing_lines: list[int]
    missing_branches: list[list[int]]


class Report(TypedDict):
    """What is used of a report in JSON."""

    totals: Summary
    files: dict[str, File]


@dataclass
class Floors:
    """What the list says."""

    total: float = 0.0
    whole: list[str] = field(default_factory=list)
    files: dict[str, float] = field(default_factory=dict)

    def is_whole(self, path: str) -> bool:
        """Whether one of the patterns is that of a file."""
        return any(fnmatch(path, pattern) for pattern in self.whole)


def read_floors(text: str) -> Floors:
    """The list; a line that cannot be read raises ValueError with its number."""
    floors = Floors()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        try:
            if not words or line.startswith("#"):
                continue
            if words[0] == "floor":
                floors.total = float(words[1])
            elif words[0] == "whole":
                floors.whole.append(words[1])
            else:
                path, percent, _why = line.split(maxsplit=2)
                floors.files[path] = float(percent)
        except (ValueError, IndexError):
            raise ValueError(
                f"{LIST.name}:{number}: not `floor PERCENT`, `whole PATTERN` or `PATH PERCENT why`"
            ) from None
    return floors


def shortfalls(report: Report, floors: Floors) -> list[str]:
    """One line for each thing that is covered less than it must be, and for each pattern of no file."""
    found = []
    total = report["totals"]["percent_covered"]
    if total < floors.total:
        found.append(
            f"{total:.2f} % of all lines and branches are covered, the floor is {floors.total:.2f} %"
        )
    found += [
        f"whole {pattern}: there is no such file"
        for pattern in floors.whole
        if not any(fnmatch(path, pattern) for path in report["files"])
    ]
    for path, entry in sorted(report["files"].items()):
        percent = entry["summary"]["percent_covered"]
        least = floors.files.get(path, 100.0 if floors.is_whole(path) else FILE_FLOOR)
        if percent < least - 0.005:
            found.append(
                f"{path}: {percent:.2f} % covered, at least {least:.2f} % is committed{missing(entry)}"
            )
    return found


def missing(entry: File) -> str:
    """Lines and branches that are not covered; those of most of a file are of no help, and not named."""
    lines = [str(line) for line in entry["missing_lines"]]
    branches = [f"{a}->{b if b > 0 else 'exit'}" for a, b in entry["missing_branches"]]
    names = [*lines, *(branch for branch in branches if branch.split("->")[1] not in lines)]
    return f"; not {', '.join(names)}" if 0 < len(names) <= 20 else ""


def only_whole(report: Report, floors: Floors) -> tuple[Report, Floors]:
    """The files of the patterns, and no floor for all files together."""
    files = {path: entry for path, entry in report["files"].items() if floors.is_whole(path)}
    return {"totals": report["totals"], "files": files}, replace(floors, total=0.0)


def main() -> int:
    """Print the shortfalls; exit code 1 when there are some."""
    report: Report = json.loads(Path(sys.argv[1]).read_text())
    floors = read_floors(LIST.read_text())
    if "--whole" in sys.argv:
        report, floors = only_whole(report, floors)
        covered = f"coverage: all branches of {len(report['files'])} files of codecs"
    else:
        covered = f"coverage: {report['totals']['percent_covered']:.2f} % of lines and branches"
    lines = shortfalls(report, floors)
    print("\n".join(lines) or covered)
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
