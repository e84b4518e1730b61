# SPDX-License-Identifier: Apache-2.0
"""What a builder is told to install before it builds, and which ROS 2 the build then takes."""

import json
import os
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
ASK = "import json, sys, build_backend as b; sys.prefix = sys.argv[1]; print(json.dumps(b.{}()))"
OURS = ("AMENT_PREFIX_PATH", "ROS_PREFIX", "VIRTUAL_ENV")


def ask(function: str, prefix: Path | str, sites: tuple[Path, ...] = (), **env: str) -> list[str]:
    """What a function of the backend returns to a builder with this sys.prefix, these site-packages and variables."""
    others = {name: value for name, value in os.environ.items() if name not in OURS}
    others["PYTHONPATH"] = os.pathsep.join(map(str, (ROOT / "tools", *sites)))
    done = subprocess.run(
        [sys.executable, "-c", ASK.format(function), str(prefix)],
        env={**others, **env}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.fixture
def ros(tmp_path):
    """A prefix with ROS 2, as far as anybody looks."""
    (tmp_path / "ros" / "share" / "ament_cmake").mkdir(parents=True)
    return tmp_path / "ros"


def pins(name: str) -> set[str]:
    lines = (ROOT / "requirements" / name).read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def test_where_no_ros_is_the_wheels_are_asked_for(tmp_path):
    script = ASK.replace(
        "sys.prefix =", "sys.path = [p for p in sys.path if not p.endswith('-packages')]; sys.prefix ="
    )
    assert script != ASK
    done = subprocess.run(
        [sys.executable, "-c", script.format("get_requires_for_build_wheel"), str(tmp_path)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "tools")}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) == pins("build.txt") | pins("jazzy.txt")


@pytest.mark.parametrize("variable", OURS)
def test_a_ros_that_is_there_is_the_one_to_build_with(ros, tmp_path, variable):
    wanted = ask("get_requires_for_build_wheel", tmp_path, **{variable: str(ros)})
    assert set(wanted) == pins("build.txt")
    assert ask("ros_prefixes", tmp_path, **{variable: str(ros)}) == [str(ros)]


def test_several_sourced_prefixes_stay_in_order(ros, tmp_path):
    assert ask("ros_prefixes", ros, AMENT_PREFIX_PATH=f"/b{os.pathsep}/a") == ["/b", "/a"]


def test_environment_of_the_install_comes_before_the_wheels_of_the_build(ros, tmp_path):
    overlay = tmp_path / "overlay"
    (overlay / "share" / "ament_cmake").mkdir(parents=True)
    site = overlay / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    assert ask("ros_prefixes", ros, (site,)) == [str(ros)]
    assert ask("ros_prefixes", tmp_path, (site,)) == [str(overlay)]


def test_pins_of_the_static_requirements_are_those_of_the_dynamic_ones():
    """pip refuses a build whose two lists disagree, be it in what a package of the first needs in turn."""
    static = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert set(static) <= pins("build.txt")
    names = {line.partition("==")[0] for line in static}
    needed = [Requirement(line) for name in names for line in requires(name) or ()]
    assert {one.name for one in needed if not one.marker or one.marker.evaluate({"extra": ""})} <= names
