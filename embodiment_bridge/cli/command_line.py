# SPDX-License-Identifier: Apache-2.0
"""The command line `embodiment_bridge`. Exit code 2 is a usage error; each command documents its others."""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from embodiment_bridge.core.errors import BridgeError

COMMANDS = (
    "up",
    "run_bml",
    "run_plan",
    "bml",
    "decode",
    "encode",
    "record",
    "replay",
    "view",
    "node",
    "peer",
    "virtual_servos",
    "servos",
    "demo",
    "doctor",
)
USAGE = 2
INTERRUPTED = 130  # as shells tell it
EXAMPLES = """\
examples:
  embodiment_bridge demo
  embodiment_bridge up bringup.launch.xml body:=mock
  embodiment_bridge run-bml dance.json
  embodiment_bridge up --help            and so for each command
"""


def parser(first: str = "") -> argparse.ArgumentParser:
    """The parser of the command ``first`` if it exists, else of all commands.

    A command so starts without the parsers and libraries of the others; `doctor` also starts where these are missing.
    """
    top = argparse.ArgumentParser(
        prog="embodiment_bridge",
        description="Any brain drives any body: robots, simulators and behaviour on one ROS 2 graph.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for name in [name for name in COMMANDS if name.replace("_", "-") == first] or COMMANDS:
        importlib.import_module(f"embodiment_bridge.cli.commands.{name}").add(commands)
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    words = sys.argv[1:] if words is None else words
    arguments = _parse(parser(*words[:1]), words)
    try:
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _parse(command_line: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Parse, also with a FILE after an option, which argparse refuses before Python 3.12."""
    arguments, left = command_line.parse_known_args(words)
    if len(left) == 1 and getattr(arguments, "file", "") == "-" and not left[0].startswith("-"):
        arguments.file = left.pop()
    if left:
        command_line.error(f"unrecognized arguments: {' '.join(left)}")
    return arguments
