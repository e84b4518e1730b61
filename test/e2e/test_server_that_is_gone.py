# SPDX-License-Identifier: Apache-2.0
"""run-bml and run-plan end by themselves when the server is gone, and by a second signal whatever the server does.

While the goal runs they stay, also when nobody reads what they say.
"""

import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from waiting import PROCESS

COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
SERVER = Path(__file__).with_name("stubborn_server.py")
FAILED, GONE = 1, 5
SOON = 12.0  # s; it takes 2 to 3, and took 22 with the lease of the middleware
DOCUMENT = '{"type": "delay", "duration": 3600}'
PLAN = (
    '<oc:action-plan xmlns:oc="http://www.opencog.org/brain" entity-id="fido" id="1">'
    '<action name="say" sequence="1"><param type="string" value="hello"/></action></oc:action-plan>'
)


@contextmanager
def server(way="stubborn"):
    process = subprocess.Popen([sys.executable, str(SERVER), way], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "serves\n"
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def goal(command, served):
    """A command whose goal the server has taken."""
    words, text = [COMMAND, command, "-"], PLAN if command == "run-plan" else DOCUMENT
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        process.stdin.write(text)
        process.stdin.close()
        process.stdin = None
        assert served.stdout.readline() == "taken\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def given_up(process, why="the behaviour-tree node is gone"):
    """What the command says last, once it has told that it gives up and was interrupted in its wait for the server."""
    assert process.stderr.readline().startswith(f"embodiment_bridge: {why}; canceling if it comes back")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PROCESS)
    return process.returncode, err


both = pytest.mark.parametrize("command", ["run-bml", "run-plan"])


@both
def test_server_that_leaves_ends_the_command(command):
    with server() as served, goal(command, served) as process:
        served.terminate()
        assert given_up(process) == (GONE, "embodiment_bridge: the behaviour-tree node is gone\n")


@both
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_server_that_falls_silent_ends_the_command_soon(command, how):
    with server() as served, goal(command, served) as process:
        begun = time.monotonic()
        served.send_signal(how)
        assert given_up(process) == (GONE, "embodiment_bridge: the behaviour-tree node is gone\n")
        assert time.monotonic() - begun < SOON


@both
def test_server_that_stood_still_ends_the_goal_that_was_given_up_meanwhile(command):
    with server() as served, goal(command, served) as process:
        served.send_signal(signal.SIGSTOP)
        assert "is gone; canceling" in process.stderr.readline()
        served.send_signal(signal.SIGCONT)
        assert served.stdout.readline() == "canceled\n"
        _, err = process.communicate(timeout=PROCESS)
        assert process.returncode == GONE
        assert err.endswith("is gone; it came back, and the goal is canceled\n")


@both
def test_server_that_stands_still_for_a_second_is_not_gone(command):
    with server("talkative") as served, goal(command, served) as process:
        served.send_signal(signal.SIGSTOP)
        time.sleep(1.0)
        served.send_signal(signal.SIGCONT)
        process.communicate(timeout=PROCESS)
        assert process.returncode == FAILED


@both
def test_server_that_is_killed_and_started_anew_ends_the_command(command):
    with server() as served, goal(command, served) as process:
        served.kill()
        with server():
            _, err = process.communicate(timeout=PROCESS)
        assert process.returncode == GONE
        assert "the behaviour-tree node" in err  # it is gone, or knows no result, by which is seen first


@both
def test_second_signal_ends_a_command_whose_goal_does_not_end(command):
    with server() as served, goal(command, served) as process:
        process.terminate()
        assert "interrupt again" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PROCESS)
        assert process.returncode == GONE


@both
def test_goal_that_is_not_answered_may_be_running(command):
    with server("deaf") as served, goal(command, served) as process:
        told = "the goal was not answered: it may be running"
        assert given_up(process, told) == (GONE, f"embodiment_bridge: {told}\n")


@both
def test_goal_is_followed_to_its_end_when_nobody_reads_the_output(command):
    with server("talkative") as served, goal(command, served) as process:
        assert process.stdout.readline()
        process.stdout.close()
        process.stdout = None
        assert process.wait(PROCESS) == FAILED
        assert process.stderr.read() == ""
