# SPDX-License-Identifier: Apache-2.0
"""The documents of this package and of its pages pass the tools, and the commands on the pages work."""

import json
import re
import shlex
from pathlib import Path

import pytest

from embodiment_bridge.cli.command_line import main

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "config/bml").glob("*.json"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"```json\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^ {4}embodiment_bridge (bml (?:validate|show|dry-run) [^\n]*)", re.MULTILINE)
TYPE = re.compile(r'^\s*\{\s*"type"')
# What a page says about the document above it: "embodiment_bridge bml dry-run OPTIONS FILE".
BESIDE = re.compile(r"^ {4}embodiment_bridge bml dry-run (?![^\n]*config/)([^\n]+)", re.MULTILINE)


def documents_of_pages() -> list:
    """Each document of a page with the options that stand between it and the next."""
    found = []
    for page in PAGES:
        text = page.read_text()
        blocks = [block for block in BLOCK.finditer(text) if TYPE.match(block[1])]
        ends = [block.start() for block in blocks[1:]] + [len(text)]
        for block, end in zip(blocks, ends, strict=False):
            beside = BESIDE.search(text, block.end(), end)
            words = shlex.split(beside[1], comments=True) if beside else []
            options = [word for word in words if "=" in word or not word.endswith(".json")]
            found.append(pytest.param(block[1], options, id=f"{page.name}:{len(found)}"))
    return found


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
@pytest.mark.parametrize("action", ["validate", "show", "dry-run"])
def test_shipped_documents_need_no_options(path: Path, action: str, capsys) -> None:
    assert main(["bml", action, str(path)]) == 0, capsys.readouterr()
    if action == "dry-run":
        assert json.loads(capsys.readouterr().out.splitlines()[-1])["outcome"] == "SUCCEEDED"


@pytest.mark.parametrize(("text", "options"), documents_of_pages())
def test_documents_of_pages(text: str, options: list[str], tmp_path: Path, capsys) -> None:
    path = tmp_path / "document.json"
    path.write_text(text)
    assert main(["bml", "validate", str(path)]) == 0, capsys.readouterr()
    assert main(["bml", "dry-run", str(path), *options]) == 0, capsys.readouterr()


def test_there_are_documents_and_options_on_the_pages() -> None:
    found = [parameters.values for parameters in documents_of_pages()]
    assert len(found) >= 5
    assert any(options for _, options in found)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(shlex.split(line, comments=True), id=f"{page.name}: {line}")
        for page in PAGES
        for line in COMMAND.findall(page.read_text())
        if "config/bml/" in line and "--params" not in line and "--robot" not in line
    ],
)
def test_commands_on_pages(words: list[str], monkeypatch, capsys) -> None:
    monkeypatch.chdir(ROOT)
    assert main(words) in (0, 1), capsys.readouterr()  # 1: a rehearsed failure, or errors that the page shows
    assert capsys.readouterr().err == ""
