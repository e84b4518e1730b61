# SPDX-License-Identifier: Apache-2.0
"""What `make venv` installs is locked: every package in one version, each file of it by its hash."""

import shutil
import subprocess
import sys
from importlib.metadata import distribution, version
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))

import lock  # noqa: E402 - of tools/

NAMES = ("common", *lock.ROS)


@pytest.mark.parametrize("name", NAMES)
def test_pip_takes_nothing_that_has_no_hash(name) -> None:
    text = (ROOT / lock.LOCKED / f"{name}.txt").read_text()
    assert text.startswith(lock.HEADER)
    assert "://" not in text
    packages = lock.locked(name)
    assert all(package.hashes for package in packages)
    others = [line for line in text.splitlines() if line and not line.startswith(("#", "-", "    "))]
    assert len(packages) == len(others) > 90


def test_all_pins_are_locked() -> None:
    assert list(lock.differences(ROOT)) == []


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    return tmp_path


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_pins_that_were_changed_added_and_removed_are_named(copy) -> None:
    edit(copy / "requirements/run.txt", "lxml==", "lxml==99.")
    edit(copy / "requirements/kilted.txt", "catkin-pkg==", "# catkin-pkg==")
    edit(copy / "requirements/mcp.txt", "mcp==", "new==1\nmcp==")
    of = {line.partition("==")[0]: line.partition(" of ")[2] for line in lock.differences(copy)}
    assert of == {
        "lxml": "requirements/locked/common.txt is not in requirements/run.txt: make lock",
        "catkin-pkg": "requirements/locked/kilted.txt is not in requirements/kilted.txt: make lock",
        "new": "requirements/mcp.txt is not in requirements/locked/common.txt: make lock",
    }


def test_make_stops_at_a_pin_that_is_not_locked(copy) -> None:
    shutil.copy(ROOT / "Makefile", copy)
    shutil.copytree(ROOT / "tools", copy / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    edit(copy / "requirements/run.txt", "lxml==", "lxml==99.")
    words = ["make", "-C", str(copy), "venv", "VENV=env", f"PYTHON={sys.executable}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "requirements/run.txt is not in requirements/locked/common.txt: make lock" in done.stderr
    assert not (copy / "env").exists()


def test_locks_are_complete_and_are_what_is_installed() -> None:
    ros = "jazzy" if version("ros-rclpy").startswith("7.") else "kilted"
    wanted = {
        package.name: package.version
        for package in (*lock.locked("common"), *lock.locked(ros))
        if not package.marker or Marker(package.marker).evaluate()
    }
    assert {name: version(name) for name in wanted} == wanted
    for name in wanted:
        for line in distribution(name).requires or ():
            needed = Requirement(line)
            if not needed.marker or needed.marker.evaluate({"extra": ""}):
                assert wanted[canonicalize_name(needed.name)] in needed.specifier, f"{line} of {name}"


def test_page_of_licences_has_what_is_locked(copy) -> None:
    script = copy / "tools/licences.py"
    for folder, pattern in (("tools", "l*.py"), ("docs", "licences.md")):
        (copy / folder).mkdir()
        for file in (ROOT / folder).glob(pattern):
            shutil.copy(file, copy / folder)
    words = [sys.executable, str(script), "--check"]
    assert subprocess.run(words, timeout=60, check=False).returncode == 0
    edit(copy / "docs/licences.md", "| lxml | ", "| lxml | 99.")
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "differ in lxml 99." in done.stderr
