# SPDX-License-Identifier: Apache-2.0
"""The Python versions are the same everywhere, and a machine that lacks something is told."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from embodiment_bridge.cli.doctor.machine import NEWEST_WHEELS, OLDEST

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NEWEST = (3, 14)  # of Lyrical on Ubuntu 26.04; newer than the ROS wheels of PyPI
WORDS = r"Python (3\.\d+) to (3\.\d+)"


def found(pattern: str, file: str) -> list[tuple[str, ...]]:
    return re.findall(pattern, (ROOT / file).read_text(), re.MULTILINE)


def numbers(version: str) -> tuple[int, int]:
    major, minor = version.split(".")
    return int(major), int(minor)


def test_readme():
    assert [tuple(map(numbers, pair)) for pair in found(WORDS, "README.md")] == [(OLDEST, NEWEST_WHEELS)]


def test_check_of_the_machine_says_and_does_it():
    file = "tools/check_machine.sh"
    assert [tuple(map(numbers, pair)) for pair in found(WORDS, file)] == [(OLDEST, NEWEST_WHEELS)]
    assert found(r"not (\(.*?\)) <= sys.version_info\[:2\] <= (\(.*?\))\)", file) == [
        (str(OLDEST), str(NEWEST_WHEELS))
    ]


def test_metadata():
    after = f"{NEWEST[0]}.{NEWEST[1] + 1}"
    assert PROJECT["project"]["requires-python"] == f">={OLDEST[0]}.{OLDEST[1]},<{after}"
    named = [line.split(" :: ")[-1] for line in PROJECT["project"]["classifiers"] if "Python :: 3." in line]
    assert [numbers(name) for name in named] == [(3, minor) for minor in range(OLDEST[1], NEWEST[1] + 1)]


def test_checks_of_the_sources_are_for_the_oldest():
    assert PROJECT["tool"]["ruff"]["target-version"] == "py{}{}".format(*OLDEST)
    assert PROJECT["tool"]["mypy"]["python_version"] == "{}.{}".format(*OLDEST)


def test_locks_are_for_the_oldest_too():
    assert found(r'^OLDEST_PYTHON = "(.*)"$', "tools/lock.py") == ["{}.{}".format(*OLDEST)]


@pytest.mark.parametrize("file", sorted(p.name for p in (ROOT / "requirements").glob("*.txt")))
def test_no_pin_is_for_another_version(file):
    for version in found(r"python_version *[<>=!]+ *['\"](3\.\d+)['\"]", f"requirements/{file}"):
        assert OLDEST < numbers(version) <= NEWEST_WHEELS


CHECK = Path(__file__).parents[2] / "tools" / "check_machine.sh"
OLD_PYTHON = """#!/bin/sh
[ "$1" = --version ] && echo "Python 3.9.2"
exec {python} -c 'import sys; sys.version_info = (3, 9, 2); exec(sys.argv[1])' "$2"
"""


def lacks(**env: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        ["sh", str(CHECK)], env={**os.environ, **env}, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stderr.splitlines()


def test_this_machine_has_everything():
    assert lacks(PYTHON=sys.executable) == (0, [])


@pytest.mark.parametrize(
    ("variable", "package"), [("PYTHON", "python3 python3-venv python3-dev"), ("CC", "gcc"), ("CXX", "g++")]
)
def test_one_thing_missing(variable, package):
    code, lines = lacks(**{"PYTHON": sys.executable, variable: "not-there"})
    assert code == 1
    assert len(lines) == 1
    assert lines[0].startswith("embodiment_bridge: ")
    assert "not-there" in lines[0]
    assert lines[0].endswith(f"is missing; install it with: apt-get install {package}")


def test_all_that_is_missing_is_named():
    code, lines = lacks(PYTHON="no-python", CC="no-cc", CXX="no-cxx")
    assert code == 1
    assert [name for line in lines for name in ("no-python", "no-cc", "no-cxx") if name in line] == [
        "no-python",
        "no-cc",
        "no-cxx",
    ]


def test_python_that_is_too_old(tmp_path):
    old = tmp_path / "python3.9"
    old.write_text(OLD_PYTHON.format(python=sys.executable))
    old.chmod(0o755)
    code, lines = lacks(PYTHON=str(old))
    assert code == 1
    assert len(lines) == 1
    assert "Python 3.9.2 has no ROS wheels; use Python 3.11 to 3.13" in lines[0]
