# SPDX-License-Identifier: Apache-2.0
"""Compares a coverage report with what is committed in test/uncovered.txt; exit code 1 when less is covered.

coverage json -o coverage.json && python tools/coverage_floor.py coverage.json

A line of test/uncovered.txt is ``floor PERCENT`` (lines and branches of all files together), ``whole PATTERN`` (each
such file is covered whole, branches included), or ``PATH PERCENT why`` (a file that may have less than ``FILE_FLOOR``).
"""

import json
import sys
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "test/uncovered.txt"
FILE_FLOOR = 80.0  # percent of lines and branches, of a file that is not in the list


@dataclass
class Floors:
    """What the list says."""

    total: float = 0.0
    whole: list[str] = field(default_factory=list)
    files: dict[str, float] = field(default_factory=dict)


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


def shortfalls(
    report: dict[str, dict[str, dict[str, dict[str, float]]]], total: float, floors: Floors
) -> list[str]:
    """One line for each thing that is covered less than it must be."""
    found = []
    if total < floors.total:
        found.append(
            f"{total:.2f} % of all lines and branches are covered, the floor is {floors.total:.2f} %"
        )
    for path, entry in sorted(report["files"].items()):
        percent = entry["summary"]["percent_covered"]
        whole = any(fnmatch(path, pattern) for pattern in floors.whole) and path not in floors.files
        least = 100.0 if whole else floors.files.get(path, FILE_FLOOR)
        if percent < least - 0.005:
            found.append(f"{path}: {percent:.2f} % covered, at least {least:.2f} % is committed")
    return found


def main() -> int:
    """Print the shortfalls; exit code 1 when there are some."""
    report = json.loads(Path(sys.argv[1]).read_text())
    lines = shortfalls(report, report["totals"]["percent_covered"], read_floors(LIST.read_text()))
    print("\n".join(lines) or f"coverage: {report['totals']['percent_covered']:.2f} % of lines and branches")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
