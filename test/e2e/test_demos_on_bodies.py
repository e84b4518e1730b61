# SPDX-License-Identifier: Apache-2.0
"""The demos as people start them, each in a process of its own."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from waiting import PROCESS

from embodiment_bridge.cli.demos.desk import PATIENCE_S, settle

COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
DOCUMENT = '{"type": "sequence", "behaviors": [{"type": "body", "action": "HEAD_SHAKE", "duration": 1}]}'


def demo(body: str, *words: str) -> tuple[str, int]:
    """What it has written, and the number of its process."""
    command = [COMMAND, "demo", "--body", body, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        out, err = process.communicate(timeout=PROCESS)
    assert process.returncode == 0, err
    return out, process.pid


def short(folder: Path) -> tuple[str, str]:
    document = folder / "short.json"
    document.write_text(DOCUMENT)
    return "--bml", str(document)


def test_the_bus_of_virtual_servos_is_a_program_of_its_own_and_gone_afterwards(tmp_path) -> None:
    out, process = demo("virtual_servos", *short(tmp_path))
    assert "outcome            SUCCEEDED" in out
    assert "20, all driven, no error" in out
    assert not Path(f"/tmp/ttyDXL{process}").is_symlink()


def test_in_mujoco_the_robot_stands_after_a_small_push_and_falls_after_a_large_one(tmp_path) -> None:
    out, _ = demo("mujoco", *short(tmp_path))
    assert "outcome            SUCCEEDED" in out
    assert "pushed with    4 N it stands" in out
    assert "pushed with   30 N it HAS FALLEN" in out


def test_an_agent_on_a_grid_finds_the_key_opens_the_door_and_eats() -> None:
    out, _ = demo("maeden")
    assert "outcome            SUCCESS: the agent ate the food" in out
    assert "***********" in out
    assert "#" not in out.split("energy")[0]  # the door is gone
    assert "carries +" in out


def test_what_a_push_does_is_waited_for_in_time_of_the_simulation() -> None:
    watcher, waits = SimpleNamespace(percepts=40), []

    def wait(condition, seconds):
        waits.append(seconds)
        while not condition():
            watcher.percepts += 1

    settle(SimpleNamespace(watcher=watcher, wait=wait))
    assert watcher.percepts == 40 + 270
    assert waits == [PATIENCE_S]
