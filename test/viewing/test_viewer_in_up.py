# SPDX-License-Identifier: Apache-2.0
"""The viewer as `embodiment_bridge up` and `view` have it: a process beside that of the robot."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from test_viewer_node import visitor
from waiting import PROCESS, spin_until, until

from embodiment_bridge.cli.commands.up import launch_description
from embodiment_bridge.launching.up import Graph

ROOT = Path(__file__).parents[2]
COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))


@pytest.fixture
def port(monkeypatch):
    """A free one; programs that are started use the package that is tested."""
    paths = [str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def is_served(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5.0) as answer:
            return answer.status == 200
    except OSError:
        return False


def viewers():
    """The numbers of the viewer processes that this one has started."""
    words = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(os.getpid())]
    lines = subprocess.run(words, capture_output=True, text=True, timeout=PROCESS).stdout.splitlines()
    return [int(line.split()[0]) for line in lines if " view --end-with " in line]


def test_up_has_the_page_beside_the_robot(port, tmp_path):
    values = tmp_path / "values.yaml"
    values.write_text(f"viewer: {{ros__parameters: {{port: {port}}}}}\n")
    plan = launch_description(ROOT / "launch/bringup.launch.xml", ["viewer:=true", f"params:={values}"])
    told = []
    with Graph(plan, told.append) as graph:
        assert {node.get_name() for node in graph.runtime._nodes} == {"mock_body", "behavior_tree"}
        body = graph.runtime._nodes[0]
        spin_until(graph, lambda: is_served(port), patience=PROCESS)
        (viewer,) = viewers()
        assert os.getpriority(os.PRIO_PROCESS, viewer) > os.getpriority(os.PRIO_PROCESS, 0)
        assert body.count_subscribers("/joint_states") == 0
        with visitor(f"http://127.0.0.1:{port}"):
            spin_until(graph, lambda: body.count_subscribers("/joint_states") == 1, patience=PROCESS)
    assert told == []
    assert not Path(f"/proc/{viewer}").exists()


def test_view_shows_a_page_until_it_is_ended(port):
    with subprocess.Popen([COMMAND, "view", "--port", str(port)], stderr=subprocess.PIPE, text=True) as view:
        deadline = time.monotonic() + PROCESS
        while not is_served(port) and view.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        view.send_signal(signal.SIGINT)
        _, said = view.communicate(timeout=PROCESS)
    assert f"the page is at http://127.0.0.1:{port}" in said
    assert view.returncode == 0


def test_view_ends_with_the_process_that_it_belongs_to(port):
    with subprocess.Popen(["sleep", "600"]) as other:
        words = ["view", "--port", str(port), "--end-with", str(other.pid)]
        with subprocess.Popen([COMMAND, *words], stderr=subprocess.DEVNULL) as view:
            until(lambda: is_served(port), patience=PROCESS)
            assert view.poll() is None
            other.kill()
            other.wait()
            assert view.wait(PROCESS) == 0


def test_view_says_why_there_is_no_page(port):
    with socket.create_server(("127.0.0.1", port)):
        done = subprocess.run(
            [COMMAND, "view", "--port", str(port)], capture_output=True, text=True, timeout=PROCESS
        )
    assert done.returncode == 2
    assert f"no page on 127.0.0.1:{port}" in done.stderr
