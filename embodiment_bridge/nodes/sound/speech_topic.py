# SPDX-License-Identifier: Apache-2.0
"""The topic ``speak`` of a robot with a sound player: each text is spoken, and an empty one ends it."""

from itertools import count

from std_msgs.msg import String

from embodiment_bridge.media.cue import SPEECH, Cue
from embodiment_bridge.media.speech.store import MAX_TEXT
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.sound.audio import Audio

TOPIC = "speak"
CHANNEL = SPEECH


class SpeechTopic:
    """Serves the topic with ``audio`` while ``node`` is active; ``audio_state`` shows what comes of a text."""

    def __init__(self, node: BridgeNode, audio: Audio) -> None:
        self._node, self._audio = node, audio
        self._numbers = count(1)
        self._subscribed = node.create_subscription(String, TOPIC, self._take, profile("command"))

    def stop(self) -> None:
        """End what is spoken."""
        self._audio.player.forget(TOPIC)
        self._audio.serve()

    def destroy(self) -> None:
        """Take the topic off the graph; what is spoken ends with the player."""
        self._node.destroy_subscription(self._subscribed)

    def _take(self, message: String) -> None:
        player, text = self._audio.player, message.data.strip()
        player.forget(TOPIC)  # a newer text ends the one before
        if text and not self._node.active:
            self._node.get_logger().warning(f"{TOPIC}: nothing is spoken: the node is inactive")
        elif len(text) > MAX_TEXT:
            self._node.get_logger().warning(
                f"{TOPIC}: a text of {len(text)} characters is longer than {MAX_TEXT}"
            )
        elif text:
            player.start(Cue(f"{TOPIC}/{next(self._numbers)}", TOPIC, CHANNEL, text=text))
        self._audio.serve()
