# SPDX-License-Identifier: Apache-2.0
"""The code of docs/bring_your_own_*.md is run as it stands there."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import rclpy
from std_msgs.msg import String
from waiting import PROCESS, spin_until

from embodiment_bridge.launching.executables import behavior_tree, mock_body
from embodiment_bridge.nodes.base.runtime import Runtime

ROOT = Path(__file__).parents[2]
ENV = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}


def blocks(page: str, language: str) -> list[str]:
    """The code of a page in one language."""
    text = (ROOT / "docs" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def end(process: subprocess.Popen) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=20.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


@pytest.fixture
def body():
    with Runtime() as runtime:
        nodes = [runtime.add(make(context=runtime.context)) for make in (mock_body, behavior_tree)]
        spin_until(runtime, lambda: all(node.active for node in nodes))
        yield runtime


def test_the_brain_of_ten_lines_goes_to_the_ball(body, tmp_path) -> None:
    text = blocks("bring_your_own_brain.md", "python")[0]
    assert len([line for line in text.splitlines() if line]) <= 10
    file = tmp_path / "greet.py"
    file.write_text(text)
    brain = subprocess.Popen([sys.executable, str(file)], env=ENV, stdout=subprocess.PIPE, text=True)
    try:
        spin_until(body, lambda: brain.poll() is not None, patience=PROCESS)
        lines = brain.communicate()[0].splitlines()
    finally:
        end(brain)
    assert re.fullmatch(r"ball at -?\d+\.\d -?\d+\.\d m", lines[0]), lines
    assert [line.partition(" ")[0] for line in lines[1:4]] == ["SUCCEEDED"] * 3
    assert "ball ball" in lines[4:]


def test_the_brain_greets_the_ball(body, tmp_path) -> None:
    file = tmp_path / "my_brain.py"
    file.write_text(blocks("bring_your_own_brain.md", "python")[1])
    brain = subprocess.Popen([sys.executable, str(file)], env=ENV, stdout=subprocess.PIPE, text=True)
    try:
        spin_until(body, lambda: brain.poll() is not None, patience=PROCESS)
        lines = brain.communicate()[0].splitlines()
    finally:
        end(brain)
    assert re.fullmatch(r"ball at -?\d+\.\d -?\d+\.\d m", lines[0])
    assert lines[1:3] == ["say: done", "head_shake: done"]


def test_documents_on_a_topic_are_run(body, tmp_path) -> None:
    file = tmp_path / "bml_topic.py"
    file.write_text(blocks("bring_your_own_brain.md", "python")[2])
    user = body.add(rclpy.create_node("user", context=body.context))
    outcomes: list[str] = []
    user.create_subscription(String, "bml_outcome", lambda message: outcomes.append(message.data), 10)
    documents = user.create_publisher(String, "documents", 10)
    brain = subprocess.Popen([sys.executable, str(file)], env=ENV)
    try:
        for text, outcome in (
            ('{"type": "body", "action": "HEAD_SHAKE", "duration": 1}', "SUCCEEDED"),
            ("nonsense", "REJECTED : NOT_JSON"),
        ):
            due = 0.0
            limit = time.monotonic() + PROCESS
            # Said again now and then: the other program may not be there yet, or not have found the action.
            while not any(one.startswith(outcome) for one in outcomes) and time.monotonic() < limit:
                if time.monotonic() > due:
                    documents.publish(String(data=text))
                    due = time.monotonic() + 4.0
                body.executor.spin_once(timeout_sec=0.1)
            assert any(one.startswith(outcome) for one in outcomes), outcomes
    finally:
        end(brain)


def test_a_body_of_ones_own_runs_bml(tmp_path) -> None:
    page = "bring_your_own_body.md"
    for name, language in (("pan_tilt.urdf", "xml"), ("pan_tilt.yaml", "yaml"), ("yes_and_no.json", "json")):
        (text,) = blocks(page, language)
        (tmp_path / name).write_text(text)
    command = [sys.executable, str(ROOT / "scripts/embodiment_bridge")]
    port = tmp_path / "port"
    running = []
    env = {**ENV, "ROS_HOME": str(tmp_path)}
    try:
        words = ["virtual-servos", "pan_tilt.urdf", "--link", str(port)]
        running.append(subprocess.Popen([*command, *words], cwd=tmp_path, env=env))
        words = ["up", "bringup.launch.xml", "body:=dynamixel", f"urdf:={tmp_path}/pan_tilt.urdf"]
        words += [f"body_file:={tmp_path}/pan_tilt.yaml", f"port:={port}"]
        running.append(subprocess.Popen([*command, *words], cwd=tmp_path, env=env))
        limit = time.monotonic() + PROCESS
        while True:  # refused until the servos have been found
            words = ["run-bml", "yes_and_no.json", "--wait", "30"]
            done = subprocess.run(
                [*command, *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
            )
            if done.returncode == 0 or time.monotonic() > limit:
                break
    finally:
        for process in reversed(running):
            end(process)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SUCCEEDED" in done.stdout
    assert "SKIPPED" not in done.stdout + done.stderr
