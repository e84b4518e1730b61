# SPDX-License-Identifier: Apache-2.0
"""Speech without a voice: silence as long as the text would take, with a mark for each word."""

import re
import threading
import wave
from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from embodiment_bridge.bml.base.words import words_of
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.speech.store import Cancelled, Speaker, Spoken

# Fitted to espeak-ng 1.52 at its usual rate: 17 English and Chinese texts, each within 0.25 s.
WORD_S, LETTER_S, CHARACTER_S, PAUSE_S = 0.033, 0.052, 0.27, 0.27
SHORTEST_S = 0.2
SLOWEST, FASTEST = 0.45, 5.0  # as espeak-ng
SAMPLES = 8000  # per second
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_PAUSE = re.compile(r"[.,;:!?。，、；：！？]+")


def times_of(text: str, rate: float = 1.0) -> tuple[float, Marks]:
    """How long a text takes to speak, in s, and when its words begin. ``rate`` 1 is usual."""
    pace = min(FASTEST, max(SLOWEST, rate))
    at, last, begun = 0.0, 0, []
    for place, word in enumerate(words_of(text)):
        at += PAUSE_S * len(_PAUSE.findall(text, last, word.start))
        begun.append((at / pace, place))
        at += CHARACTER_S if _WIDE.match(word.text) else WORD_S + LETTER_S * len(word.text)
        last = word.end
    at += PAUSE_S * len(_PAUSE.findall(text, last))
    return max(SHORTEST_S, at / pace), Marks(tuple(begun))


class SilentSpeaker(Speaker):
    """A ``Speaker`` that writes silence."""

    identity = "silence 1"

    @override
    def speak(self, spoken: Spoken, path: Path, cancelled: Cancelled) -> tuple[str, Marks]:
        length, marks = times_of(spoken.text, spoken.rate)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(SAMPLES)
            file.writeframes(bytes(2 * round(length * SAMPLES)))
        return ".wav", marks

    @override
    def close(self) -> None:
        """Do nothing: no program was started."""


class OrSilence(Speaker):
    """A ``Speaker`` that uses ``speaker``, or silence if that does not work; ``warn`` is then called once."""

    def __init__(self, speaker: Speaker, warn: Callable[[str], None]) -> None:
        self._speaker, self._warn = speaker, warn
        self._lock = threading.Lock()

    @property
    @override
    def identity(self) -> str:
        """As in ``Speaker``; the choice between the two is made here, as the store reads this before each text."""
        with self._lock:
            try:
                return self._speaker.identity
            except LinkError as error:
                self._warn(f"speech is timed but not audible: {error}")
                self._speaker = SilentSpeaker()
                return self._speaker.identity

    @override
    def speak(self, spoken: Spoken, path: Path, cancelled: Cancelled) -> tuple[str, Marks]:
        return self._speaker.speak(spoken, path, cancelled)

    @override
    def close(self) -> None:
        self._speaker.close()
