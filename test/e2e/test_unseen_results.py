# SPDX-License-Identifier: Apache-2.0
"""What is done but cannot be seen by the body is told as such to a program, at the command line, and to an OAC.

The body lets go of what it holds, of which it sees nothing.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from robot_stage import ROOT, bringup
from waiting import GRAPH, PROCESS, until

from embodiment_bridge.robot.robot import Robot
from embodiment_bridge.standins.oac.stand_in import OacPeer

UNSEEN = "done as commanded; this body cannot see the result"
NAMESPACE = f"/unseen{os.getpid()}"
COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
DROP = '{"type": "body", "action": "DROP"}'
PLAN = (
    '<oc:action-plan xmlns:oc="http://www.opencog.org/brain" entity-id="fido" id="7">'
    '<action name="drop" sequence="1"/><action name="do_nothing" sequence="2"/></oc:action-plan>'
)
BODY = f"""
like: {ROOT / "config/bodies/desk_humanoid.yaml"}
skills:
  drop: {{kind: motion, channels: [hand_l, hand_r], nominal_s: 1.0, min_s: 0.4, keyframes: [{{at: 1.0, rest: true}}]}}
"""
BLIND = {"body": "mujoco", "world": "none", "real_time_factor": "0.0", "use_sim_time": "true"}


@pytest.fixture(scope="module")
def oac():
    with OacPeer(script="none") as peer:
        yield peer


@pytest.fixture(scope="module")
def robot(oac, tmp_path_factory):
    file = tmp_path_factory.mktemp("body") / "blind.yaml"
    file.write_text(BODY, encoding="utf-8")
    plan = bringup(NAMESPACE, **BLIND, body_file=str(file), brain="opencog", router_port=str(oac.port))
    with Robot(NAMESPACE, graph=plan, wait=GRAPH) as made:
        yield made


def test_a_python_program_is_told(robot) -> None:
    outcome = robot.do("drop")
    assert (outcome.outcome, outcome.warnings) == ("SUCCEEDED", (f": REMARK: {UNSEEN}",)), outcome
    assert UNSEEN in str(outcome)


@pytest.mark.parametrize(
    ("command", "document", "told"),
    [("run-bml", DROP, f"REMARK: {UNSEEN}"), ("run-plan", PLAN, f"done: {UNSEEN}")],
)
def test_a_command_tells_it_and_ends_well(robot, command, document, told) -> None:
    words = [COMMAND, command, "-", "--namespace", NAMESPACE]
    done = subprocess.run(words, input=document, capture_output=True, text=True, timeout=PROCESS)
    assert (done.returncode, told in done.stdout + done.stderr) == (0, True), done


def test_an_oac_is_told_with_its_report(robot, oac) -> None:
    brain = oac.brains["fido"]
    until(lambda: "fido" in brain.known, patience=GRAPH)
    oac.do(lambda: oac.router.send("fido", "PROXY", 1, PLAN.encode()))
    until(lambda: len(brain.record.reports) == 2, patience=GRAPH)
    told = [(one.sequence, one.status, [p.value for p in one.params]) for one in brain.record.reports]
    assert told == [(1, "done", [UNSEEN]), (2, "done", [])]
