# SPDX-License-Identifier: Apache-2.0
"""The skill ``say`` of a body without a voice of its own: the robot's sound player speaks."""

import time
from collections.abc import Mapping
from dataclasses import replace

from rclpy.node import Node
from std_msgs.msg import String
from typing_extensions import override

from embodiment_bridge.body.description import AUDIO, BodyDescription, Skill
from embodiment_bridge.body.skill_info import TextParameter
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.skills.native import Native, Start
from embodiment_bridge.msg import AudioState
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.sound.audio import CHANNEL, TOPIC

SAY = Skill(
    "say",
    "native",
    (AUDIO,),
    nominal_s=1.0,
    min_s=0.0,
    parameters=(TextParameter("text", 200, description="What is spoken.", required=True),),
    optional=(AUDIO,),
    description="Speak a text with the robot's sound player.",
)
SILENT_S = 15.0  # s in which the player has to begin; the first text may have to start a speech program
UNTOLD_S = 15.0  # s of wall time in which the player has to tell something of a text that it has not ended
LONGEST_LOOK_S = 1.0  # s; a longer gap between two looks counts as this: its news still waits to be read
CUT_S = 0.2  # s in which another text begins that has cut one off
OTHER = "another text was spoken instead"
CUT_OFF = "the sound player was told to stop before the end of the text"
UNTOLD = f"the sound player has told nothing of the text for {UNTOLD_S:g} s: its node has ended or hangs"
NOBODY = f"nothing speaks: no sound player listens on the topic {TOPIC} (the node behavior_tree has one)"


def with_voice(body: BodyDescription) -> BodyDescription:
    """Return the body with the skill ``say`` of the sound player, unless its joints do one of that name."""
    own = body.skills.get(SAY.name)
    if own is not None and own.kind != SAY.kind:
        return body
    return replace(body, skills={**body.skills, SAY.name: SAY})


class Voice:
    """Speaks for one body. ``begin`` is a ``Start`` of native skills."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.state: AudioState | None = None  # the newest of the channel since the last text
        self.texts = 0  # number of texts sent; an empty one, which ends the speech, does not count
        self._publisher = node.create_publisher(String, TOPIC, profile("command"))
        node.create_subscription(AudioState, "audio_state", self._take, profile("state"))
        node.create_subscription(String, "say", self._say, profile("command"))

    def skills(self, body: BodyDescription) -> Mapping[str, Start]:
        """Return the native skills of ``body`` that are done here."""
        return {SAY.name: self.begin} if body.skills.get(SAY.name) is SAY else {}

    def begin(self, skill: Skill, values: Mapping[str, float | str], slot: float) -> Native:
        """Begin to speak the parameter ``text``."""
        text = str(values.get("text", "")).strip()
        if not text:
            raise CommandError(f"skill {skill.name!r}: there is no text to say")
        return _Speaking(self, text, slot)

    def send(self, text: str) -> str:
        """Have a text spoken, or with an empty text end it; gives why that cannot be, or an empty text."""
        if not self._publisher.get_subscription_count():
            return NOBODY
        self.state = None
        self.texts += bool(text)
        self._publisher.publish(String(data=text))
        return ""

    def _take(self, message: AudioState) -> None:
        if message.channel == CHANNEL:
            self.state = message

    def _say(self, message: String) -> None:
        problem = self.send(message.data)
        if problem:
            self._node.get_logger().warning(f"say refused: {problem}")


class _Speaking(Native):
    """Speaks one text: it is over when the player has ended it and the slot has passed."""

    def __init__(self, voice: Voice, text: str, slot: float) -> None:
        super().__init__()
        self._voice, self._text, self._slot = voice, text, slot
        self._elapsed = self._stopped_s = 0.0
        self._begun = self._heard = self._over = False
        self._number = 0
        self._newest: AudioState | None = None
        self._looked = self._untold_s = 0.0

    @override
    def step(self, dt: float) -> None:
        if self.done:
            return
        if not self._begun:
            self._begun = True
            self.failure = self._voice.send(self._text)
            self._number = self._voice.texts
        self._elapsed += dt
        if not self.failure and not self._over:
            self._follow(dt)
        self.done = bool(self.failure) or (self._over and self._elapsed >= self._slot)

    def _follow(self, dt: float) -> None:
        state = self._voice.state
        other = state is not None and state.text != self._text
        if self._voice.texts != self._number or (self._heard and other):
            self.failure = OTHER
        elif state is not None and not other:
            self._heard = True
            self._listen(state, dt)
            self._count_untold(state)
        elif self._elapsed > SILENT_S:  # before that, it may be what the player says of the text before
            if other:
                self.failure = OTHER
            else:
                self._give_up(f"the sound player has not begun to speak within {SILENT_S:g} s")

    def _listen(self, state: AudioState, dt: float) -> None:
        if state.length > 0.0:
            self.progress = min(state.position / state.length, 1.0)
        if state.ending == "stopped":  # by a command, or by another text, which is told in a moment
            self._stopped_s += dt
            self.failure = CUT_OFF if self._stopped_s > CUT_S else ""
            return
        self._stopped_s = 0.0
        self._over = state.ending == "ended"
        if state.ending == "replaced":
            self.failure = OTHER
        elif state.ending and not self._over:
            self.failure = state.reason or f"the speech was {state.ending}"

    def _count_untold(self, state: AudioState) -> None:
        """Fail when no news comes: the player reports each text at least once a second until it has ended."""
        now = time.monotonic()
        if state is not self._newest:
            self._newest, self._untold_s = state, 0.0
        else:
            self._untold_s += min(now - self._looked, LONGEST_LOOK_S)
        self._looked = now
        if self._untold_s > UNTOLD_S and not self._over:
            self._give_up(UNTOLD)

    def _give_up(self, why: str) -> None:
        self._voice.send("")  # a player that only hung must not speak it later
        self.failure = why

    @override
    def stop(self) -> None:
        if self._begun and not self.done and not self._over and self._voice.texts == self._number:
            self._voice.send("")
        self.done = True
