# SPDX-License-Identifier: Apache-2.0
"""The files that docs/architecture.md names for a change and on the two streets exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Where do I change ...?")[2].partition("\n## ")[0]
STREETS = PAGE.partition("## The two streets")[2].partition("\n## ")[0]
ROWS = [line for line in SECTION.splitlines() if line.startswith("|")][2:]


def test_the_requests_are_answered():
    requests = {re.split(r"[|:]", row)[1].strip() for row in ROWS}
    assert requests == {
        "an effector",
        "a percept",
        "a BML node type",
        "a field of an OpenCog message",
        "a servo model",
        "a gait",
        "a launch argument",
        "an emotion",
        "a command",
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_its_files_exist(row):
    paths = [path for path in re.findall(r"`([^` ]+)`", row) if "/" in path]
    assert paths
    for path in paths:
        made = "<" not in path  # else its file is made by the change
        there = path if made else path.partition("/")[0]
        assert any((folder / there).exists() for folder in (ROOT, ROOT / "embodiment_bridge")), path


def test_the_files_of_the_streets_exist():
    files = re.findall(r"`([a-z_/]+\.py)`", STREETS)
    assert len(files) > 30
    assert [file for file in files if "/" in file and not (ROOT / "embodiment_bridge" / file).is_file()] == []
