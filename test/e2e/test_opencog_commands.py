# SPDX-License-Identifier: Apache-2.0
"""OpenCog from the command line, in processes of their own: demo, peer oac, brain:=opencog, run-plan."""

import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from waiting import PROCESS

from embodiment_bridge.cli.command_line import main

COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
SEED = Path(__file__).parents[1] / "data/opencog/seed"
PLAN = '<oc:action-plan xmlns:oc="http://www.opencog.org/brain" entity-id="fido" id="1">{}</oc:action-plan>'
SAY = '<action name="say" sequence="1"><param type="string" value="hello"/></action>'
WALK = '<action name="walk" sequence="1"><param type="vector"><vector x="3000" y="0" z="0"/></param></action>'
JUGGLE = '<action name="juggle" sequence="2"/>'


def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *words], input=stdin, capture_output=True, text=True, timeout=240.0)


@contextmanager
def running(*words: str):
    """A command that ends with Ctrl-C and exit code 0."""
    process = subprocess.Popen([COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240.0)
    assert process.returncode == 0, out + err


def test_demo_reports_every_action_and_shows_the_ball_moving():
    done = run("demo", "--brain", "opencog")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "actions            7, reported once 7, done 7" in done.stdout
    assert "0 of them dropped" in done.stdout
    assert "trying again" not in done.stderr  # the OAC is there until the graph has ended
    places = re.search(r"the ball +seen at (\d+) places", done.stdout)
    assert places
    assert int(places[1]) > 3


def test_stand_in_graph_and_run_plan():
    with running("peer", "oac", "--port", "0", "--script", "nod", "--verbose", "true") as peer:
        port = peer.stdout.readline().rpartition(":")[2].strip()
        with running("up", "bringup.launch.xml", "brain:=opencog", f"router_port:={port}"):
            line = ""
            while "plan 0 is done" not in line:
                line = peer.stderr.readline()
                assert line, "the stand-in has ended"
            deadline = time.monotonic() + PROCESS
            while (done := run("run-plan", "-", stdin=PLAN.format(SAY))).returncode != 0:
                assert time.monotonic() < deadline, done.stdout + done.stderr
            assert re.search(r"1 say +done", done.stdout)
            assert done.stdout.splitlines()[-1].startswith("SUCCEEDED after")
            done = run("run-plan", "-", stdin=PLAN.format(SAY + JUGGLE))
            assert done.returncode == 1
            assert "juggle               ERROR: unknown action 'juggle'" in done.stdout
            late = run("run-plan", "--timeout", "0.5", "-", stdin=PLAN.format(WALK))
            assert late.returncode == 1
            assert "TIMEOUT: has not ended after 0.5 s" in late.stdout
            seed = run("run-plan", str(SEED / "03-action-plan.as-is.xml"))
            assert seed.returncode == 1  # as printed: far away, and nobody to sniff at
            assert "'x' is 339.213, not a number within -100 to 100 m" in seed.stdout


def test_run_plan_with_nobody_there():
    done = run("run-plan", "--wait", "1", "--namespace", "/nobody", "-", stdin=PLAN.format(SAY))
    assert done.returncode == 4
    assert "nothing serves execute_action_plan in namespace /nobody" in done.stderr


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        (None, 2, "No such file or directory"),
        ("", 3, "byte 0"),
        ("no XML", 3, "not XML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><oc:action-plan id="1">&a;</oc:action-plan>', 3, "byte 0"),
        ("<oc:emotional-feeling entity-id='1'/>", 3, "there is no action-plan in it"),
    ],
)
def test_file_without_a_plan_is_refused(text, code, told, tmp_path, capsys):
    path = tmp_path / "plan.xml"
    if text is not None:
        path.write_text(text)
    assert main(["run-plan", str(path)]) == code
    assert told in capsys.readouterr().err
