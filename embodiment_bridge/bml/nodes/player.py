# SPDX-License-Identifier: Apache-2.0
"""``player``: plays a medium, or controls the player."""

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.base.problems import Problems, short
from embodiment_bridge.bml.fields.field import Field, Number, Object, Text
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.box import Box
from embodiment_bridge.bml.nodes.node import Node, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType, Skills, Surroundings, Use
from embodiment_bridge.bml.nodes.request import check_url, shown_url
from embodiment_bridge.bml.nodes.sound import CHANNEL_KEY, VOLUME, Sound, audio_channel
from embodiment_bridge.bml.nodes.timing import Lengths, Timing, sound_or_motion
from embodiment_bridge.body.description import AUDIO

ACTIONS = ("play", "pause", "stop", "resume", "setVolume")


@dataclass(frozen=True)
class PlayerAction(Field):
    """What the player does; any case and ``set_volume`` in tolerant reading."""

    def absent(self, raw: Raw, pointer: str, values: Values) -> object:
        if str(raw.get("type")).lower().startswith("play") and not str(raw["type"]).lower().startswith(
            "player"
        ):
            return "play"  # the type says it (and was noted as a spelling)
        return super().absent(raw, pointer, values)

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> str:
        text = values.text(raw, pointer, key, values.limits.max_text, required=True)
        if text in ACTIONS or not text:
            return text
        letters = re.sub("[ _-]", "", text.lower())
        action = next((action for action in ACTIONS if action.lower() == letters), "")
        if not action:
            message = values.problems.unknown("player action", text, ACTIONS)
            values.problems.error(at(pointer, key), "UNKNOWN_ACTION", message)
            return ""
        message = f"the player action {short(text)} is read as {action}"
        values.problems.tolerated(at(pointer, key), "ACTION_SPELLING", message)
        return action

    def schema(self) -> Object:
        return {"enum": list(ACTIONS)}


@attributes
class Player(Sound):
    """``action`` is play, pause, stop, resume or setVolume; volume in percent, None when not given.

    ``channel`` empty is the usual one. ``fade_s`` is how long a play fades in. At ``marks_url`` are the times of the
    words of ``content``, the text that is spoken in the medium.
    """

    TYPE: ClassVar[str] = "player"
    action: str
    url: str = ""
    duration_s: float = 0.0
    fade_s: float | None = None
    marks_url: str = ""


class PlayerType(NodeType[Player]):
    """Sound that is there, and what works on it."""

    name = "player"
    meaning = "plays sound, or controls what plays"
    made = Player
    fields = (
        PlayerAction("action", required=True),
        Text("url", longest="max_url", not_empty=True),
        Text("content", "what is heard, for people", longest="max_text"),
        CHANNEL_KEY,
        Text("marks_url", "times of the words of content", longest="max_url"),
        Number("fade", "s of fading in", attribute="fade_s", high=60.0),
        VOLUME,
    )
    spellings = ("play",)

    def values_in(self, raw: Raw, pointer: str, values: Values) -> dict[str, object]:
        found = super().values_in(raw, pointer, values)
        for action, key in (("setVolume", "volume"), ("play", "url")):
            if found["action"] == action and key not in raw:
                values.problems.error(pointer, "MISSING_KEY", f"{action} needs the key '{key}'")
        return found

    def label(self, node: Player) -> str:
        volume = f"{node.volume:g} %" if node.volume is not None and node.action == "setVolume" else ""
        return " ".join(filter(None, (node.action, shown_url(node.url), volume)))

    def constraints(self) -> list[Object]:
        return [
            {
                "if": {"properties": {"action": {"const": action}}, "required": ["action"]},
                "then": {"required": [key]},
            }
            for action, key in (("play", "url"), ("setVolume", "volume"))
        ]

    def check(self, node: Player, around: Surroundings, problems: Problems) -> None:
        if node.url:
            check_url(node, "url", node.url, around, problems)
            if node.marks_url:
                check_url(node, "marks_url", node.marks_url, around, problems)

    def uses(self, node: Player, skills: Skills) -> Use:
        return Use("sound", (AUDIO,), "type")

    def drives(self, node: Player, skills: Skills) -> tuple[str, ...]:
        return (audio_channel(node),) if node.action == "play" else ()

    def is_heard(self, node: Player) -> bool:
        return node.action == "play"

    def timing(self, node: Player, below: list[Timing], lengths: Lengths) -> Timing:
        return sound_or_motion(lengths.media_s.get(node.url) if node.action == "play" else 0.0)

    def holds_up_sound(self, node: Player) -> bool:
        return node.action in ("pause", "stop")

    def is_held_up(self, node: Player) -> bool:
        return node.action == "play"

    def canonical(self, node: Player) -> Node:
        """See NodeType: with a duration of its own, it is in a box of that length."""
        if node.duration_s == 0:
            return node
        bare = replace(node, duration_s=0.0)
        return Box(pointer=node.pointer, name=node.name, duration_s=node.duration_s, child=bare)


TYPE = PlayerType()
