# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge view`: show robots of the running graph in a browser."""

import argparse

from embodiment_bridge.cli.ending import is_gone
from embodiment_bridge.cli.options import namespace

EXAMPLES = """\
examples:
  embodiment_bridge view                              # the robot without a namespace
  embodiment_bridge view --namespace bridge --all     # each robot below /bridge
The page is at http://127.0.0.1:8080. Ctrl-C ends it with exit code 0.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    command = commands.add_parser(
        "view",
        description="Show robots of the running graph in a browser, with their sensors and actions.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--namespace", type=namespace, default="", help="namespace of the robot (default: /)"
    )
    command.add_argument("--all", action="store_true", help="show each robot below the namespace")
    command.add_argument("--port", type=int, help="TCP port of the page; 0: any free one (default: 8080)")
    command.add_argument("--end-with", type=int, metavar="PID", help="also end when this process has ended")
    command.add_argument(
        "--ros-args",
        nargs=argparse.REMAINDER,
        default=[],
        help="ROS arguments of the node, as with `ros2 run`",
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve the page. Exit code 0, or 2 if it cannot be served."""
    from embodiment_bridge.launching.environment import prepare

    prepare()
    from rclpy.parameter import Parameter

    from embodiment_bridge.launching.executables import take_priority
    from embodiment_bridge.launching.executables import viewer as make_viewer
    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.base.signals import stop_on_signals
    from embodiment_bridge.nodes.view.viewer import ALL

    take_priority("viewer")
    given = {"port": arguments.port, "namespaces": [ALL] if arguments.all else None}
    overrides = [Parameter(name, value=value) for name, value in given.items() if value is not None]
    words = ["--ros-args", *arguments.ros_args] if arguments.ros_args else []
    with stop_on_signals() as stopped, Runtime(words) as runtime:
        viewer = runtime.add(
            make_viewer(
                parameter_overrides=overrides, namespace=arguments.namespace or None, context=runtime.context
            )
        )

        def done() -> bool:
            runtime.settle()
            return stopped() or viewer.refused or is_gone(arguments.end_with)

        runtime.spin(done)
        return 2 if viewer.refused else 0
