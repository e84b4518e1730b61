# SPDX-License-Identifier: Apache-2.0
"""Plays a medium, or controls the player."""

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.ports import SoundRequest
from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.behaviour.nodes.sound import Sound
from embodiment_bridge.bml.nodes.player import ACTIONS
from embodiment_bridge.bml.nodes.player import Player as Written
from embodiment_bridge.core.errors import unknown


class PlayerCommand(Leaf):
    """pause, resume, stop or setVolume on the player's channel: done at once, also when nothing plays."""

    def __init__(self, name: str, action: str, volume: float | None, channel: str = "") -> None:
        super().__init__(name)
        self.action = action
        self.volume = volume
        self.channel = channel

    def may_start(self) -> bool:
        """At once, unless an earlier node still waits to start: the order in the document is kept."""
        return self.context.starts_allowed or not self.context.waiting

    def start(self) -> None:
        """Tell the player."""
        remark = self.context.ports.media.command(self.action, self.volume, self.channel)
        self.finish(Status.SUCCESS, self.t_start, remark)


@makes("player")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    if node.action == "play":
        wanted = SoundRequest(
            "",
            url=node.url,
            content=node.content,
            volume=node.volume,
            channel=node.channel,
            marks_url=node.marks_url,
            fade=node.fade_s,
        )
        return Sound(node.name, wanted)
    if node.action not in ACTIONS:
        raise Rejected.because(node.pointer, "UNKNOWN_ACTION", unknown("player action", node.action, ACTIONS))
    return PlayerCommand(node.name, node.action, node.volume, node.channel)
