# SPDX-License-Identifier: Apache-2.0
"""Every place that says which versions of Python will do says the same."""

import re
import tomllib
from pathlib import Path

import pytest

from embodiment_bridge.cli.doctor.machine import NEWEST_WHEELS, OLDEST

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
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
    after = f"{NEWEST_WHEELS[0]}.{NEWEST_WHEELS[1] + 1}"
    assert PROJECT["project"]["requires-python"] == f">={OLDEST[0]}.{OLDEST[1]},<{after}"
    named = [line.split(" :: ")[-1] for line in PROJECT["project"]["classifiers"] if "Python :: 3." in line]
    assert [numbers(name) for name in named] == [
        (3, minor) for minor in range(OLDEST[1], NEWEST_WHEELS[1] + 1)
    ]


def test_checks_of_the_sources_are_for_the_oldest():
    assert PROJECT["tool"]["ruff"]["target-version"] == "py{}{}".format(*OLDEST)
    assert PROJECT["tool"]["mypy"]["python_version"] == "{}.{}".format(*OLDEST)


def test_locks_are_for_the_oldest_too():
    assert found(r'^OLDEST_PYTHON = "(.*)"$', "tools/lock.py") == ["{}.{}".format(*OLDEST)]


@pytest.mark.parametrize("file", sorted(p.name for p in (ROOT / "requirements").glob("*.txt")))
def test_no_pin_is_for_another_version(file):
    for version in found(r"python_version *[<>=!]+ *['\"](3\.\d+)['\"]", f"requirements/{file}"):
        assert OLDEST < numbers(version) <= NEWEST_WHEELS
