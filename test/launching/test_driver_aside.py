# SPDX-License-Identifier: Apache-2.0
"""The driver of servos under `embodiment_bridge up`: a process of its own, which ends with that of the tree."""

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sensor_msgs.msg import JointState
from waiting import PROCESS, spin_until, until

from embodiment_bridge.cli.commands import demo
from embodiment_bridge.cli.commands.up import launch_description
from embodiment_bridge.cli.demos.show import Show
from embodiment_bridge.launching import keeper_program
from embodiment_bridge.launching.up import Graph
from embodiment_bridge.nodes.base.qos import profile

ROOT = Path(__file__).parents[2]
COMMAND = str(Path(sys.executable).with_name("embodiment_bridge"))
PROGRAM = """\
#!{python}
import sys, time
time.sleep(0.5)  # as long as it may take until a program can heed a signal
from embodiment_bridge.nodes.base.signals import stop_on_signals
with stop_on_signals() as stopped:
    while not stopped():
        time.sleep(0.05)
sys.exit({code})
"""


@pytest.fixture
def checkout(monkeypatch, tmp_path):
    """Programs that are started use the package that is tested, and a home of their own."""
    paths = [str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def drivers(parent: int) -> list[int]:
    """The numbers of the driver processes that a process has started."""
    words = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(parent)]
    lines = subprocess.run(words, capture_output=True, text=True, timeout=PROCESS).stdout.splitlines()
    return [int(line.split()[0]) for line in lines if " node joint_driver --end-with " in line]


def is_there(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def test_the_driver_shares_neither_executor_nor_interpreter_with_the_tree(checkout) -> None:
    words = ["body:=virtual_servos", f"port:={checkout / 'servos'}"]
    told: list[str] = []
    with Graph(launch_description(ROOT / "launch/bringup.launch.xml", words), told.append) as graph:
        (tree,) = graph.runtime._nodes
        assert tree.get_name() == "behavior_tree"
        states: list[JointState] = []
        tree.create_subscription(JointState, "joint_states", states.append, profile("sensor"))
        spin_until(graph, lambda: bool(states and tree.skills), patience=PROCESS)
        assert states
        (driver,) = drivers(os.getpid())
    assert not is_there(driver)
    assert graph.exit_code == 0
    assert told == []


def end_programs_with(code: int, folder: Path, monkeypatch) -> None:
    program = folder / "bin/embodiment_bridge"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(python=sys.executable, code=code))
    program.chmod(0o755)
    monkeypatch.setattr("embodiment_bridge.launching.up.find_program", lambda name: str(program))


@pytest.mark.parametrize("code", [0, 8])
def test_what_a_node_of_its_own_ends_with_is_what_a_demo_ends_with(checkout, monkeypatch, code) -> None:
    end_programs_with(code, checkout, monkeypatch)
    monkeypatch.setattr(
        demo, "all_shows", lambda: {"none": Show("nothing", ("virtual_servos",), lambda _: 0)}
    )
    arguments = argparse.Namespace(show="", body="", brain="", bml=None, stay=False)
    assert demo.run(arguments) == code


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (8, 8)])
def test_what_a_node_of_its_own_ends_with_is_what_up_ends_with(checkout, monkeypatch, code, expected) -> None:
    end_programs_with(code, checkout, monkeypatch)
    # The patience with programs of others, which a node of ours does not get.
    monkeypatch.setattr(keeper_program, "PATIENCE", ((signal.SIGINT, 0.1), *keeper_program.PATIENCE[1:]))
    told: list[str] = []
    plan = launch_description(ROOT / "launch/body/dynamixel.launch.xml", [f"port:={checkout / 'none'}"])
    with Graph(plan, told.append) as graph:
        pass  # it is told to end before it can heed that
    assert graph.exit_code == expected
    assert told == []


def test_a_driver_ends_when_the_process_of_up_is_killed(checkout) -> None:
    words = ["up", str(ROOT / "launch/body/dynamixel.launch.xml"), f"port:={checkout / 'none'}"]
    with subprocess.Popen([COMMAND, *words], stderr=subprocess.DEVNULL) as up:
        until(lambda: bool(drivers(up.pid)))
        (driver,) = drivers(up.pid)
        up.send_signal(signal.SIGKILL)
        up.wait()
    until(lambda: not is_there(driver))


def test_up_ends_when_its_driver_is_killed(checkout) -> None:
    words = ["up", str(ROOT / "launch/body/dynamixel.launch.xml"), f"port:={checkout / 'none'}"]
    with subprocess.Popen([COMMAND, *words], stderr=subprocess.PIPE, text=True) as up:
        until(lambda: bool(drivers(up.pid)))
        os.kill(drivers(up.pid)[0], signal.SIGKILL)
        _, told = up.communicate(timeout=PROCESS)
    assert up.returncode == 1
    assert "ending, because joint_driver has ended" in told
