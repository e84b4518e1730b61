# SPDX-License-Identifier: Apache-2.0
"""Writes a line into the journal."""

import json

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.bml.nodes.log import Log as Written
from embodiment_bridge.bml.nodes.log import filled


class Log(Leaf):
    """Succeeds at once; its line is the message of that event, which journals, logs of runs and topics carry."""

    uses_port = False

    def __init__(self, name: str, text: str) -> None:
        super().__init__(name)
        self.text = text

    def start(self) -> None:
        """Look at the blackboard."""
        self.finish(Status.SUCCESS, self.t_start, filled(self.text, self._shown))

    def _shown(self, key: str) -> str:
        """A value for people: a text as it is, the others as in JSON."""
        value = self.context.blackboard.read(key)
        return value if isinstance(value, str) else json.dumps(value)


@makes("log")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    return Log(node.name, node.text)
