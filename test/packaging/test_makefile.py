# SPDX-License-Identifier: Apache-2.0
"""`make venv` and `make clean` empty or remove VENV only if it is an environment, or empty."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path):
    """As much of a checkout as the targets need, with a folder of the user."""
    for file in [ROOT / "Makefile", *(ROOT / "requirements").glob("*.txt")]:
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(file, copy)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_text("years of work")
    return tmp_path


def make(folder: Path, target: str, venv: str) -> subprocess.CompletedProcess[str]:
    words = ["make", "-C", str(folder), target, f"VENV={venv}", "PYTHON=false"]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("target", ["venv", "clean"])
def test_a_folder_of_something_else_is_left_as_it_is(checkout, target) -> None:
    done = make(checkout, target, "work")
    assert done.returncode == 2
    assert "VENV=work is not a virtual environment" in done.stderr
    assert (checkout / "work" / "thesis.txt").read_text() == "years of work"


def test_an_environment_an_empty_folder_and_none_are_cleaned(checkout) -> None:
    (checkout / "env").mkdir()
    (checkout / "env" / "pyvenv.cfg").touch()
    (checkout / "empty").mkdir()
    for venv in ("env", "empty", "none"):
        assert make(checkout, "clean", venv).returncode == 0
        assert not (checkout / venv).exists()
