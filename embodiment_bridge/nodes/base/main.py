# SPDX-License-Identifier: Apache-2.0
"""Runs one node as a process: what `ros2 run` and launch start."""

import sys
from collections.abc import Callable

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.signals import stop_on_signals


def run(make_node: Callable[..., BridgeNode]) -> int:
    """Serve one node with the ROS arguments of the command line until a signal ends it.

    Returns:
        The exit code: 0, or ``runtime.UNSAFE``.
    """
    with stop_on_signals() as stopped, Runtime(sys.argv) as runtime:
        runtime.add(make_node(context=runtime.context))

        def done() -> bool:
            runtime.settle()
            return stopped()

        runtime.spin(done)
    return runtime.exit_code
