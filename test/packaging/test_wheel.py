# SPDX-License-Identifier: Apache-2.0
"""The wheel, and the backend that builds it."""

import json
import os
import subprocess
import sys
import tomllib
import venv
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from sdist import ROOT, sdist

SAMPLES = ROOT / "test" / "data" / "dummy" / "samples"
OF_ANOTHER_ENVIRONMENT = ("AMENT_PREFIX_PATH", "ROS_PREFIX", "VIRTUAL_ENV", "PYTHONPATH", "LD_LIBRARY_PATH")
BUILD_S, INSTALL_S, COMMAND_S = 3600, 900, 60  # patience, for a busy machine
NODE = """
from embodiment_bridge.launching.environment import prepare
prepare()
import rclpy
from embodiment_bridge.msg import Vision
from tf2_msgs.msg import TFMessage
from control_msgs.action import FollowJointTrajectory
rclpy.init()
node = rclpy.create_node("node")
node.create_publisher(Vision, "vision", 1).publish(Vision())
node.create_publisher(TFMessage, "tf", 1).publish(TFMessage())
rclpy.shutdown()
"""
pytestmark = pytest.mark.soak


class Environment:
    """An empty virtual environment, and the programs that get installed into it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder / "venv", folder / "venv" / "bin"
        venv.create(self.folder, with_pip=True)
        left_out = (*OF_ANOTHER_ENVIRONMENT, "_ROS_WHEELS_BOOTSTRAP_COMPLETE")
        self.variables = {name: value for name, value in os.environ.items() if name not in left_out}
        ours = str(Path(sys.executable).parent)
        path = self.variables["PATH"].split(os.pathsep)
        self.variables["PATH"] = os.pathsep.join(p for p in path if p != ours)  # no cmake or ninja of ours

    def run(self, program: str, *words: str, patience: float = COMMAND_S, code: int = 0) -> str:
        """Run to the end, from a folder without sources; returns the output, errors last."""
        done = subprocess.run(
            [str(self.bin / program), *words],
            env=self.variables, cwd=self.folder, capture_output=True, text=True, timeout=patience,
        )  # fmt: skip
        assert done.returncode == code, done.stdout[-4000:] + done.stderr[-4000:]
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment that has the wheel built from the sdist, and no ROS 2."""
    folder = tmp_path_factory.mktemp("wheel")
    made = Environment(folder)
    made.run("pip", "wheel", "--no-deps", "-w", str(folder), str(sdist(folder)), patience=BUILD_S)
    (wheel,) = folder.glob("*.whl")
    made.run("pip", "install", str(wheel), patience=INSTALL_S)
    made.wheel = wheel
    return made


def test_without_ros_there_is_what_needs_no_graph(environment):
    assert "run-bml" in environment.run("embodiment_bridge", "--help")
    events = environment.run(
        "embodiment_bridge", "decode", "dummy", str(SAMPLES / "session.bin")
    ).splitlines()
    assert len(events) > 1
    assert all(json.loads(line) for line in events)
    document = environment.folder / "share" / "embodiment_bridge" / "config" / "bml" / "first_steps.json"
    environment.run("embodiment_bridge", "bml", "validate", str(document))
    assert "[ros]" in environment.run("embodiment_bridge", "up", "bringup.launch.xml", code=2)


def test_extra_brings_the_ros_that_it_was_built_with(environment):
    environment.run("pip", "install", f"{environment.wheel}[ros]", patience=INSTALL_S)
    environment.run("python", "-c", NODE)
    assert "body" in environment.run("embodiment_bridge", "up", "bringup.launch.xml", "--show-args")


TOP = Path(__file__).parents[2]
ASK = "import json, sys, build_backend as b; sys.prefix = sys.argv[1]; print(json.dumps(b.{}()))"
OURS = ("AMENT_PREFIX_PATH", "ROS_PREFIX", "VIRTUAL_ENV")


def ask(function: str, prefix: Path | str, sites: tuple[Path, ...] = (), **env: str) -> list[str]:
    """What a function of the backend returns to a builder with this sys.prefix, these site-packages and variables."""
    others = {name: value for name, value in os.environ.items() if name not in OURS}
    others["PYTHONPATH"] = os.pathsep.join(map(str, (TOP / "tools", *sites)))
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
    lines = (TOP / "requirements" / name).read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def test_where_no_ros_is_the_wheels_are_asked_for(tmp_path):
    script = ASK.replace(
        "sys.prefix =", "sys.path = [p for p in sys.path if not p.endswith('-packages')]; sys.prefix ="
    )
    assert script != ASK
    done = subprocess.run(
        [sys.executable, "-c", script.format("get_requires_for_build_wheel"), str(tmp_path)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(TOP / "tools")}, capture_output=True, text=True, timeout=60,
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
    static = tomllib.loads((TOP / "pyproject.toml").read_text())["build-system"]["requires"]
    assert set(static) <= pins("build.txt")
    names = {line.partition("==")[0] for line in static}
    needed = [Requirement(line) for name in names for line in requires(name) or ()]
    assert {one.name for one in needed if not one.marker or one.marker.evaluate({"extra": ""})} <= names
