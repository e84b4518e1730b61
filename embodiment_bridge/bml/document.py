# SPDX-License-Identifier: Apache-2.0
"""The canonical form of a BML document.

What reading makes and the behaviour engine runs, in one place to import from.

Every tolerated spelling has been rewritten before: a node-level ``loop``/``repeat`` is a ``Loop`` around the
node, ``duration`` of anything but ``delay`` and the body leaves is a ``Box``; a node of type loop has its box
inside. Round those come, where the node has the keys, a ``Timeout``, then a ``Retry``, then a ``Finally``, then a
``Guard`` for ``condition``, then a ``Start``.
"""

from embodiment_bridge.bml.base.problems import Problem
from embodiment_bridge.bml.fields.values import FOREVER
from embodiment_bridge.bml.nodes.body import Body
from embodiment_bridge.bml.nodes.composite import Composite
from embodiment_bridge.bml.nodes.decorators import Box, Finally, Guard, Retry, Timeout
from embodiment_bridge.bml.nodes.leaves import Delay, Set, Stop
from embodiment_bridge.bml.nodes.loop import Loop
from embodiment_bridge.bml.nodes.node import Document, Leaf, Node, Wrapper
from embodiment_bridge.bml.nodes.other_documents import Request, Subtree
from embodiment_bridge.bml.nodes.sound import Player, Speak
from embodiment_bridge.bml.nodes.start import Start

__all__ = [
    "FOREVER",
    "Body",
    "Box",
    "Composite",
    "Delay",
    "Document",
    "Finally",
    "Guard",
    "Leaf",
    "Loop",
    "Node",
    "Player",
    "Problem",
    "Request",
    "Retry",
    "Set",
    "Speak",
    "Start",
    "Stop",
    "Subtree",
    "Timeout",
    "Wrapper",
]
