# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge node NAME` and `view`: run one node in a process of its own."""

import argparse
from collections.abc import Sequence

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.ending import is_gone
from embodiment_bridge.cli.options import add_namespace_option

NODE_EXAMPLES = """\
examples:
  embodiment_bridge node joint_driver --ros-args --params-file my.yaml
Without --end-with it is the same as `ros2 run embodiment_bridge NAME`. Ctrl-C ends it.
"""
VIEW_EXAMPLES = """\
examples:
  embodiment_bridge view                              # the robot without a namespace
  embodiment_bridge view --namespace bridge --all     # each robot below /bridge
The page is at http://127.0.0.1:8080. Ctrl-C ends it with exit code 0.
"""


def add(commands: Commands) -> None:
    """Declare both commands."""
    running = "Run one node of this package in a process of its own."
    node = declare(commands, "node", running, NODE_EXAMPLES, run_node)
    node.add_argument("name", metavar="NAME", help="executable as in launch files, such as joint_driver")
    node.add_argument("others", metavar="ARGUMENT", nargs="*", help="arguments as `ros2 run` passes them")
    node.add_argument(
        "--end-if-not-started",
        action="store_true",
        help="end with exit code 2 when the node cannot be configured or activated at the start",
    )
    showing = "Show robots of the running graph in a browser, with their sensors and actions."
    view = declare(commands, "view", showing, VIEW_EXAMPLES, run_view)
    add_namespace_option(view)
    view.add_argument("--all", action="store_true", help="show each robot below the namespace")
    view.add_argument("--port", type=int, help="TCP port of the page; 0: any free one (default: 8080)")
    for command in (node, view):
        command.add_argument("--end-with", type=int, metavar="PID", help="also end when this process ends")
        command.add_argument(
            "--ros-args",
            nargs=argparse.REMAINDER,
            default=[],
            help="ROS arguments of the node, as with `ros2 run`",
        )


def run_node(arguments: argparse.Namespace) -> int:
    """Run the node and return its exit code; 2 if the executable is unknown."""
    words = arguments.others
    return _run(arguments, arguments.name, words, end_if_not_started=arguments.end_if_not_started)


def run_view(arguments: argparse.Namespace) -> int:
    """Serve the page. Exit code 0, or 2 if it cannot be served."""
    words = ["--ros-args"]
    if arguments.namespace:
        words += ["-r", f"__ns:={arguments.namespace}"]
    if arguments.port is not None:
        words += ["-p", f"port:={arguments.port}"]
    if arguments.all:
        words += ["-p", "namespaces:=['*']"]
    return _run(arguments, "viewer", words, end_if_not_started=True)


def _run(
    arguments: argparse.Namespace, executable: str, words: Sequence[str], *, end_if_not_started: bool
) -> int:
    from embodiment_bridge.launching.environment import prepare

    prepare()
    from embodiment_bridge.launching.executables import PACKAGE, node_factory, take_priority
    from embodiment_bridge.nodes.base.runtime import run

    make_node = node_factory(PACKAGE, executable)
    take_priority(executable)
    if arguments.ros_args:
        words = [*words, "--ros-args", *arguments.ros_args]
    return run(make_node, words, lambda: is_gone(arguments.end_with), end_if_not_started=end_if_not_started)
