# SPDX-License-Identifier: Apache-2.0
"""The command line `embodiment_bridge`. Exit code 2 is a usage error; each command documents its others."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Final

from embodiment_bridge.cli import ending
from embodiment_bridge.cli.ending import INTERRUPTED, LOST_OUTPUT
from embodiment_bridge.cli.terminal import drop_output
from embodiment_bridge.core.errors import BridgeError

COMMANDS: Final = {
    "up": "run the nodes of a launch file in one process",
    "run-bml": "run a BML document on the running graph",
    "run-plan": "run an action plan (XML) on the running graph",
    "bml": "check or rehearse a BML document",
    "decode": "decode bytes from a peer into JSON lines",
    "encode": "encode JSON lines of commands into wire bytes",
    "record": "record the running graph (rosbag2, MCAP)",
    "replay": "play a recording (rosbag2) onto the graph",
    "call": "call a service of the running graph",
    "view": "show robots of the running graph in a browser",
    "mcp": "let a language model drive the robot (Model Context Protocol)",
    "node": "run one node in a process of its own",
    "peer": "run a stand-in for an outside program",
    "new-body": "write a first body file for a robot of a URDF",
    "virtual-servos": "simulate the Dynamixel servos of a robot description",
    "servos": "find Dynamixel servos, read and write their registers",
    "demo": "start a body and run a demo on it",
    "doctor": "check this machine and say what to fix",
}
USAGE = 2
EXAMPLES = """\
examples:
  embodiment_bridge demo
  embodiment_bridge up bringup.launch.xml body:=mock
  embodiment_bridge run-bml dance.json
  embodiment_bridge up --help            and so for each command
"""


def parser(first: str = "") -> argparse.ArgumentParser:
    """The parser of the command ``first``; of another word, the names of all commands; of none, all of them.

    A command so starts without the parsers and libraries of the others; `doctor` also starts where these are missing.
    """
    top = argparse.ArgumentParser(
        prog="embodiment_bridge",
        description="Any brain drives any body: robots, simulators and behaviour on one ROS 2 graph.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        if first in ("", name):
            module = name.replace("-", "_")
            importlib.import_module(f"embodiment_bridge.cli.commands.{module}").add(commands)
        elif first not in COMMANDS:
            commands.add_parser(name, help=text)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. words: None: those of the program, whose signals it then handles."""
    if words is not None:
        return _run(words)
    ending.handle_by(ending.raise_or_end)
    try:
        return _run(sys.argv[1:])
    finally:
        ending.handle_by(ending.end)


def _run(words: Sequence[str]) -> int:
    try:
        arguments = _parse(parser(words[0] if words else "--help"), words)
        if getattr(arguments, "end_with", None) is None:
            ending.listen()  # else the program that started this one holds it back
        code: int = arguments.run(arguments)
    except BridgeError as error:
        sys.stderr.write(f"embodiment_bridge: {error}\n")
        return USAGE
    except ModuleNotFoundError as error:
        if find_spec("rclpy"):
            raise
        sys.stderr.write(
            f"embodiment_bridge: this needs ROS 2, which is not installed ({error}); source its setup file, or install "
            "this package with its extra [ros]\n"
        )
        return USAGE
    except KeyboardInterrupt:  # before, or after, a command handles it itself
        return INTERRUPTED
    except BrokenPipeError:  # the program at the other end of a pipe has closed it
        drop_output()
        return LOST_OUTPUT
    return code


def _parse(command_line: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Parse, also with a FILE after an option, which argparse refuses before Python 3.12."""
    arguments, left = command_line.parse_known_args(words)
    if len(left) == 1 and getattr(arguments, "file", "") == "-" and not left[0].startswith("-"):
        arguments.file = left.pop()
    if left:
        command_line.error(f"unrecognized arguments: {' '.join(left)}")
    return arguments
