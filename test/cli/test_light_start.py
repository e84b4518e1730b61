# SPDX-License-Identifier: Apache-2.0
"""What a start does not wait for: libraries and nodes that the command or launch file has no use for."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from embodiment_bridge.cli.command_line import COMMANDS, parser

ROOT = Path(__file__).parents[2]
SAMPLE = "test/data/rcsssmj/samples/session.bin"
ROBOT = """import rclpy, embodiment_bridge.launching.executables as made
    with contextlib.suppress(rclpy.exceptions.NotInitializedException):  # raised once the node has been imported
        made.agent_bridge()"""
WHAT_IS_LOADED = """
import contextlib, io, json, sys
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    {program}
print(json.dumps(list(sys.modules)))
"""


def loaded(program: str) -> set[str]:
    """The modules that a program has loaded when it ends; names of their packages included."""
    done = subprocess.run(
        [sys.executable, "-c", WHAT_IS_LOADED.format(program=program)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout))


def command(*words: str) -> str:
    return f"from embodiment_bridge.cli.command_line import main; main({list(words)})"


@pytest.mark.parametrize(
    ("program", "needs", "does_not_need"),
    [
        (command("--help"), "argparse", "numpy yaml lxml py_trees rclpy embodiment_bridge.bml"),
        (
            command("decode", "rcsssmj", SAMPLE),
            "embodiment_bridge.protocols.rcsssmj.percept_reader",
            "numpy yaml lxml py_trees rclpy email importlib.metadata embodiment_bridge.bml",
        ),
        (
            ROBOT,
            "rclpy embodiment_bridge.nodes.body.agent_bridge",
            "py_trees serial embodiment_bridge.bml embodiment_bridge.dynamixel embodiment_bridge.media.player "
            "embodiment_bridge.protocols.soccer_monitor",
        ),
    ],
    ids=["help", "decode", "robot"],
)
def test_a_start_loads_what_it_needs(program: str, needs: str, does_not_need: str) -> None:
    found = loaded(program)
    assert set(needs.split()) <= found
    assert not set(does_not_need.split()) & found


def test_the_overview_has_each_command() -> None:
    text = parser("--help").format_help()
    assert [name for name in COMMANDS if f"    {name}" not in text] == []
    declared = next(one for one in parser()._actions if isinstance(one, argparse._SubParsersAction))
    assert set(declared.choices) == set(COMMANDS)
