# SPDX-License-Identifier: Apache-2.0
"""The command line `embodiment_bridge`. Exit code 2 is a usage error; each command documents its others."""

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Final, TypeAlias

from embodiment_bridge.cli import ending
from embodiment_bridge.cli.ending import INTERRUPTED, LOST_OUTPUT
from embodiment_bridge.cli.terminal import drop_output, say
from embodiment_bridge.core.errors import BridgeError

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
# By name: the module of `cli/commands` whose function `add` declares it, and its line in the overview.
COMMANDS: Final = {
    "up": ("up", "run the nodes of a launch file in one process"),
    "run-bml": ("run_bml", "run a BML document on the running graph"),
    "run-plan": ("run_plan", "run an action plan (XML) on the running graph"),
    "skills": ("skills", "list the actions and emotions of a body"),
    "bml": ("bml", "check or rehearse a BML document"),
    "decode": ("codec", "decode bytes from a peer into JSON lines"),
    "encode": ("codec", "encode JSON lines of commands into wire bytes"),
    "record": ("bags", "record the running graph (rosbag2, MCAP)"),
    "replay": ("bags", "play a recording (rosbag2) onto the graph"),
    "bag": ("bag_show", "show what a recording holds: topics, rates, gaps, runs"),
    "call": ("call", "call a service of the running graph"),
    "view": ("node", "show robots of the running graph in a browser"),
    "mcp": ("mcp", "let a language model drive the robot (Model Context Protocol)"),
    "node": ("node", "run one node in a process of its own"),
    "peer": ("peer", "run a stand-in for an outside program"),
    "new-body": ("new_body", "write a first body file for a robot of a URDF"),
    "virtual-servos": ("virtual_servos", "simulate the Dynamixel servos of a robot description"),
    "servos": ("servos", "find Dynamixel servos, read and write their registers"),
    "demo": ("demo", "start a body and run a demo on it"),
    "doctor": ("doctor", "check this machine and say what to fix"),
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
    """Return the parser of the command ``first``; of another word, the names of all commands; of none, all of them.

    A command so starts without the parsers and libraries of the others; `doctor` also starts where these are missing.
    """
    top = argparse.ArgumentParser(
        prog="embodiment_bridge",
        description="Any brain drives any body: robots, simulators and behaviour on one ROS 2 graph.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    if first not in COMMANDS and first:
        top.add_argument("--version", action="version", version=_version())
        for name, (_, text) in COMMANDS.items():
            commands.add_parser(name, help=text)
    for module in {module: None for name, (module, _) in COMMANDS.items() if first in ("", name)}:
        importlib.import_module(f"embodiment_bridge.cli.commands.{module}").add(commands)
    return top


def declare(
    commands: Commands,
    name: str,
    description: str,
    examples: str,
    run: Callable[[argparse.Namespace], int] | None = None,
) -> argparse.ArgumentParser:
    """Declare a command, whose help ends with ``examples`` as they are written.

    A group of commands has no ``run``.
    """
    command = commands.add_parser(
        name, description=description, epilog=examples, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.set_defaults(run=run)
    return command


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # loads much for the other commands

    try:
        return f"embodiment_bridge {version('embodiment-bridge')}"
    except PackageNotFoundError:
        return "embodiment_bridge of unknown version: it was not installed"


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
            ending.listen()  # otherwise the program that started this one holds it back
        code: int = arguments.run(arguments)
    except BridgeError as error:
        say(str(error))
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
