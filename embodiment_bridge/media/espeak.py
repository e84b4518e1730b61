# SPDX-License-Identifier: Apache-2.0
"""espeak-ng, in a helper program: no network, no model, about 2 ms for a sentence, and marks for every sound."""

import itertools
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from embodiment_bridge.bml.base.words import place_at, words_of
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.media.helper_process import HelperProcess, Message
from embodiment_bridge.media.marks import Marks
from embodiment_bridge.media.speech import Cancelled, SpeechError, Spoken, language_of

HELPER = Path(__file__).with_name("espeak_helper.py")
USUAL_RATE = 175  # words per minute; espeak-ng's own
SLOWEST, FASTEST = 80, 900  # what espeak-ng 1.51 follows
START_S, LONGEST_S, LOOK_S = 5.0, 30.0, 0.05
MANDARIN = ("zh", "cmn")
FIRST_WITH_CMN = (1, 52)  # 1.51 reads characters of the voice cmn as "ni-three hao-three"


class EspeakSpeaker:
    """A ``Speaker``.

    Args:
        environment: the helper gets it.
        python: runs the helper; any Python 3 will do.

    Raises:
        LinkError: it does not start, or there is no espeak-ng here.
    """

    def __init__(self, environment: Mapping[str, str], python: str) -> None:
        self._command = [python, "-I", "-S", str(HELPER)]
        self._environment = environment
        self._numbers = itertools.count()
        self._lock = threading.Lock()  # one text at a time
        self._answer: Message = {}
        self._answered = threading.Event()
        self._ended = ""
        self._helper = self._start()

    def _start(self) -> HelperProcess:
        self._ended, self._answer = "", {}
        self._answered.clear()
        helper = HelperProcess(self._command, self._environment, self._take, self._on_end)
        if not self._answered.wait(START_S) or self._ended:
            helper.close()
            raise LinkError(
                f"espeak-ng does not start (Debian: espeak-ng): {self._ended or 'it says nothing'}"
            )
        self.version = str(self._answer.get("version", ""))
        return helper

    @property
    def identity(self) -> str:
        """See ``Speaker``."""
        return f"espeak-ng {self.version}"

    @property
    def pid(self) -> int:
        """The process id of the helper."""
        return self._helper.pid

    def voice_of(self, spoken: Spoken) -> str:
        """The voice by its name, else by the language."""
        if spoken.voice:
            return spoken.voice
        language = language_of(spoken).lower()
        if language.split("-")[0] not in MANDARIN:
            return language
        return "cmn" if _numbers(self.version) >= FIRST_WITH_CMN else "cmn-latn-pinyin"

    def speak(self, spoken: Spoken, path: Path, cancelled: Cancelled) -> tuple[str, Marks]:
        """See ``Speaker``."""
        rate = min(FASTEST, max(SLOWEST, round(USUAL_RATE * spoken.rate)))
        with self._lock:
            if self._ended:
                self._helper.close()
                self._helper = self._start()
            number = str(next(self._numbers))
            self._answer = {}
            self._answered.clear()
            wish = {"id": number, "text": spoken.text, "voice": self.voice_of(spoken), "rate": rate}
            self._helper.send({**wish, "path": str(path)})
            self._wait(cancelled)
            answer = self._answer
        if answer.get("event") != "done":
            raise SpeechError(f"espeak-ng: {answer.get('reason') or self._ended}")
        return ".wav", marks_of(spoken.text, answer)

    def close(self) -> None:
        """See ``Speaker``."""
        self._helper.close()

    def _wait(self, cancelled: Cancelled) -> None:
        for _ in range(round(LONGEST_S / LOOK_S)):
            if self._answered.wait(LOOK_S):
                return
            if cancelled():
                break
        self._helper.close()  # a text that takes so long is given up; the next one starts it anew
        raise SpeechError("canceled" if cancelled() else f"espeak-ng took over {LONGEST_S:g} s")

    def _take(self, message: Message) -> None:
        self._answer = message
        self._answered.set()

    def _on_end(self, reason: str) -> None:
        self._ended = reason or "it ended"
        self._answered.set()


def marks_of(text: str, answer: Mapping[str, Any]) -> Marks:
    """The marks of a text from what the helper tells; each word once, at its first sound."""
    words = words_of(text)
    begun: dict[int, float] = {}
    for at, character, _ in answer.get("words", ()):
        place = place_at(words, int(character))
        if place is not None:
            begun.setdefault(place, float(at))
    phonemes = tuple((float(at), str(name)) for at, name in answer.get("phonemes", ()))
    return Marks(tuple(sorted((at, place) for place, at in begun.items())), phonemes)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split(".") if part.isdecimal())
