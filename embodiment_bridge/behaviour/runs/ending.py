# SPDX-License-Identifier: Apache-2.0
"""How a run ends by the way in which its tree ended."""

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.outcome import Outcome, RunEnding


def ending_of(root: Node) -> RunEnding:
    """The ending of a run whose root has ended."""
    if root.left_out:
        return RunEnding(Outcome.SUCCEEDED, root.t_end, f"left out: {root.feedback_message}", root.origin)
    if root.status is Status.SUCCESS:
        return RunEnding(Outcome.SUCCEEDED, root.t_end)
    return RunEnding(Outcome.FAILED, root.t_end, root.feedback_message, root.culprit or root.origin)
