# SPDX-License-Identifier: Apache-2.0
"""Text to speech: the interface of a speech program, and the store that speaks each text only once."""

import re
import threading
import wave
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from typing_extensions import override

from embodiment_bridge.bml.base.texts import words_of
from embodiment_bridge.core.errors import BridgeError, CommandError, LinkError
from embodiment_bridge.media.files import marks as mark_files
from embodiment_bridge.media.files.cache import MediaCache, key_of
from embodiment_bridge.media.files.marks import Marks

Cancelled = Callable[[], bool]
MAX_TEXT = 4000  # characters
_CHINESE = re.compile(r"[\u3400-\u9fff]")
SUFFIXES = (".wav", ".mp3", ".ogg")


class SpeechError(CommandError):
    """Reports that a text could not be spoken; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Represents a text and how to speak it.

    rate: 1 is the voice's own speed. An empty voice or language leaves the choice to the speech program.
    """

    text: str
    voice: str = ""
    language: str = ""
    rate: float = 1.0


class Speaker(Protocol):
    """Represents a speech program or service. Its methods may wait; they run on threads of the player."""

    @property
    def identity(self) -> str:
        """Identify program, version and model, on which the sound depends besides the text. May start the program.

        Raises:
            BridgeError: the program cannot be used on this machine.
        """

    def speak(self, spoken: Spoken, path: Path, cancelled: Cancelled) -> tuple[str, Marks]:
        """Write the sound to ``path``; returns the suffix of its format, and the marks as far as they are known.

        Raises:
            BridgeError: the text cannot be spoken.
        """

    def close(self) -> None:
        """End the programs that were started."""


@dataclass(frozen=True, slots=True)
class Speech:
    """Represents a spoken text: its file, its marks (empty when the program gives none), and its key in the cache."""

    path: Path
    marks: Marks
    key: str


def language_of(spoken: Spoken) -> str:
    """Return the language that was asked for, else Mandarin for Chinese characters, else English."""
    return spoken.language or ("zh" if _CHINESE.search(spoken.text) else "en")


class SpeechStore:
    """Speaks each text once: the same text in the same voice is read from the cache."""

    def __init__(self, speaker: Speaker, cache: MediaCache) -> None:
        self._speaker, self._cache = speaker, cache

    def get(self, spoken: Spoken, cancelled: Cancelled = lambda: False) -> Speech:
        """Return the sound of a text; waits for it.

        Raises:
            SpeechError: the text cannot be spoken.
        """
        if not spoken.text.strip():
            raise SpeechError("there is no text to speak")
        if len(spoken.text) > MAX_TEXT:
            raise SpeechError(f"a text to speak has at most {MAX_TEXT} characters, not {len(spoken.text)}")
        try:
            key = key_of(
                "speech", self._speaker.identity, spoken.text, spoken.voice, spoken.language, spoken.rate
            )
            return self._find(key) or self._make(key, spoken, cancelled)
        except SpeechError:
            raise
        except (BridgeError, OSError) as error:
            raise SpeechError(f"the text cannot be spoken: {error}") from error

    def close(self) -> None:
        """End the speech program."""
        self._speaker.close()

    def _find(self, key: str) -> Speech | None:
        marks = self._cache.find(f"{key}.marks.json")
        if marks is None:
            return None
        for suffix in SUFFIXES:
            path = self._cache.find(key + suffix)
            if path is not None:
                return Speech(path, mark_files.from_file(marks), key)
        return None

    def _make(self, key: str, spoken: Spoken, cancelled: Cancelled) -> Speech:
        with self._cache.adding(f"{key}.marks.json") as marks_path:
            # The sound is complete before the marks are, so that a reader that finds the marks finds the sound.
            with self._cache.unfinished(key) as path:
                suffix, marks = self._speaker.speak(spoken, path, cancelled)
                if suffix not in SUFFIXES:
                    raise SpeechError(f"the speech program wrote the unknown format {suffix!r}")
                self._cache.add(path, key + suffix)
            marks_path.write_text(mark_files.to_text(marks))
        return Speech(self._cache.folder / (key + suffix), marks, key)


# Speech without a voice: silence as long as the text would take, with a mark for each word.

# Fitted to espeak-ng 1.52 at its usual rate: 17 English and Chinese texts, each within 0.25 s.
WORD_S, LETTER_S, CHARACTER_S, PAUSE_S = 0.033, 0.052, 0.27, 0.27
SHORTEST_S = 0.2
SLOWEST, FASTEST = 0.45, 5.0  # the limits of espeak-ng
SAMPLES = 8000  # per second
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_PAUSE = re.compile(r"[.,;:!?。，、；：！？]+")


def times_of(text: str, rate: float = 1.0) -> tuple[float, Marks]:
    """Estimate the length of a spoken text, s, and the times at which its words begin. ``rate`` 1 is usual."""
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
    """Implements a ``Speaker`` that writes silence."""

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
    """Implements a ``Speaker`` that uses ``speaker``, or silence if that does not work.

    ``warn`` is then called once.
    """

    def __init__(self, speaker: Speaker, warn: Callable[[str], None]) -> None:
        self._speaker, self._warn = speaker, warn
        self._lock = threading.Lock()

    @property
    @override
    def identity(self) -> str:
        """Choose between the two, and identify the chosen one: the store reads this before each text."""
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
