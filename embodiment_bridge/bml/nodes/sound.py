# SPDX-License-Identifier: Apache-2.0
"""Leaves that drive the audio channel: player and speak."""

import re
from dataclasses import dataclass, replace
from typing import ClassVar

from embodiment_bridge.bml.base.problems import Problems, at, short
from embodiment_bridge.bml.fields.field import Field, Number, Object, Text, Volume
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.decorators import Box
from embodiment_bridge.bml.nodes.node import Leaf, Node, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType, Skills, Surroundings, Use
from embodiment_bridge.bml.nodes.other_documents import check_url, shown_url
from embodiment_bridge.bml.nodes.timing import Lengths, Timing, sound_or_motion
from embodiment_bridge.body.description import AUDIO

CHANNEL = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")


@dataclass(frozen=True)
class Channel(Text):
    """Reads the name of one of the player's channels."""

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
    """Represents a sound on a ``channel`` (empty: the usual one), at a volume in percent (None: unchanged)."""

    content: str = ""
    volume: float | None = None
    channel: str = ""


def audio_channel(node: Sound) -> str:
    """Return the channel of the body that it drives."""
    return f"{AUDIO}:{node.channel}" if node.channel else AUDIO


@attributes
class Speak(Sound):
    """Speaks a text on a ``channel``, as in ``Player``."""

    TYPE: ClassVar[str] = "speak"
    content: str
    voice: str = ""
    language: str = ""
    rate: float | None = None


class SpeakType(NodeType[Speak]):
    """Describes ``speak``."""

    name = "speak"
    meaning = "text to speak; preprocessing makes a player of it"
    made = Speak
    fields = (
        Text("content", required=True, longest="max_text", aliases=("text",)),
        Text("voice"),
        Text("language"),
        Number("rate", "1 is the voice's own", low=0.1, high=10.0),
        CHANNEL_KEY,
        VOLUME,
    )
    spellings = ("tts", "say")

    def label(self, node: Speak) -> str:
        return f"speak {node.content}"

    def check(self, node: Speak, around: Surroundings, problems: Problems) -> None:
        if not around.speech:
            text = "text to speak, and no speech here: the document was not preprocessed"
            problems.error(node.pointer, "UNRESOLVED_SPEAK", text)

    def uses(self, node: Speak, skills: Skills) -> Use:
        return Use("sound", (AUDIO,), "type")

    def drives(self, node: Speak, skills: Skills) -> tuple[str, ...]:
        return (audio_channel(node),)

    def is_heard(self, node: Speak) -> bool:
        return True

    def timing(self, node: Speak, below: list[Timing], lengths: Lengths) -> Timing:
        return sound_or_motion(lengths.speech_s)


SPEAK = SpeakType()


ACTIONS = ("play", "pause", "stop", "resume", "setVolume")


@dataclass(frozen=True)
class PlayerAction(Field):
    """Reads an action of the player; in tolerant reading in any case, and ``set_volume``."""

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
    """Commands the player: ``action`` is play, pause, stop, resume or setVolume; volume in percent or None.

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
    """Describes ``player``: a sound that exists, and the commands to the player."""

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

    def pauses_sound(self, node: Player) -> bool:
        return node.action in ("pause", "stop")

    def can_be_paused(self, node: Player) -> bool:
        return node.action == "play"

    def canonical(self, node: Player) -> Node:
        """Put a player with a duration of its own into a box of that length."""
        if node.duration_s == 0:
            return node
        bare = replace(node, duration_s=0.0)
        return Box(pointer=node.pointer, name=node.name, duration_s=node.duration_s, child=bare)


PLAYER = PlayerType()
