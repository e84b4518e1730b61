# SPDX-License-Identifier: Apache-2.0
"""Lengths of time in documents that were put together by hand."""

import math

from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.bml.nodes.node import Node


def seconds_of(node: Node, seconds: float) -> float:
    """The duration of a node, in s.

    Raises:
        Rejected: reading would not have let it pass.
    """
    if not (math.isfinite(seconds) and seconds >= 0):
        text = f"a duration is a finite number of seconds, 0 or more, not {seconds!r}"
        raise Rejected.because(node.pointer, "OUT_OF_RANGE", text)
    return seconds
