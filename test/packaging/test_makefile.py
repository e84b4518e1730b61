# SPDX-License-Identifier: Apache-2.0
"""What `make` must not do: remove what it has not made, take another Python or another ROS than it says."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_make_around(monkeypatch):
    """These tests run under `make test`, whose variables are not theirs."""
    for name in ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "VENV", "PYTHON"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def checkout(tmp_path):
    """As much of a checkout as the targets need, with a folder of the user."""
    for file in [ROOT / "Makefile", *(ROOT / "requirements").rglob("*.txt")]:
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_text("years of work")
    return tmp_path


def make(folder: Path, target: str, venv: str) -> subprocess.CompletedProcess[str]:
    words = ["make", "-C", str(folder), target, f"VENV={venv}", "PYTHON=false"]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def test_an_environment_of_somebody_else_is_left_as_it_is(checkout, monkeypatch) -> None:
    (checkout / "work" / "pyvenv.cfg").touch()
    assert make(checkout, "clean", "work").returncode == 2
    monkeypatch.setenv("VENV", "work")
    subprocess.run(["make", "-C", str(checkout), "clean"], check=True, timeout=60)
    assert (checkout / "work" / "thesis.txt").exists()


@pytest.mark.parametrize("target", ["venv", "clean"])
def test_a_name_with_a_blank_is_refused(checkout, target) -> None:
    done = make(checkout, target, "work env")
    assert done.returncode == 2
    assert "VENV=work env has a blank in it" in done.stderr
    assert (checkout / "work" / "thesis.txt").exists()


def test_another_python_than_that_of_the_environment_is_refused(checkout) -> None:
    python = checkout / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho '(3, 99)'\n")
    python.chmod(0o755)
    words = ["make", "-C", str(checkout), "asked-python", "VENV=env", f"PYTHON={sys.executable}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert f"env has another Python than {sys.executable}: make clean first" in done.stderr
    python.write_text(f"#!/bin/sh\necho '({sys.version_info[0]}, {sys.version_info[1]})'\n")
    assert subprocess.run(words, timeout=60, check=False).returncode == 0


def test_a_ros_that_is_sourced_is_not_seen(checkout, monkeypatch) -> None:
    sourced = {
        "AMENT_PREFIX_PATH": "/opt/ros/x",
        "PYTHONPATH": "/opt/ros/x/py",
        "LD_LIBRARY_PATH": "/opt/ros/x/lib",
    }
    for name, value in sourced.items():
        monkeypatch.setenv(name, value)
    (checkout / "seen.mk").write_text("include Makefile\nseen:\n\t@env\n")
    words = ["make", "-C", str(checkout), "-f", "seen.mk", "seen"]
    seen = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "/opt/ros/x" not in seen


@pytest.mark.parametrize("target", ["venv", "clean"])
def test_a_folder_of_something_else_is_left_as_it_is(checkout, target) -> None:
    done = make(checkout, target, "work")
    assert done.returncode == 2
    assert "VENV=work was not made by make" in done.stderr
    assert (checkout / "work" / "thesis.txt").read_text() == "years of work"


def test_an_environment_an_empty_folder_and_none_are_cleaned(checkout) -> None:
    (checkout / "env").mkdir()
    (checkout / "env" / ".stamps").mkdir()
    (checkout / "empty").mkdir()
    for venv in ("env", "empty", "none"):
        assert make(checkout, "clean", venv).returncode == 0
        assert not (checkout / venv).exists()
