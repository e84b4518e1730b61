# SPDX-License-Identifier: Apache-2.0
"""What is missing is said before `make venv` downloads anything: all of it, a line a thing, with what brings it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
