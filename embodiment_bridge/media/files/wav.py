# SPDX-License-Identifier: Apache-2.0
"""Opens WAV files that come from anywhere."""

import io
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from typing_extensions import override

MAX_RATE: Final = 10_000_000  # frames per second; a WAV header with more is wrong
HEADER_READS: Final = 1000  # two for each chunk; a few chunks are usual


class _File(io.FileIO):
    """A file that seems to end after ``reads_left`` reads; None: no limit."""

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
    """The length in s from the header of a WAV file; None when the file is not WAV."""
    try:
        with open_wav(path) as file:
            frames, rate = file.getnframes(), file.getframerate()
    except (OSError, EOFError, wave.Error):
        return None
    return frames / rate if 0 < rate <= MAX_RATE else None
