# SPDX-License-Identifier: Apache-2.0
"""WAV, MP3, FLAC and Vorbis files as samples, by miniaudio. Runs in the sound helper: files may be hostile."""

from collections.abc import Callable
from pathlib import Path

import miniaudio
import numpy as np

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.media.mixing import CHANNELS, RATE, Samples

# MP3 is last, because it has no signature: its decoder looks for anything that could be a frame.
LOOKS = (
    miniaudio.wav_get_file_info,
    miniaudio.flac_get_file_info,
    miniaudio.vorbis_get_file_info,
    miniaudio.mp3_get_file_info,
)


class FileSource:
    """A ``Source``: a file from its beginning.

    Raises:
        CommandError: it cannot be read, or is of no format that can be played.
    """

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
            raise CommandError("neither WAV nor MP3, FLAC or Vorbis") from error

    def read(self, frames: int) -> Samples:
        """See ``Source``."""
        try:
            samples = self._stream.send(frames) if frames else ()
        except StopIteration:
            samples = ()
        except miniaudio.MiniaudioError as error:
            raise CommandError(f"cannot be decoded any further: {error}") from error
        return np.array(samples, np.float32).reshape(-1, CHANNELS)


def _length(path: Path) -> float | None:
    lengths = (_length_by(look, str(path)) for look in LOOKS)
    return next((length for length in lengths if length is not None), None)


def _length_by(look: Callable[[str], miniaudio.SoundFileInfo], path: str) -> float | None:
    try:
        return float(look(path).duration)
    except (miniaudio.MiniaudioError, ZeroDivisionError):  # of another format
        return None
