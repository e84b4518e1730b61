# SPDX-License-Identifier: Apache-2.0
"""Draws the folders of the package and the two streets through them into docs/architecture.md, from the imports.

python tools/folder_picture.py          writes the picture
python tools/folder_picture.py --check  exit code 1 when the picture in the page is not that of the code

A box is a folder; an arrow goes from a folder to one that it imports. Arrows that follow from others are left out.
"""

import ast
import sys
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "embodiment_bridge"
PAGE = ROOT / "docs/architecture.md"
BEGIN, END = "<!-- folders: begin, by tools/folder_picture.py -->", "<!-- folders: end -->"

# The ways of a percept and of a goal. Each step is a module that imports the next one or is imported by it; a ROS
# action is between two parts of a way.
IN = (
    (
        "link.transports.base", "link.event_link", "wire.codec", "link.session", "nodes.body.agent_bridge",
        "protocols.converter",
    ),
)  # fmt: skip
OUT = (
    (
        "nodes.base.action_server", "nodes.tree.bml_server", "nodes.tree.runs.run_executor",
        "behaviour.runs.run_scheduler", "behaviour.runs.run", "behaviour.engine.ports",
    ),
    (
        "nodes.body.skill_server", "nodes.body.skill_queue", "motion.runner", "nodes.body.body_interface",
        "nodes.body.agent_bridge", "protocols.converter", "nodes.body.agent_bridge", "link.session", "link.event_link",
        "wire.codec",
    ),
)  # fmt: skip
UPPER = {"cli": "the command line", "launching": "launch files", "nodes": "ROS 2 nodes"}

Graph = dict[str, set[str]]


def modules() -> dict[str, Path]:
    """All modules below the package, by name without the package's."""
    files = (path for path in (ROOT / PACKAGE).rglob("*.py") if path.parent != ROOT / PACKAGE)
    names = ((path.relative_to(ROOT / PACKAGE).with_suffix("").parts, path) for path in files)
    return {".".join(parts).removesuffix(".__init__"): path for parts, path in names}


def imports(path: Path, known: Iterable[str]) -> set[str]:
    """The modules of this package that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {node.module, *inside}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    ours = {name.removeprefix(f"{PACKAGE}.") for name in found if name.startswith(f"{PACKAGE}.")}
    return ours & set(known)


def folders(imported: Mapping[str, set[str]]) -> Graph:
    """The arrows between the folders at the top."""
    graph: Graph = {}
    for module, others in imported.items():
        top = module.split(".")[0]
        graph.setdefault(top, set()).update({other.split(".")[0] for other in others} - {top})
    return graph


def reduced(graph: Graph) -> Graph:
    """Only the arrows that do not follow from others."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for other in graph[todo.pop()] - seen:
                seen.add(other)
                todo.append(other)
        return seen

    return {
        folder: {
            other
            for other in others
            if not any(other in reached(third) for third in others if third != other)
        }
        for folder, others in graph.items()
    }


def missing_steps(part: tuple[str, ...], imported: Mapping[str, set[str]]) -> list[str]:
    """The steps of a part of a street without an import between them."""
    return [
        f"{a} -> {b}"
        for a, b in pairwise(part)
        if b not in imported.get(a, ()) and a not in imported.get(b, ())
    ]


def picture(imported: Mapping[str, set[str]]) -> str:
    """The picture as Mermaid text."""
    graph = reduced(folders(imported))
    lines = ["```mermaid", "flowchart TD"]
    for folder in sorted(graph):
        note = f"<br/>{UPPER[folder]}" if folder in UPPER else ""
        lines.append(f'    {folder}["{folder}/{note}"]')
    lines += [f"    {folder} --> {other}" for folder in sorted(graph) for other in sorted(graph[folder])]
    lines += ["```", "", "The way of a percept, in, and of a goal, out; each step is one import:", ""]
    for name, street in (("IN", IN), ("OUT", OUT)):
        parts = (" → ".join(f"`{module.replace('.', '/')}.py`" for module in part) for part in street)
        lines.append(f"* {name}: " + " → *action* → ".join(parts))
    return "\n".join(lines)


def main() -> int:
    """Write or compare; exit code 1 if the page is out of date or a street has a step without an import."""
    known = modules()
    imported = {name: imports(path, known) for name, path in known.items()}
    for step in [step for part in (*IN, *OUT) for step in missing_steps(part, imported)]:
        print(f"no import makes the step {step}", file=sys.stderr)
        return 1
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    new = f"{before}{BEGIN}\n{picture(imported)}\n{END}{after}"
    if "--check" in sys.argv[1:]:
        if new != text:
            print("docs/architecture.md is old: python tools/folder_picture.py writes it", file=sys.stderr)
        return int(new != text)
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
