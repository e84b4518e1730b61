# SPDX-License-Identifier: Apache-2.0
"""Decodes WAV, MP3, FLAC and Vorbis files with miniaudio. Runs in the sound helper, because files may be hostile."""

from collections.abc import Callable
from pathlib import Path

import miniaudio
import numpy as np
from typing_extensions import override

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.media.outputs.mixing import CHANNELS, RATE, Samples, Source

# MP3 is last, because it has no signature: its decoder looks for anything that could be a frame.
LOOKS = (
    miniaudio.wav_get_file_info,
    miniaudio.flac_get_file_info,
    miniaudio.vorbis_get_file_info,
    miniaudio.mp3_get_file_info,
)


class FileSource(Source):
    """A ``Source`` that decodes a file from its beginning.

    Raises:
        CommandError: the file cannot be read, or its format cannot be played.
    """

    length: float | None = None

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb"):
                self.length = _length(path)
            self._stream = miniaudio.stream_file(
                str(path), miniaudio.SampleFormat.FLOAT32, CHANNELS, RATE, dither=miniaudio.DitherMode.NONE
            )
        except OSError as error:
            raise CommandError(f"cannot be read: {error.strerror}") from error
        except miniaudio.MiniaudioError as error:
            raise CommandError("the file is not WAV, MP3, FLAC or Vorbis") from error

    @override
    def read(self, frames: int) -> Samples:
        try:
            samples = self._stream.send(frames) if frames else ()
        except StopIteration:
            samples = ()
        except miniaudio.MiniaudioError as error:
            raise CommandError(f"the rest cannot be decoded: {error}") from error
        return np.array(samples, np.float32).reshape(-1, CHANNELS)


def _length(path: Path) -> float | None:
    lengths = (_length_by(look, str(path)) for look in LOOKS)
    return next((length for length in lengths if length is not None), None)


def _length_by(look: Callable[[str], miniaudio.SoundFileInfo], path: str) -> float | None:
    try:
        return float(look(path).duration)
    except (miniaudio.MiniaudioError, ZeroDivisionError):  # of another format
        return None
