# SPDX-License-Identifier: Apache-2.0
"""A program that speaks into WAV files with espeak-ng and reports when each word and phoneme begins.

    python3 -I -S espeak_helper.py LIBRARY...

It uses the standard library only, and the first LIBRARY that can be loaded with its data, which are beside it when
LIBRARY is a path, else where the system keeps them. espeak-ng is under the GPL-3.0: only this program loads it, and
this program imports no other module of the package.

It reads one JSON object per line: id, text, voice, rate (words per minute), path of the file to write. It writes
``ready`` (version, library) first, then for each text ``done`` (id, length in s, words: [s, place in the text,
characters], phonemes: [s, name]) or ``failed`` (id, reason). Texts are plain: SSML and phonemes in brackets are not
interpreted.
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
UTF8 = 1  # espeakCHARS_UTF8, without espeakSSML (0x10) and espeakPHONEMES (0x100)
CHARACTERS = 1  # POS_CHARACTER
RATE, VOLUME = 1, 2  # parameters
LIST_END, WORD, PHONEME = 0, 1, 7  # events
LONGEST_S = 1800.0
VOICE = re.compile(r"[A-Za-z][A-Za-z0-9_+ -]{0,60}")


class Identity(ctypes.Union):
    """Maps the union ``id`` of espeak_EVENT."""

    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class Event(ctypes.Structure):
    """Maps espeak_EVENT of espeak-ng 1.50 and later."""

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


def send(**message: object) -> None:
    """Write one message to standard output."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def load(name: str) -> tuple[ctypes.CDLL, int]:
    """Load and initialise a library; gives it and its sample rate (1/s).

    Raises:
        OSError: the library cannot be loaded, or its data are missing.
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
    """Represents the first library that can be loaded, and the output for the text that is being spoken."""

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
        self.callback = CALLBACK(self.on_samples)  # must live as long as the library uses it
        self.library.espeak_SetSynthCallback(self.callback)
        self.file: wave.Wave_write
        self.words: list[list[float]] = []
        self.phonemes: list[list[float | str]] = []
        self.samples = 0
        self.voice = ""

    def on_samples(self, samples: Any, count: int, events: Any) -> int:
        """Take part of the sound and the events in it, as espeak-ng calls; return 1 to stop the text."""
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

    def choose(self, name: str) -> None:
        """Set the voice of that name, else that of the language without its region."""
        if not VOICE.fullmatch(name):  # the library would take it for the path of a file
            raise ValueError(f"{name[:60]!r} is not a name of a voice")
        if name == self.voice:
            return  # to load it again takes longer than to speak a sentence
        self.voice = ""
        for one in (name, name.split("-")[0]):
            if self.library.espeak_SetVoiceByName(one.encode()) == 0:
                self.voice = name
                return
        raise ValueError(f"espeak-ng has no voice {name!r}")

    def speak(self, request: dict[str, Any]) -> None:
        """Speak one text into one file."""
        self.words, self.phonemes, self.samples = [], [], 0
        self.choose(request["voice"])
        self.library.espeak_SetParameter(RATE, int(request["rate"]), 0)
        self.library.espeak_SetParameter(VOLUME, 100, 0)
        text = request["text"].replace("\0", " ").encode()
        with wave.open(request["path"], "wb") as self.file:
            self.file.setnchannels(1)
            self.file.setsampwidth(2)
            self.file.setframerate(self.samplerate)
            self.library.espeak_Synth(text, len(text) + 1, 0, CHARACTERS, 0, UTF8, None, None)
        length = self.samples / self.samplerate
        send(event="done", id=request["id"], length=length, words=self.words, phonemes=self.phonemes)


def main() -> None:
    """Run the program that the top of this file describes."""
    voice = Voice(sys.argv[1:])
    send(event="ready", version=voice.version, library=voice.name)
    for line in sys.stdin:
        request = {}
        try:
            request = json.loads(line)
            voice.speak(request)
        except Exception as error:  # noqa: BLE001 - reported; the next text is spoken all the same
            send(
                event="failed",
                id=request.get("id", "") if isinstance(request, dict) else "",
                reason=str(error),
            )


if __name__ == "__main__":
    main()
