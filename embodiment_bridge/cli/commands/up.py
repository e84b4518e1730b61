# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge up LAUNCH name:=value ...`: run the nodes of a launch file in one process."""

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.terminal import say
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import is_file
from embodiment_bridge.launching.environment import find_share
from embodiment_bridge.launching.launch_description import Argument, LaunchDescription
from embodiment_bridge.launching.read import parse_arguments, read_arguments, read_launch

EXAMPLES = """\
examples:
  embodiment_bridge up bringup.launch.xml body:=rcsssmj start_peer:=true
  embodiment_bridge up bringup.launch.xml --show-args
  embodiment_bridge up team.launch.xml players:=11
LAUNCH is a path, or the name of a launch file of this package. Ctrl-C ends it with exit code 0, or 8 if a body may
still be driven because its servos did not confirm that their torque is off.
"""


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands, "up", "Run a ROS 2 XML launch file in one process, without ROS's own launch.", EXAMPLES, run
    )
    command.add_argument("launch", metavar="LAUNCH", help="launch file")
    command.add_argument("arguments", metavar="name:=value", nargs="*", help="arguments of the launch file")
    command.add_argument(
        "-s", "--show-args", action="store_true", help="show the arguments of the launch file and end"
    )
    command.add_argument(
        "--keep-going",
        action="store_true",
        help="go on when a node cannot be configured or activated at the start (else: exit code 2), or when a "
        "program or node has ended without which there is no robot (else: its exit code, 1 at least)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run until a signal.

    Exit code 0, 8 if a body may still be driven then, 2 if it or one of its nodes cannot start.

    If a node in a process of its own fails, or a program ends that is required, its exit code is returned, 1 at least.
    """
    path = find_launch_file(arguments.launch)
    if arguments.show_args:
        sys.stdout.writelines(f"{line}\n" for line in _describe(read_arguments(path)))
        return 0
    description = launch_description(path, arguments.arguments)
    from embodiment_bridge.launching.up import Graph
    from embodiment_bridge.nodes.base.signals import stop_on_signals

    with stop_on_signals() as stopped, Graph(description, say, keep_going=arguments.keep_going) as graph:
        say(f"running {len(description.nodes)} nodes of {path.name}; Ctrl-C ends")
        graph.spin(stopped)
    return graph.exit_code


def launch_description(path: Path, words: Iterable[str]) -> LaunchDescription:
    """Return the launch description of a file with the arguments of a command line."""
    return read_launch(path, parse_arguments(words), find_share=find_share, environment=os.environ)


def find_launch_file(name: str) -> Path:
    """Return a launch file, given by path or by its name in this package.

    Raises:
        ConfigError: there is no such file; the text lists the names in this package.
    """
    path = Path(name)
    if is_file(path):
        return path
    folder = find_share("embodiment_bridge") / "launch"
    if is_file(folder / name):
        return folder / name
    known = ", ".join(sorted(str(p.relative_to(folder)) for p in folder.glob("*.launch.xml")))
    raise ConfigError(f"no launch file {name!r} here or in the package (there: {known})")


def _describe(arguments: Iterable[Argument]) -> Iterable[str]:
    for argument in arguments:
        default = "required" if argument.default is None else f"default: {argument.default!r}"
        choices = f"; one of: {', '.join(argument.choices)}" if argument.choices else ""
        yield f"{argument.name}:=  ({default}{choices})"
        if argument.description:
            yield f"    {argument.description}"
