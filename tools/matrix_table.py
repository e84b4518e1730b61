# SPDX-License-Identifier: Apache-2.0
"""Write the table of brains and bodies into README.md, from the results of test/test_matrix.py.

docs/any_brain_any_body.md says how to measure the results again. With ``--check`` nothing is written, and a README with
another table is an error.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
RESULTS = ROOT / "docs/matrix.json"
BEGIN, END = "<!-- matrix: begin, by tools/matrix_table.py -->\n", "<!-- matrix: end -->\n"
BRAINS = {
    "bml": "BML goal",
    "opencog": "OpenCog plan",
    "ros": "ROS action client",
    "mcp": "Language model's host",
}
WHY: Mapping[str, str] = json.loads((ROOT / "docs/matrix_why.json").read_text(encoding="utf-8"))
Cell = Mapping[str, Any]


def verdict(cell: Cell) -> str:
    """The result of a cell in a few words."""
    done = len(cell["done"])
    if not done or not cell["moved"] or cell["fell"]:
        return "does not work"
    return f"{done} of {done + len(cell['not_done'])}" if cell["not_done"] else "works"


def table(results: Mapping[str, Cell], why: Mapping[str, str] = WHY) -> str:
    """Markdown: a row for each brain, a column for each body, and below why a cell is not whole."""
    bodies = list(dict.fromkeys(name.partition("-")[2] for name in results))
    lines = [f"| | {' | '.join(f'`{body}`' for body in bodies)} |", "|---" * (len(bodies) + 1) + "|"]
    for brain, title in BRAINS.items():
        row = [verdict(results[cell]) for body in bodies if (cell := f"{brain}-{body}") in results]
        lines += [f"| {title} | {' | '.join(row)} |"] if row else []
    notes: dict[str, dict[str, list[str]]] = {}
    for cell, sentence in why.items():
        brain, _, body = cell.partition("-")
        notes.setdefault(sentence, {}).setdefault(BRAINS[brain], []).append(f"`{body}`")
    told = []
    for sentence, rows in notes.items():
        where = [f"{title} on {', '.join(bodies)}" for title, bodies in rows.items()]
        told.append(f"* {'; '.join(where)}: {sentence}")
    return "\n".join([*lines, "", *told]) + "\n"


def with_table(readme: str, made: str) -> str:
    """The README with the table between its two markers.

    Raises:
        ValueError: a marker is missing.
    """
    head, begin, rest = readme.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"README.md has no {BEGIN.strip()} ... {END.strip()}")
    return head + begin + made + end + tail


def main(arguments: list[str]) -> int:
    """Write the table, or check it; the exit code."""
    text = README.read_text(encoding="utf-8")
    made = with_table(text, table(json.loads(RESULTS.read_text(encoding="utf-8"))))
    if arguments == ["--check"]:
        if made != text:
            print(
                "README.md has another table than docs/matrix.json: run tools/matrix_table.py",
                file=sys.stderr,
            )
        return int(made != text)
    README.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
