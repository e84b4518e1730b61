# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge node NAME`: run one node in a process of its own, as `up` does with the driver of servos."""

import argparse

from embodiment_bridge.cli.ending import is_gone

EXAMPLES = """\
examples:
  embodiment_bridge node joint_driver --ros-args --params-file my.yaml
Without --end-with it is the same as `ros2 run embodiment_bridge NAME`. Ctrl-C ends it.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = commands.add_parser(
        "node",
        description="Run one node of this package in a process of its own.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("name", metavar="NAME", help="executable as in launch files, such as joint_driver")
    command.add_argument("others", metavar="ARGUMENT", nargs="*", help="arguments as `ros2 run` passes them")
    command.add_argument("--end-with", type=int, metavar="PID", help="also end when this process has ended")
    command.add_argument(
        "--end-if-not-started",
        action="store_true",
        help="end with exit code 2 when the node cannot be configured or activated at the start",
    )
    command.add_argument(
        "--ros-args",
        nargs=argparse.REMAINDER,
        default=[],
        help="ROS arguments of the node, as with `ros2 run`",
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the node and return its exit code; 2 if the executable is unknown."""
    from embodiment_bridge.launching.environment import prepare

    prepare()
    from embodiment_bridge.launching.executables import PACKAGE, node_factory, take_priority
    from embodiment_bridge.nodes.base.runtime import run as run_node

    make_node = node_factory(PACKAGE, arguments.name)
    take_priority(arguments.name)
    words = [*arguments.others, *(["--ros-args", *arguments.ros_args] if arguments.ros_args else [])]
    return run_node(
        make_node, words, lambda: is_gone(arguments.end_with), end_if_not_started=arguments.end_if_not_started
    )
