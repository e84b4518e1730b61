# SPDX-License-Identifier: Apache-2.0
"""Speaks by programs of this machine: espeak-ng in a helper (2 ms a sentence, marks for each phoneme), and piper."""

import itertools
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from typing_extensions import override

from embodiment_bridge.bml.base.texts import place_at, words_of
from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.core.helper_process import HelperProcess, Message
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.speech.store import Cancelled, Speaker, SpeechError, Spoken, language_of

HELPER = Path(__file__).with_name("espeak_helper.py")
USUAL_RATE = 175  # words per minute; espeak-ng's own
SLOWEST, FASTEST = 80, 900  # words per minute that espeak-ng 1.51 can speak
START_S, LONGEST_ESPEAK_S, ESPEAK_LOOK_S = 20.0, 30.0, 0.05
WHEEL = "espeakng_loader"  # has the library and its data; its folder is used, but it is never imported
SYSTEM_LIBRARIES = ("libespeak-ng.so.1", "libespeak-ng.so")
MANDARIN = ("zh", "cmn")
FIRST_WITH_CMN = (1, 52)  # 1.51 reads characters of the voice cmn as "ni-three hao-three"


def libraries(*, system_first: bool = False) -> tuple[str, ...]:
    """Return the libraries of espeak-ng to try: that of the wheel espeakng-loader, and those of the system."""
    spec = find_spec(WHEEL)
    folders = () if spec is None else spec.submodule_search_locations or ()
    wheel = tuple(str(Path(folder).absolute() / "libespeak-ng.so") for folder in folders)
    return (*SYSTEM_LIBRARIES, *wheel) if system_first else (*wheel, *SYSTEM_LIBRARIES)


class EspeakSpeaker(Speaker):
    """Implements a ``Speaker`` with espeak-ng; its helper starts for the first text.

    Args:
        environment: of the helper.
        names: libraries to try, as ``libraries`` gives them; the first that works is used.

    Raises (by ``identity`` and ``speak``):
        LinkError: the helper does not start, or espeak-ng is not installed.
    """

    def __init__(self, environment: Mapping[str, str], names: Sequence[str] | None = None) -> None:
        names = libraries() if names is None else names
        # -S: skips the start-up work of a virtual environment, which takes longer than to speak a sentence.
        self._command = [sys.executable, "-I", "-S", str(HELPER), *names]
        self._environment = environment
        self._numbers = itertools.count()
        self._lock = threading.Lock()  # one text at a time
        self._answer: Message = {}
        self._answered = threading.Event()
        self._ended = ""
        self._helper: HelperProcess | None = None
        self.version = self.library = ""

    def _running(self) -> HelperProcess:
        """Return the helper; it is started if it does not run."""
        if self._helper is not None and not self._ended:
            return self._helper
        self.close()
        self._ended, self._answer = "", {}
        self._answered.clear()
        helper = HelperProcess(self._command, self._environment, self._on_message, self._on_end)
        if not self._answered.wait(START_S) or self._ended:
            helper.close()
            raise LinkError(
                "espeak-ng is not installed (this package's extra [speech], which is pip install espeakng-loader, or "
                f"Debian's espeak-ng): {self._ended or 'its helper does not answer'}"
            )
        self.version, self.library = (str(self._answer.get(key, "")) for key in ("version", "library"))
        self._helper = helper
        return helper

    @property
    @override
    def identity(self) -> str:
        with self._lock:
            self._running()
        return f"espeak-ng {self.version}"

    @property
    def pid(self) -> int:
        """The process id of the helper; 0 before it starts."""
        return 0 if self._helper is None else self._helper.pid

    def voice_of(self, spoken: Spoken) -> str:
        """Return the voice that the text names, else the voice of its language."""
        if spoken.voice:
            return spoken.voice
        language = language_of(spoken).lower()
        if language.split("-")[0] not in MANDARIN:
            return language
        return "cmn" if _numbers(self.version) >= FIRST_WITH_CMN else "cmn-latn-pinyin"

    @override
    def speak(self, spoken: Spoken, path: Path, cancelled: Cancelled) -> tuple[str, Marks]:
        rate = min(FASTEST, max(SLOWEST, round(USUAL_RATE * spoken.rate)))
        with self._lock:
            helper = self._running()
            number = str(next(self._numbers))
            self._answer = {}
            self._answered.clear()
            request = {"id": number, "text": spoken.text, "voice": self.voice_of(spoken), "rate": rate}
            helper.send({**request, "path": str(path.absolute())})
            self._wait(helper, cancelled)
            answer = self._answer
        if answer.get("event") != "done":
            raise SpeechError(f"espeak-ng: {answer.get('reason') or self._ended}")
        return ".wav", marks_of(spoken.text, answer)

    @override
    def close(self) -> None:
        if self._helper is not None:
            self._helper.close()
            self._helper = None

    def _wait(self, helper: HelperProcess, cancelled: Cancelled) -> None:
        for _ in range(round(LONGEST_ESPEAK_S / ESPEAK_LOOK_S)):
            if self._answered.wait(ESPEAK_LOOK_S):
                return
            if cancelled():
                break
        helper.close()  # a text that takes so long is dropped; the next one starts the helper again
        raise SpeechError("canceled" if cancelled() else f"espeak-ng took over {LONGEST_ESPEAK_S:g} s")

    def _on_message(self, message: Message) -> None:
        self._answer = message
        self._answered.set()

    def _on_end(self, reason: str) -> None:
        self._ended = reason or "it ended"
        self._answered.set()


def marks_of(text: str, answer: Message) -> Marks:
    """Return the marks of a text from the helper's answer; each word once, at its first sound.

    espeak-ng reports nothing for a word that it joins to the one before (1.52 does so with "你好"): such a word
    gets its share of the time until the next one.
    """
    words = words_of(text)
    begun: dict[int, float] = {}
    for at, character, _ in answer.get("words", ()):
        place = place_at(words, int(character))
        if place is not None:
            begun.setdefault(place, float(at))
    phonemes = tuple((float(at), str(name)) for at, name in answer.get("phonemes", ()))
    return Marks(tuple(sorted(_with_all_words(begun, len(words), answer.get("length", 0.0)))), phonemes)


def _with_all_words(begun: Mapping[int, float], count: int, length: float) -> Iterator[tuple[float, int]]:
    known = {0: 0.0, **begun, count: max(length, *begun.values(), 0.0)}
    places = sorted(known)
    times = np.interp(range(count), places, [known[place] for place in places])
    return ((round(float(at), 3), place) for place, at in enumerate(times))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("-")[0].split(".") if part.isdecimal())


# Speech by piper, a neural speech program, with a voice file of the user.
#
# piper is under the GPL-3.0: it runs as a program of its own.

LONGEST_PIPER_S, PIPER_LOOK_S = 60.0, 0.05


class PiperSpeaker(Speaker):
    """Implements a ``Speaker`` that runs piper once for each text. piper gives no marks.

    Raises:
        ConfigError: the voice file or the program does not exist.
    """

    def __init__(self, command: str, model: str, environment: Mapping[str, str]) -> None:
        if not model or not Path(model).is_file():
            raise ConfigError(f"piper needs a voice file (parameter piper_model); {model!r} is not a file")
        if shutil.which(command, path=environment.get("PATH")) is None:
            raise ConfigError(f"piper's program (parameter piper_command) {command!r} is not found")
        self._command, self._model, self._environment = command, model, environment

    @property
    @override
    def identity(self) -> str:
        return f"piper {Path(self._model).resolve()}"

    @override
    def speak(self, spoken: Spoken, path: Path, cancelled: Cancelled) -> tuple[str, Marks]:
        """Speak a text; it goes to standard input, on one line, because piper speaks each line by itself."""
        words = [self._command, "--model", self._model, "--output_file", str(path)]
        words += ["--length_scale", f"{1 / spoken.rate:.4g}"]
        try:
            process = subprocess.Popen(
                words,
                env=dict(self._environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise LinkError(f"piper cannot be started: {error}") from error
        text: bytes | None = " ".join(spoken.text.split()).encode() + b"\n"
        for _ in range(round(LONGEST_PIPER_S / PIPER_LOOK_S)):
            try:
                process.communicate(text, timeout=PIPER_LOOK_S)
                break
            except subprocess.TimeoutExpired:
                text = None  # it has been written
                if cancelled():
                    break
        if process.poll() is None:
            process.kill()
            process.communicate()
            raise SpeechError("canceled" if cancelled() else f"piper took over {LONGEST_PIPER_S:g} s")
        if process.returncode != 0:
            raise SpeechError(f"piper ended with code {process.returncode}")
        return ".wav", Marks()

    @override
    def close(self) -> None:
        """Do nothing: the program ends after each text."""
