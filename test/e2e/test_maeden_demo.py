# SPDX-License-Identifier: Apache-2.0
"""The demo on a Maeden agent, as people start it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))


def test_demo_finds_the_key_opens_the_door_and_eats() -> None:
    words = [COMMAND, "demo", "--body", "maeden"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, env=environment, **pipes) as process:
        out, err = process.communicate(timeout=240.0)
    assert process.returncode == 0, err
    assert "outcome            SUCCESS: the agent ate the food" in out
    assert "***********" in out
    assert "#" not in out.split("energy")[0]  # the door is gone
    assert "carries +" in out
