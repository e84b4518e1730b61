# SPDX-License-Identifier: Apache-2.0
"""A program that speaks into WAV files with espeak-ng and tells when each word and sound begins; standard library only.

    python3 -I -S espeak_helper.py LIBRARY...

It takes the first of the libraries that can be loaded and finds its data: beside it when LIBRARY is a path, else where
the system keeps them. espeak-ng is under the GPL-3.0: it is loaded here, and by no process that has our other modules.

It is told, one JSON object per line: id, text, voice, rate (words per minute), path of the file to write. It tells
``ready`` (version, library) first, then for each ``done`` (id, length in s, words: [s, place in the text, characters],
phonemes: [s, name]) or ``failed`` (id, reason). Texts are plain: neither SSML nor phonemes in brackets are read.
"""

import ctypes
import json
import os
import re
import sys
import wave
from typing import Any

SYNCHRONOUS = 2  # AUDIO_OUTPUT_SYNCHRONOUS
PHONEME_EVENTS = 1  # espeakINITIALIZE_PHONEME_EVENTS
DONT_EXIT = 0x8000  # espeakINITIALIZE_DONT_EXIT
UTF8 = 1  # espeakCHARS_UTF8; neither espeakSSML (0x10) nor espeakPHONEMES (0x100)
CHARACTERS = 1  # POS_CHARACTER
RATE, VOLUME = 1, 2  # parameters
LIST_END, WORD, PHONEME = 0, 1, 7  # events
LONGEST_S = 1800.0
VOICE = re.compile(r"[A-Za-z][A-Za-z0-9_+ -]{0,60}")


class Identity(ctypes.Union):
    """What an event is about."""

    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class Event(ctypes.Structure):
    """espeak_EVENT of espeak-ng 1.50 and later."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", Identity),
    ]


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(Event))


def tell(**message: Any) -> None:
    """One line to whoever started us."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def load(name: str) -> tuple[ctypes.CDLL, int]:
    """A library that is ready to speak, and how many samples a second it makes.

    Raises:
        OSError: it cannot be loaded, or its data are missing.
    """
    library = ctypes.CDLL(name)
    library.espeak_Info.restype = ctypes.c_char_p
    library.espeak_Synth.argtypes = [
        ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint, ctypes.c_int, ctypes.c_uint, ctypes.c_uint,
        ctypes.c_void_p, ctypes.c_void_p,
    ]  # fmt: skip
    data = None
    if "/" in name:
        os.chdir(os.path.dirname(name))  # noqa: PTH120 - pathlib takes longer to import than all of this
        data = b"."  # espeak-ng 1.52 has room for 160 characters of a path
    rate = int(library.espeak_Initialize(SYNCHRONOUS, 0, data, PHONEME_EVENTS | DONT_EXIT))
    if rate <= 0:
        raise OSError(f"{name}: its data are missing")
    return library, rate


class Voice:
    """The first library that can be had, and what comes of the text that is being spoken."""

    def __init__(self, names: list[str]) -> None:
        reasons = []
        for name in names:
            try:
                self.library, self.samplerate = load(name)
                self.name = name
                break
            except OSError as error:
                reasons.append(str(error))
        else:
            raise OSError("; ".join(reasons))
        self.version = self.library.espeak_Info(None).decode().split()[0]
        self.callback = CALLBACK(self.take)  # must live as long as the library uses it
        self.library.espeak_SetSynthCallback(self.callback)
        self.file: Any = None
        self.words: list[list[Any]] = []
        self.phonemes: list[list[Any]] = []
        self.samples = 0
        self.voice = ""

    def take(self, samples: Any, count: Any, events: Any) -> int:
        """Part of the sound, and what begins in it; 1 ends the text."""
        if samples and count > 0:
            self.file.writeframes(ctypes.string_at(samples, count * 2))
            self.samples += count
        place = 0
        while events and events[place].type != LIST_END:
            event = events[place]
            at = event.audio_position / 1000
            if event.type == WORD:
                self.words.append([at, event.text_position - 1, event.length])
            elif event.type == PHONEME:
                name = event.id.string.decode(errors="replace")
                if name:
                    self.phonemes.append([at, name])
            place += 1
        return int(self.samples > LONGEST_S * self.samplerate)

    def choose(self, name: Any) -> None:
        """The voice of that name, else that of the language without its region."""
        if not VOICE.fullmatch(name):  # the library would take it for the path of a file
            raise ValueError(f"{name[:60]!r} is no name of a voice")
        if name == self.voice:
            return  # to load it again takes longer than a sentence
        self.voice = ""
        for one in (name, name.split("-")[0]):
            if self.library.espeak_SetVoiceByName(one.encode()) == 0:
                self.voice = name
                return
        raise ValueError(f"espeak-ng has no voice {name!r}")

    def speak(self, wish: Any) -> None:
        """One text into one file."""
        self.words, self.phonemes, self.samples = [], [], 0
        self.choose(wish["voice"])
        self.library.espeak_SetParameter(RATE, int(wish["rate"]), 0)
        self.library.espeak_SetParameter(VOLUME, 100, 0)
        text = wish["text"].replace("\0", " ").encode()
        with wave.open(wish["path"], "wb") as self.file:
            self.file.setnchannels(1)
            self.file.setsampwidth(2)
            self.file.setframerate(self.samplerate)
            self.library.espeak_Synth(text, len(text) + 1, 0, CHARACTERS, 0, UTF8, None, None)
        length = self.samples / self.samplerate
        tell(event="done", id=wish["id"], length=length, words=self.words, phonemes=self.phonemes)


def main() -> None:
    """See the text at the top."""
    voice = Voice(sys.argv[1:])
    tell(event="ready", version=voice.version, library=voice.name)
    for line in sys.stdin:
        wish = {}
        try:
            wish = json.loads(line)
            voice.speak(wish)
        except Exception as error:  # noqa: BLE001 - told; the next text is spoken all the same
            tell(event="failed", id=wish.get("id", "") if isinstance(wish, dict) else "", reason=str(error))


if __name__ == "__main__":
    main()
