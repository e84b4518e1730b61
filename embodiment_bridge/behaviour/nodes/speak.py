# SPDX-License-Identifier: Apache-2.0
"""Speaks a text."""

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.ports import SoundRequest
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.behaviour.nodes.sound import Sound
from embodiment_bridge.bml.nodes.speak import Speak as Written


@makes("speak")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    wanted = SoundRequest(
        "",
        content=node.content,
        voice=node.voice,
        language=node.language,
        rate=node.rate,
        volume=node.volume,
        channel=node.channel,
    )
    return Sound(node.name, wanted)
