# SPDX-License-Identifier: Apache-2.0
"""Where the wheel is installed and ROS 2 is not."""

import subprocess
import sys
from pathlib import Path

import pytest

from embodiment_bridge.cli.command_line import main

ROOT = Path(__file__).parents[2]

WITHOUT_ROS = """
import sys
sys.modules["rclpy"] = None
from embodiment_bridge.cli import main
sys.exit(main(["up", "bringup.launch.xml"]))
"""


def test_command_that_needs_a_graph_says_what_is_missing():
    done = subprocess.run([sys.executable, "-c", WITHOUT_ROS], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("embodiment_bridge: this needs ROS 2, which is not installed (")
    assert "rclpy" in done.stderr
    assert "[ros]" in done.stderr


def test_other_modules_that_are_missing_are_not_blamed_on_ros(monkeypatch):
    monkeypatch.setitem(sys.modules, "embodiment_bridge.launching.up", None)
    with pytest.raises(ModuleNotFoundError, match=r"embodiment_bridge\.launching\.up"):
        main(["up", "bringup.launch.xml"])
