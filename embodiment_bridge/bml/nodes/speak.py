# SPDX-License-Identifier: Apache-2.0
"""``speak``: text that still has to become sound."""

from typing import ClassVar

from embodiment_bridge.bml.base.problems import Problems
from embodiment_bridge.bml.fields.field import Number, Text
from embodiment_bridge.bml.nodes.node import attributes
from embodiment_bridge.bml.nodes.node_type import NodeType, Skills, Surroundings, Use
from embodiment_bridge.bml.nodes.sound import CHANNEL_KEY, VOLUME, Sound, audio_channel
from embodiment_bridge.bml.nodes.timing import Lengths, Timing, sound_or_motion
from embodiment_bridge.body.description import AUDIO


@attributes
class Speak(Sound):
    """Text that still has to become sound, on a ``channel`` as of ``Player``."""

    TYPE: ClassVar[str] = "speak"
    content: str
    voice: str = ""
    language: str = ""
    rate: float | None = None


class SpeakType(NodeType[Speak]):
    """A text to be heard."""

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


TYPE = SpeakType()
