# SPDX-License-Identifier: Apache-2.0
"""Opens WAV files that come from anywhere, and computes their loudness over time, which moves the mouth."""

import io
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
from typing_extensions import override

MAX_RATE: Final = 10_000_000  # frames per second; a WAV header with more is wrong
HEADER_READS: Final = 1000  # two for each chunk; a few chunks are usual


class _File(io.FileIO):
    """Represents a file that seems to end after ``reads_left`` reads; None: no limit."""

    reads_left: int | None = HEADER_READS

    @override
    def read(self, size: int | None = -1, /) -> bytes:
        if self.reads_left is not None:
            self.reads_left -= 1
            if self.reads_left < 0:
                return b""
        return super().read(size) or b""


@contextmanager
def open_wav(path: Path | str) -> Iterator[wave.Wave_read]:
    """Open a WAV file; one with more than some 500 chunks before its samples is none.

    ``wave`` looks at each chunk, which takes many seconds for a file of millions of empty ones.

    Raises:
        OSError: it cannot be read.
        EOFError: it ends too early.
        wave.Error: it is no WAV file, or not of plain samples.
    """
    with _File(path) as file, wave.open(file, "rb") as opened:
        file.reads_left = None
        yield opened


def wav_length(path: Path | str) -> float | None:
    """Return the length in s from the header of a WAV file; None when the file is not WAV."""
    try:
        with open_wav(path) as file:
            frames, rate = file.getnframes(), file.getframerate()
    except (OSError, EOFError, wave.Error):
        return None
    return frames / rate if 0 < rate <= MAX_RATE else None


BLOCK_S: Final = 0.05
MAX_BLOCKS: Final = 36_000  # half an hour; the mouth stays closed after it
MAX_ENVELOPE_RATE: Final = 1_000_000  # frames per second; a header with more is wrong
MAX_CHANNELS: Final = 8
READ_BLOCKS: Final = 200  # at once
WIDE_OPEN: Final = 0.7  # share of the loudest block at which the mouth is wide open


def envelope(path: Path) -> tuple[float, ...]:
    """Return the mouth opening, 0 to 1, for each ``BLOCK_S`` of a WAV file (16 bit): RMS relative to the loudest.

    Empty for other files and for silence.
    """
    try:
        with open_wav(path) as file:
            plain = 0 < file.getframerate() <= MAX_ENVELOPE_RATE and file.getnchannels() <= MAX_CHANNELS
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
