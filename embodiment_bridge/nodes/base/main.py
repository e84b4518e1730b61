# SPDX-License-Identifier: Apache-2.0
"""Runs one node as a process, for `ros2 run` and launch."""

import sys
from collections.abc import Callable, Sequence

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.signals import stop_on_signals


def run(
    make_node: Callable[..., BridgeNode],
    words: Sequence[str] | None = None,
    until: Callable[[], bool] = lambda: False,
) -> int:
    """Serve one node until a signal ends it, or ``until()`` is true.

    words: ROS arguments; None: those of the command line.

    Returns:
        The exit code: 0, or ``runtime.UNSAFE``.
    """
    with stop_on_signals() as stopped, Runtime(sys.argv if words is None else words) as runtime:
        runtime.add(make_node(context=runtime.context))

        def done() -> bool:
            runtime.settle()
            return stopped() or until()

        runtime.spin(done)
    return runtime.exit_code
