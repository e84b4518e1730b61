# SPDX-License-Identifier: Apache-2.0
"""Base class of player and speak."""

import re
from dataclasses import dataclass

from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.base.problems import short
from embodiment_bridge.bml.fields.field import Object, Text, Volume
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.node import Leaf, attributes
from embodiment_bridge.body.description import AUDIO

CHANNEL = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")


@dataclass(frozen=True)
class Channel(Text):
    """One of the player's channels."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> str:
        text = super().read(raw, pointer, key, values)
        if text and not CHANNEL.fullmatch(text):
            message = f"{short(text)} is not a channel (a letter, then at most 31 letters, digits and '_')"
            values.problems.error(at(pointer, key), "BAD_CHANNEL", message)
        return text

    def schema(self) -> Object:
        return {"type": "string", "pattern": f"^({CHANNEL.pattern})?$"}


VOLUME = Volume("volume", "percent")
CHANNEL_KEY = Channel("channel", "which of the player's channels; main when left out")


@attributes
class Sound(Leaf):
    """A sound on a ``channel`` (empty: the usual one), at a volume in percent (None: unchanged)."""

    content: str = ""
    volume: float | None = None
    channel: str = ""


def audio_channel(node: Sound) -> str:
    """The channel of the body that it drives."""
    return f"{AUDIO}:{node.channel}" if node.channel else AUDIO
