# SPDX-License-Identifier: Apache-2.0
"""The loudness of a spoken sound over time, which moves the mouth for speech without phonemes."""

import wave
from pathlib import Path
from typing import Final

import numpy as np

from embodiment_bridge.media.files.wav import open_wav

BLOCK_S: Final = 0.05
MAX_BLOCKS: Final = 36_000  # half an hour; the mouth stays closed after it
MAX_RATE: Final = 1_000_000  # frames per second; a header with more is wrong
MAX_CHANNELS: Final = 8
READ_BLOCKS: Final = 200  # at once
WIDE_OPEN: Final = 0.7  # share of the loudest block at which the mouth is wide open


def envelope(path: Path) -> tuple[float, ...]:
    """The mouth opening, 0 to 1, for each ``BLOCK_S`` of a WAV file of 16-bit samples: RMS relative to the loudest.

    Empty for other files and for silence.
    """
    try:
        with open_wav(path) as file:
            plain = 0 < file.getframerate() <= MAX_RATE and file.getnchannels() <= MAX_CHANNELS
            if file.getsampwidth() != 2 or not plain:
                return ()
            loud = _rms_of_blocks(file)
    except (OSError, EOFError, wave.Error):
        return ()
    most = max(loud, default=0.0)
    return tuple(min(1.0, value / (WIDE_OPEN * most)) for value in loud) if most > 0.0 else ()


def _rms_of_blocks(file: wave.Wave_read) -> list[float]:
    frames = max(1, round(file.getframerate() * BLOCK_S))
    samples = frames * file.getnchannels()
    found: list[float] = []
    while len(found) < MAX_BLOCKS:
        read = file.readframes(frames * READ_BLOCKS)
        data = np.frombuffer(read[: len(read) // 2 * 2], dtype="<i2").astype(np.float64)
        if data.size == 0:
            break
        rest = np.zeros(-data.size % samples)
        blocks = np.concatenate((data, rest)).reshape(-1, samples)
        found += np.sqrt((blocks**2).mean(axis=1)).tolist()
    return found[:MAX_BLOCKS]
