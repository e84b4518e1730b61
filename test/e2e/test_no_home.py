# SPDX-License-Identifier: Apache-2.0
"""Where no logs can be written, nothing starts, and one line says why and what to set."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))


@pytest.mark.parametrize(
    "words",
    [
        [COMMAND, "run-bml", "--wait", "1", "-"],
        [COMMAND, "up", "bringup.launch.xml", "body:=mock"],
        [sys.executable, str(ROOT / "scripts/mock_body")],
    ],
    ids=["run-bml", "up", "ros2 run"],
)
def test_home_that_cannot_be_written_is_named_in_one_line(words):
    env = {name: value for name, value in os.environ.items() if name not in ("ROS_LOG_DIR", "ROS_HOME")}
    done = subprocess.run(
        words, input="{}", env={**env, "HOME": "/dev/null"}, capture_output=True, text=True, timeout=60.0
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(
        f"{Path(words[0] if words[0] == COMMAND else words[1]).name}: ROS cannot be started: "
    )
    assert "/dev/null/.ros/log" in done.stderr
    assert "ROS_LOG_DIR" in done.stderr
    assert done.stderr.count("\n") == 1
