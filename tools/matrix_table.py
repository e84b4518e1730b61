# SPDX-License-Identifier: Apache-2.0
"""Write the table of brains and bodies into README.md, from the results of test/test_matrix.py.

docs/any_brain_any_body.md says how to measure the results again.
"""

import json
import re
from collections.abc import Mapping, Sequence
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
NAMED_BODY = re.compile("body '[^']*'")  # the note names the body
Cell = Mapping[str, Any]


def verdict(cell: Cell, steps: int) -> str:
    """The result of a cell in a few words."""
    done = len(cell["done"])
    if not done or not cell["moved"]:
        return "does not work"
    return "works" if done == steps else f"in part: {done} of {steps}"


def reasons(cell: Cell) -> str:
    """Steps that were not done, those with the same reason together."""
    by_reason: dict[str, list[str]] = {}
    for step, reason in cell["not_done"].items():
        by_reason.setdefault(NAMED_BODY.sub("the body", reason), []).append(f"`{step}`")
    return "; ".join(f"{', '.join(steps)} {reason}" for reason, steps in by_reason.items())


def table(results: Mapping[str, Cell]) -> str:
    """Markdown: a row for each brain, a column for each body, and the reasons below."""
    bodies: Sequence[str] = list(dict.fromkeys(name.partition("-")[2] for name in results))
    lines = [f"| | {' | '.join(f'`{body}`' for body in bodies)} |", "|---" * (len(bodies) + 1) + "|"]
    notes: dict[tuple[str, str], list[str]] = {}
    for brain, title in BRAINS.items():
        row = []
        for body in bodies:
            cell = results[f"{brain}-{body}"]
            row.append(verdict(cell, len(cell["done"]) + len(cell["not_done"])))
            if cell["not_done"]:
                notes.setdefault((title, reasons(cell)), []).append(f"`{body}`")
        lines.append(f"| {title} | {' | '.join(row)} |")
    told = [f"* {title}, {', '.join(where)}: {text}" for (title, text), where in notes.items()]
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


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    README.write_text(with_table(text, table(results)), encoding="utf-8")
