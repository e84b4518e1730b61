# SPDX-License-Identifier: Apache-2.0
"""The demo in MuJoCo, as people start it: the robot stands after a small push and falls after a large one."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from embodiment_bridge.cli.demos.desk import PATIENCE_S, settle

COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
DOCUMENT = '{"type": "sequence", "behaviors": [{"type": "body", "action": "HEAD_SHAKE", "duration": 1}]}'


def test_demo_in_mujoco(tmp_path) -> None:
    document = tmp_path / "short.json"
    document.write_text(DOCUMENT)
    words = [COMMAND, "demo", "--body", "mujoco", "--bml", str(document)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240.0)
    assert done.returncode == 0, done.stderr
    assert "outcome            SUCCEEDED" in done.stdout
    assert "pushed with    4 N it stands" in done.stdout
    assert "pushed with   30 N it HAS FALLEN" in done.stdout


def test_what_a_push_does_is_waited_for_in_time_of_the_simulation() -> None:
    watcher, waits = SimpleNamespace(percepts=40), []

    def wait(condition, seconds):
        waits.append(seconds)
        while not condition():
            watcher.percepts += 1

    settle(SimpleNamespace(watcher=watcher, wait=wait))
    assert watcher.percepts == 40 + 270
    assert waits == [PATIENCE_S]
