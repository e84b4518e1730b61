# SPDX-License-Identifier: Apache-2.0
"""The package does not grow by itself: each folder has a ceiling of files and code lines, in ceilings.txt.

A number is lowered when its folder has become smaller, and raised only on purpose: the commit then says what the users
get for it. ``python test/test_ceilings.py`` writes the file as the package is now.
"""

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "embodiment_bridge"
CEILINGS = Path(__file__).with_name("ceilings.txt")
SLACK = 1.05  # a folder may be smaller than its line by so much before the line must be lowered
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(text: str) -> int:
    """Lines with code: neither blank, nor of a comment or docstring alone."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {n for t in tokens if t.type not in NO_CODE for n in range(t.start[0], t.end[0] + 1)}
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def sizes() -> dict[str, tuple[int, int]]:
    """Files and code lines by folder of the package."""
    files, lines = Counter(), Counter()
    for path in PACKAGE.rglob("*.py"):
        folder = path.parent.relative_to(ROOT).as_posix()
        files[folder] += 1
        lines[folder] += code_lines(path.read_text())
    return {folder: (files[folder], lines[folder]) for folder in sorted(files)}


def ceilings() -> dict[str, tuple[int, int]]:
    rows = (line.split() for line in CEILINGS.read_text().splitlines() if not line.startswith("#"))
    return {folder: (int(files), int(lines)) for folder, files, lines in rows}


def test_lines_of_code_are_counted() -> None:
    assert (
        code_lines(
            '"""Doc."""\n\n# why\nx = (\n    1  # one\n)\n\n\ndef f():\n    """Doc."""\n    return x\n'
        )
        == 5
    )


def test_no_folder_is_above_its_ceiling() -> None:
    known = ceilings()
    above = {
        folder: (now, known.get(folder, (0, 0)))
        for folder, now in sizes().items()
        if any(one > most for one, most in zip(now, known.get(folder, (0, 0)), strict=True))
    }
    assert not above, f"(files, code lines) now, and at most: {above}"


def test_ceilings_fall_with_their_folders() -> None:
    now = sizes()
    high = {
        folder: most
        for folder, most in ceilings().items()
        if any(at_most > one * SLACK for one, at_most in zip(now.get(folder, (0, 0)), most, strict=True))
    }
    assert not high, f"lower these lines: python {Path(__file__).relative_to(ROOT)} writes the file ({high})"


if __name__ == "__main__":
    rows = [f"{folder} {files} {lines}" for folder, (files, lines) in sizes().items()]
    CEILINGS.write_text("\n".join(["# folder, files, code lines: at most", *rows]) + "\n")
