# SPDX-License-Identifier: Apache-2.0
"""Runs one node as a process, for `ros2 run` and launch."""

import sys
from collections.abc import Callable, Sequence

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.signals import stop_on_signals

NOT_STARTED = 2  # exit code


def run(
    make_node: Callable[..., BridgeNode],
    words: Sequence[str] | None = None,
    until: Callable[[], bool] = lambda: False,
    *,
    end_if_not_started: bool = False,
) -> int:
    """Serve one node until a signal ends it, or ``until()`` is true.

    words: ROS arguments; None: those of the command line.

    Returns:
        The exit code: 0, ``runtime.UNSAFE``, or 2 if the node was not configured and activated at the start and
        ``end_if_not_started``.
    """
    with stop_on_signals() as stopped, Runtime(sys.argv if words is None else words) as runtime:
        node = runtime.add(make_node(context=runtime.context))

        def failed() -> bool:
            return end_if_not_started and bool(node.not_started)

        def done() -> bool:
            runtime.settle()
            return stopped() or until() or failed()

        runtime.spin(done)
    return runtime.exit_code or (NOT_STARTED if failed() else 0)
