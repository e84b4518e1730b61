# SPDX-License-Identifier: Apache-2.0
"""The command line as people use it, in processes of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from real_server import free_ports

COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))


def run(*words: str, stdin: str | None = None, timeout: float = 240.0) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *words], input=stdin, capture_output=True, text=True, timeout=timeout)


def children_of(pid: int) -> set[int]:
    out = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return {int(word) for word in out.split()}


def test_demo_in_real_time_ends_by_itself_upright_and_leaves_nothing() -> None:
    process = subprocess.Popen([COMMAND, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (servers := children_of(process.pid)) and process.poll() is None:
        time.sleep(0.1)
    out, err = process.communicate(timeout=240.0)
    assert process.returncode == 0, err
    assert "SUCCEEDED" in out
    assert "upright" in out
    assert servers
    assert not any(Path(f"/proc/{pid}").exists() for pid in servers)


@pytest.fixture
def up():
    """A running `embodiment_bridge up` with its own simulator; ends with Ctrl-C and exit code 0."""
    port, monitor_port = free_ports()
    words = ["body:=rcsssmj", "start_peer:=true", f"port:={port}", f"monitor_port:={monitor_port}"]
    process = subprocess.Popen(
        [COMMAND, "up", "bringup.launch.xml", *words], stderr=subprocess.PIPE, text=True
    )
    yield process
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=240.0)
    assert process.returncode == 0, err


def test_up_and_run_bml(up, tmp_path) -> None:
    good = tmp_path / "good.json"
    good.write_text('{"type": "sequence", "behaviors": [{"type": "body", "action": "head_shake"}]}')
    deadline = time.monotonic() + 240.0
    while (done := run("run-bml", str(good))).returncode in (4, 5) or "REJECTED" in done.stdout:
        assert time.monotonic() < deadline, done.stderr
    while done.returncode == 1 and "the body is not there" in done.stdout and time.monotonic() < deadline:
        done = run("run-bml", str(good))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("SUCCEEDED after ")
    bad = run(
        "run-bml", "-", stdin='{"type": "sequence", "behaviors": [{"type": "body", "action": "HEAD_SHAKK"}]}'
    )
    assert bad.returncode == 3
    assert "/behaviors/0/action: UNKNOWN_ACTION" in bad.stderr


def test_run_bml_without_a_graph_says_what_to_do() -> None:
    done = run("run-bml", "--wait", "1", "--namespace", "/nobody", "-", stdin="{}")
    assert done.returncode == 4
    assert "embodiment_bridge up bringup.launch.xml" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["up", "no.launch.xml"],
            "no launch file 'no.launch.xml' here or in the package (there: bringup.launch.xml",
        ),
        (["up", "bringup.launch.xml", "body:=tractor"], "'tractor'"),
        (["up", "bringup.launch.xml", "bodi:=mock"], "did you mean 'body'"),
        (["decode", "morse"], "unknown protocol 'morse'"),
        (["run-bml", "/no/such.json"], "/no/such.json: cannot be read: No such file or directory"),
        (
            ["bml", "dry-run", "--media", "http://a/b", "-"],
            "--media 'http://a/b' is not of the form URL=VALUE",
        ),
    ],
)
def test_usage_errors_name_value_and_choices(words, says) -> None:
    done = run(*words, stdin="")
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_decode_and_encode_are_for_pipes() -> None:
    line = '{"command": "Init", "model": "T1", "team": "blue", "number": 2}\n'
    done = subprocess.run(
        [COMMAND, "encode", "rcsssmj"], input=line.encode(), capture_output=True, timeout=240.0
    )
    assert done.stdout == b"\0\0\0\x10(init T1 blue 2)"
    percept = Path(__file__).parents[1] / "data/rcsssmj/short_agent_t1.bin"
    lines = run("decode", "rcsssmj", str(percept)).stdout.splitlines()
    events = [json.loads(line) for line in lines]
    assert {event["event"] for event in events} == {"Percept"}
    assert len(events) == 60
    garbage = subprocess.run(
        [COMMAND, "decode", "rcsssmj"], input=b"\0\0\0\2((", capture_output=True, timeout=240.0
    )
    assert garbage.returncode == 1
    assert json.loads(garbage.stdout)["event"] == "Malformed"


def test_decode_needs_no_ros(tmp_path) -> None:
    (tmp_path / "rclpy").mkdir()
    (tmp_path / "rclpy/__init__.py").write_text("raise ImportError('no ROS here')")
    percept = Path(__file__).parents[1] / "data/rcsssmj/short_agent_t1.bin"
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [COMMAND, "decode", "rcsssmj", str(percept)], capture_output=True, env=env, timeout=240.0
    )
    assert done.returncode == 0, done.stderr
