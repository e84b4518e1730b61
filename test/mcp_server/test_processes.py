# SPDX-License-Identifier: Apache-2.0
"""The command in a process of its own: a host that leaves, a server that is killed, signals."""

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import termios
import time
from array import array
from contextlib import contextmanager

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from robot_stage import ROOT
from sensor_msgs.msg import JointState
from waiting import GRAPH, until

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.nodes.base.qos import profile

PROGRAM = str(ROOT / "scripts/embodiment_bridge")
ENV = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
BEGIN = (
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"clientInfo":{"name":"test","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
)
FULL = 30_000  # bytes in a pipe at least, whose 16 pages are not all filled to the end
RUN = (
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_behavior","arguments":{"document":'
    '{"type":"loop","loop":-1,"behavior":{"type":"body","action":"HEAD_SHAKE","duration":4}}}}}\n'
)


class Head:
    """The angles of the head since a moment."""

    def __init__(self, robot) -> None:
        self.angles: list[float] = []
        robot.on_graph(
            lambda node: node.create_subscription(JointState, "joint_states", self.take, profile("sensor"))
        )

    def take(self, message: JointState) -> None:
        self.angles.append(message.position[list(message.name).index("head_yaw")])

    def way(self) -> float:
        """How far it goes in 40 states from now, rad."""
        first = len(self.angles)
        until(lambda: len(self.angles) >= first + 40, patience=GRAPH)
        return max(self.angles[first:]) - min(self.angles[first:])

    def stands(self) -> bool:
        until(lambda: self.way() <= 1e-6, patience=GRAPH)
        return True


@contextmanager
def server(robot):
    """A host that speaks by hand: it does not answer pings, but does not read for long either."""
    assert robot.senses.wait(lambda: robot.senses.run_id == "", GRAPH)  # the run of the test before
    process = subprocess.Popen(
        [sys.executable, PROGRAM, "mcp", "--namespace", robot.namespace, "--wait", "60"],
        env=ENV,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        process.stdin.write(BEGIN)
        process.stdin.flush()
        assert '"serverInfo"' in process.stdout.readline()
        process.stdin.write(RUN)
        process.stdin.flush()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def moves(robot, head) -> None:
    assert robot.senses.wait(lambda: robot.senses.run_id != "", GRAPH)
    deadline = time.monotonic() + GRAPH
    while head.way() < 1e-3:
        assert time.monotonic() < deadline


def test_the_body_holds_when_the_server_is_killed(robot) -> None:
    head = Head(robot)
    with server(robot) as process:
        moves(robot, head)
        process.kill()
        assert head.stands()
    assert robot.stop()


def test_the_run_is_canceled_when_the_host_closes_the_pipe(robot) -> None:
    head = Head(robot)
    with server(robot) as process:
        moves(robot, head)
        process.stdin.close()
        assert process.wait(GRAPH) == 0
    assert robot.senses.wait(lambda: robot.senses.run_id == "", GRAPH)
    assert head.stands()


def test_a_signal_ends_it_while_the_host_keeps_the_pipe_open(robot) -> None:
    head = Head(robot)
    with server(robot) as process:
        moves(robot, head)
        process.send_signal(signal.SIGTERM)
        assert process.wait(GRAPH) == 0
    assert head.stands()


def fills(pipe) -> bool:
    """Wait until no more comes into a pipe that is not read."""
    held, before, deadline = array("i", [0]), -1, time.monotonic() + GRAPH
    while held[0] < FULL or held[0] != before:
        assert time.monotonic() < deadline
        before = held[0]
        time.sleep(0.5)
        fcntl.ioctl(pipe, termios.FIONREAD, held)
    return True


@pytest.mark.parametrize("end", ["signal", "pipe"])
def test_it_ends_although_its_host_does_not_read(robot, end) -> None:
    with server(robot) as process:
        assert robot.senses.wait(lambda: robot.senses.run_id != "", GRAPH)
        for number in range(2, 200):  # the answers fill the pipe
            process.stdin.write(f'{{"jsonrpc":"2.0","id":{number},"method":"tools/list"}}\n')
        process.stdin.flush()
        assert fills(process.stdout)
        if end == "signal":
            process.send_signal(signal.SIGTERM)
        else:
            process.stdin.close()
        assert process.wait(GRAPH) == 0
    assert robot.senses.wait(lambda: robot.senses.run_id == "", GRAPH)


def documented() -> list[dict]:
    """The servers of the hosts' configurations in the docs."""
    page = (ROOT / "docs/language_model.md").read_text()
    blocks = [json.loads(one) for one in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    servers = [block.get("mcpServers", block.get("servers")) for block in blocks]
    return [one["robot"] for one in servers]


def test_the_lines_for_hosts_start_the_same() -> None:
    servers = documented()
    assert len(servers) == 3
    assert {one["command"] for one in servers} == {"/path/.venv/bin/embodiment_bridge"}
    assert len({json.dumps(one["args"]) for one in servers}) == 1


def test_one_line_in_a_host_is_enough_in_an_empty_home(tmp_path) -> None:
    first, start, arguments = documented()[0]["args"]
    words = [PROGRAM, first, start, f"{arguments} namespace:=/started{os.getpid()}"]
    kept = {name: ENV[name] for name in ("PATH", "PYTHONPATH", "ROS_DOMAIN_ID") if name in ENV}
    home = tmp_path / "home"
    home.mkdir()
    parameters = StdioServerParameters(
        command=sys.executable, args=words, env={**kept, "HOME": str(home)}, cwd=tmp_path
    )

    async def do() -> str:
        with anyio.fail_after(GRAPH):
            async with Client(stdio_client(parameters)) as client:
                result = await client.call_tool("do_skill", {"name": "head_shake"})
                return result.content[0].text

    assert anyio.run(do).startswith("head_shake: SUCCEEDED")
    assert {one.name for one in home.iterdir()} <= {".ros", ".cache"}
    assert [one.name for one in tmp_path.iterdir()] == ["home"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--channels", "leg"], "unknown channel 'leg'"),
        (["--http", "here"], "is not HOST:PORT or PORT"),
        (["--http", "0.0.0.0:0"], "is not this machine alone"),
        (["--token-file", "token"], "--token-file is for --http"),
        (["--host-timeout", "0"], "--host-timeout"),
        (["--namespace", "/nobody", "--wait", "0.1"], "no robot in namespace /nobody"),
    ],
    ids=lambda words: words[-1] if isinstance(words, list) else "",
)
def test_what_is_wrong_with_the_command_line(words, says, capfd) -> None:
    assert main(["mcp", *words]) == 2
    out, err = capfd.readouterr()
    assert says in err
    assert out == ""


def test_what_it_says_may_go_nowhere() -> None:
    bring = "from embodiment_bridge.mcp_server.stdio import StandardOutput"
    words = [sys.executable, "-c", f"import anyio; {bring}; anyio.run(StandardOutput().write, 'x')"]
    said = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert (said.returncode, said.stderr) == (0, "")
