# SPDX-License-Identifier: Apache-2.0
"""Write the tables of docs/faults.md: every fault that a body can meet, its reaction, and the tests that show it.

python tools/fault_table.py          writes them
python tools/fault_table.py --check  exit code 1 when the page is not what the tests say, or a cell is missing

A test says which cell it is: @pytest.mark.fault("cut", body=("rcsssmj", "simspark"), reaction="...").
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/faults.md"
BEGIN, END = "<!-- faults: begin, by tools/fault_table.py -->\n", "<!-- faults: end -->\n"
BODIES = ("mock", "mujoco", "dynamixel", "rcsssmj", "simspark", "maeden")
KINDS = {
    "lost": "A message does not arrive.",
    "late": "Messages arrive later than usual.",
    "frozen": "Messages arrive, and say the same all the time.",
    "not a number": "A number is nan, infinite, or larger than anything real.",
    "duplicated": "A message arrives twice.",
    "reordered": "A message arrives after one that was sent later.",
    "in bursts": "Nothing arrives for a while, then everything at once.",
    "cut": "The link ends in the middle of a message.",
    "stopped": "The peer, or the process of the body itself, stands still (SIGSTOP, a debugger, a busy machine).",
    "killed": "The peer is gone, and comes back after a while.",
    "restarted": "The peer is another one from one moment to the next.",
    "clock jump": "The clock of the body jumps by 1000 s, forwards or backwards.",
    "disk full": "What is to be written finds no room.",
    "no descriptors": "Nothing can be opened: the process has as many files and sockets as it may.",
    "no memory": "Memory cannot be had.",
    "two at once": "A second fault comes while the first one lasts, and changes what that one does.",
}
ON_THE_WIRE = "a servo answers only when it is asked, and one at a time"
CANNOT = {
    ("mock", "disk full"): "it writes nothing",
    ("mujoco", "clock jump"): "its time is that of the simulation, paced by a clock that does not jump",
    ("dynamixel", "reordered"): ON_THE_WIRE,
    ("dynamixel", "clock jump"): "servos have no clock, and the driver's does not jump",
    ("maeden", "reordered"): "a packet comes only for a command, and one command is on its way",
}


@dataclass(frozen=True)
class Cell:
    """What a test says of a fault of some bodies."""

    kind: str
    bodies: tuple[str, ...]
    reaction: str
    test: str


def cells() -> Iterator[Cell]:
    """The marks of all tests; their arguments are literals."""
    for path in sorted((ROOT / "test").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.fault(" not in text:
            continue
        tree = ast.parse(text)
        for test in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
            for mark in test.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.fault":
                    yield _cell(mark, f"{path.relative_to(ROOT)}::{test.name}")


def _cell(mark: ast.Call, test: str) -> Cell:
    """A cell of a mark.

    Raises:
        ValueError: an argument is missing or not a literal, or names no fault or body.
    """
    words = {word.arg: ast.literal_eval(word.value) for word in mark.keywords}
    bodies = words["body"] if isinstance(words["body"], tuple) else (words["body"],)
    kind = ast.literal_eval(mark.args[0])
    for name, known in [(kind, KINDS), *((body, BODIES) for body in bodies)]:
        if name not in known:
            raise ValueError(f"{test}: unknown word {name!r} of a fault (known: {', '.join(known)})")
    return Cell(kind, bodies, words["reaction"], test)


def missing(found: list[Cell]) -> list[str]:
    """Cells without a test that do not say why there is none, and those that have both."""
    there = {(body, cell.kind) for cell in found for body in cell.bodies}
    every = {(body, kind) for body in BODIES for kind in KINDS}
    lines = [
        f"no test has the fault {kind!r} of {body}" for body, kind in sorted(every - there - set(CANNOT))
    ]
    return lines + [
        f"there is a test of the fault {kind!r} of {body}" for body, kind in sorted(there & set(CANNOT))
    ]


def page(found: list[Cell]) -> str:
    """Markdown: how many tests each cell has, then the reactions."""
    lines = [f"| | {' | '.join(f'`{body}`' for body in BODIES)} |", "|---" * (len(BODIES) + 1) + "|"]
    for kind in KINDS:
        counts = (sum(cell.kind == kind and body in cell.bodies for cell in found) for body in BODIES)
        lines.append(f"| {kind} | {' | '.join(str(count or '') for count in counts)} |")
    for kind, meaning in KINDS.items():
        lines += [
            "",
            f"## {kind[0].upper()}{kind[1:]}",
            "",
            meaning,
            "",
            "| body | reaction | test |",
            "|---|---|---|",
        ]
        lines += [
            f"| {', '.join(f'`{body}`' for body in cell.bodies)} | {cell.reaction} | `{cell.test}` |"
            for cell in found
            if cell.kind == kind
        ]
        lines += [
            f"| `{body}` | cannot occur: {why} | |" for (body, one), why in CANNOT.items() if one == kind
        ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write or compare; exit code 1 if a cell is missing or the page is old."""
    found = list(cells())
    for line in missing(found):
        print(line, file=sys.stderr)
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    new = f"{before}{BEGIN}{page(found)}{END}{after}"
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(new, encoding="utf-8")
    elif new != text:
        print("docs/faults.md is old: python tools/fault_table.py writes it", file=sys.stderr)
        return 1
    return int(bool(missing(found)))


if __name__ == "__main__":
    sys.exit(main())
