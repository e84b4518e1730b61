# SPDX-License-Identifier: Apache-2.0
"""Sounds without a sound library: notes of a scale, as WAV."""

import io
import math
import struct
import wave
import zlib
from typing import Final

RATE: Final = 8000  # Hz
NOTE_S: Final = 0.25
LOUDNESS: Final = 8000  # of 32767
STEPS: Final = (0, 2, 4, 7, 9, 12)  # half tones of a pentatonic scale: any order of them sounds well
LOWEST: Final = {"voice": 220.0, "music": 330.0}  # Hz


def wav(kind: str, name: str, seconds: float) -> bytes:
    """A WAV file (8 kHz, 16 bit, mono) of ``seconds``; ``name`` chooses the melody."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(_samples(LOWEST[kind], zlib.crc32(name.encode()), round(seconds * RATE)))
    return out.getvalue()


def _samples(lowest: float, melody: int, count: int) -> bytes:
    per_note = round(NOTE_S * RATE)
    values = []
    for place in range(count):
        note, within = divmod(place, per_note)
        step = STEPS[(melody >> (note * 3 % 29)) % len(STEPS)]
        pitch = lowest * 2.0 ** (step / 12.0)
        fade = min(1.0, within / 80.0, (per_note - within) / 400.0)  # without a fade every note would click
        values.append(int(LOUDNESS * fade * math.sin(2.0 * math.pi * pitch * within / RATE)))
    return struct.pack(f"<{len(values)}h", *values)
