# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge mcp`: a language model drives the robot, by the Model Context Protocol."""

import argparse
import os
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from importlib.util import find_spec

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.commands.up import find_launch_file, launch_description
from embodiment_bridge.cli.options import add_namespace_option, seconds
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.launch_description import LaunchDescription, join_namespace

EXAMPLES = """\
examples:
  embodiment_bridge mcp                                      for a robot that runs already
  embodiment_bridge mcp --start "body:=mock viewer:=true"    brings one up itself
  embodiment_bridge mcp --http 127.0.0.1:8765 --channels head,arms --ask
A host starts this program and speaks to it on standard input and output; docs/language_model.md has its configuration.
"""
LONGEST_HOST_TIMEOUT = 3600.0  # s


def add(commands: Commands) -> None:
    """Declare the command."""
    command = declare(
        commands,
        "mcp",
        "A Model Context Protocol server in front of the robot of a namespace.",
        EXAMPLES,
        run,
    )
    add_namespace_option(command)
    command.add_argument(
        "--start", metavar='"NAME:=VALUE ..."', help="bring a robot up first: arguments of bringup.launch.xml"
    )
    command.add_argument(
        "--http", metavar="HOST:PORT", help="serve streamable HTTP at /mcp instead of standard input"
    )
    command.add_argument(
        "--token-file",
        default="",
        metavar="FILE",
        help="bearer token for --http; else EMBODIMENT_BRIDGE_MCP_TOKEN",
    )
    command.add_argument(
        "--channels",
        metavar="NAMES",
        help="what may be moved, such as head,arms,audio (default: what the tree allows)",
    )
    command.add_argument("--read-only", action="store_true", help="it may look and stop, and moves nothing")
    command.add_argument(
        "--ask", action="store_true", help="each run waits until the user or an operator agrees"
    )
    command.add_argument(
        "--host-timeout",
        type=seconds,
        default=10.0,
        metavar="S",
        help="a host that does not answer a ping for so long is gone, and its run is canceled (default: 10)",
    )
    command.add_argument(
        "--wait", type=seconds, default=30.0, metavar="S", help="longest wait for the robot (default: 30)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until the host has gone or a signal comes. Exit code 0; 2 without a robot, or for a wrong option."""
    if find_spec("mcp") is None:
        raise ConfigError("this needs the package mcp: pip install mcp")
    if not 0.0 < arguments.host_timeout <= LONGEST_HOST_TIMEOUT:
        raise ConfigError(
            f"--host-timeout: {arguments.host_timeout:g} is not over 0 and at most {LONGEST_HOST_TIMEOUT:g} s"
        )
    if arguments.token_file and not arguments.http:
        raise ConfigError("--token-file is for --http: over standard input no token is checked")
    import anyio

    from embodiment_bridge.mcp_server import stdio
    from embodiment_bridge.mcp_server.host import SOURCE, Options, allowed_channels
    from embodiment_bridge.mcp_server.server import RobotServer
    from embodiment_bridge.robot.robot import Robot

    allowed = None if arguments.channels is None else allowed_channels(arguments.channels.split(","))
    options = Options(arguments.read_only, arguments.ask, allowed, arguments.host_timeout)
    serve: Callable[[RobotServer], Awaitable[None]] = stdio.serve
    if arguments.http:
        from embodiment_bridge.mcp_server import http

        host, port = http.parse_address(arguments.http)
        token = http.token_of(arguments.token_file, host, os.environ)
        serve = partial(http.serve, host=host, port=port, token=token)
    where, graph = _robot_to_start(arguments)
    with Robot(
        where, source=SOURCE, wait=arguments.wait, graph=graph, allowed=allowed, say=stdio.say
    ) as robot:
        anyio.run(serve, RobotServer(robot, options, stdio.say))
    sys.stderr.flush()
    return robot.exit_code


def _robot_to_start(arguments: argparse.Namespace) -> tuple[str, LaunchDescription | None]:
    """Return the namespace of the robot, and what starts it; None for a robot that runs already.

    Raises:
        ConfigError: ``--namespace`` and ``--start`` name two namespaces, or the launch file refuses an argument.
    """
    words = [] if arguments.start is None else arguments.start.split()
    given = dict(word.partition(":=")[::2] for word in words)
    started = given.get("namespace", "")
    if arguments.namespace and started:
        one, other = (join_namespace("/", name) for name in (arguments.namespace, started))
        if one != other:
            raise ConfigError(f"--namespace {one} is not that of --start, {other}: give one of them")
    where = arguments.namespace or given.get("namespace", "/")
    if arguments.start is None:
        return where, None
    if arguments.namespace and not started:
        words.append(f"namespace:={arguments.namespace}")
    return where, launch_description(find_launch_file("bringup.launch.xml"), words)
