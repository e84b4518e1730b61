# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge mcp`: a language model drives the robot, by the Model Context Protocol."""

import argparse
import os
import sys
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.commands.up import find_launch_file, launch_description
from embodiment_bridge.cli.options import add_namespace_option, seconds
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.launch_description import join_namespace

if TYPE_CHECKING:
    from embodiment_bridge.mcp_server.options import Options
    from embodiment_bridge.robot.robot import Robot

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
    from embodiment_bridge.mcp_server.options import SOURCE, Options, allowed_channels
    from embodiment_bridge.mcp_server.stdio import say
    from embodiment_bridge.robot.robot import Robot

    allowed = None if arguments.channels is None else allowed_channels(arguments.channels.split(","))
    options = Options(arguments.read_only, arguments.ask, allowed, arguments.host_timeout)
    serve = partial(_serve_http, arguments) if arguments.http else _serve_stdio
    if arguments.http:
        _address(arguments)  # before anything begins
    elif arguments.token_file:
        raise ConfigError("--token-file is for --http: over standard input no token is checked")
    words = [] if arguments.start is None else arguments.start.split()
    given = {word.partition(":=")[0]: word.partition(":=")[2] for word in words}
    where = arguments.namespace or given.get("namespace", "/")
    graph = None
    if arguments.namespace and given.get("namespace"):
        one, other = (join_namespace("/", name) for name in (arguments.namespace, given["namespace"]))
        if one != other:
            raise ConfigError(f"--namespace {one} is not that of --start, {other}: give one of them")
    if arguments.start is not None:
        if not given.get("namespace") and arguments.namespace:
            words.append(f"namespace:={arguments.namespace}")
        graph = launch_description(find_launch_file("bringup.launch.xml"), words)
    with Robot(where, source=SOURCE, wait=arguments.wait, graph=graph, allowed=allowed, say=say) as robot:
        serve(robot, options)
    sys.stderr.flush()
    return robot.exit_code


def _address(arguments: argparse.Namespace) -> tuple[str, int, str]:
    from embodiment_bridge.mcp_server.http import parse_address, token_of

    host, port = parse_address(arguments.http)
    return host, port, token_of(arguments.token_file, host, os.environ)


def _serve_http(arguments: argparse.Namespace, robot: "Robot", options: "Options") -> None:
    import anyio

    from embodiment_bridge.mcp_server.http import serve
    from embodiment_bridge.mcp_server.server import RobotServer
    from embodiment_bridge.mcp_server.stdio import say

    anyio.run(serve, RobotServer(robot, options, say), *_address(arguments))


def _serve_stdio(robot: "Robot", options: "Options") -> None:
    import anyio

    from embodiment_bridge.mcp_server.server import RobotServer
    from embodiment_bridge.mcp_server.stdio import say, serve

    anyio.run(serve, RobotServer(robot, options, say))
