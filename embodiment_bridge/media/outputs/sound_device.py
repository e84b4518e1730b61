# SPDX-License-Identifier: Apache-2.0
"""Decodes sound files and plays on the sound device, through miniaudio.

Runs in the sound helper, because files may be hostile.
"""

import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final

import miniaudio
import numpy as np
from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, LinkError, unknown
from embodiment_bridge.media.outputs.mixing import CHANNELS, RATE, Samples, Source

# MP3 is last, because it has no signature: its decoder looks for anything that could be a frame.
LOOKS = (
    miniaudio.wav_get_file_info,
    miniaudio.flac_get_file_info,
    miniaudio.vorbis_get_file_info,
    miniaudio.mp3_get_file_info,
)


class FileSource(Source):
    """Implements a ``Source`` that decodes a file from its beginning.

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
    except (miniaudio.MiniaudioError, ZeroDivisionError):  # the file has another format
        return None


PERIOD_MS: Final = 10  # the device asks for this much at once
# That the device buffers: a pause is heard after them; if we are later than that, there is a gap.
PERIODS: Final = 3
AHEAD: Final = PERIOD_MS * PERIODS * RATE // 1000  # frames
NULL: Final = "null"
BACKENDS: Final = {
    "pulseaudio": miniaudio.Backend.PULSEAUDIO,
    "alsa": miniaudio.Backend.ALSA,
    "jack": miniaudio.Backend.JACK,
    "coreaudio": miniaudio.Backend.COREAUDIO,
    NULL: miniaudio.Backend.NULL,
}


class SoundDevice:
    """Represents the default device of a backend; it calls ``mix`` with a number of frames, on a thread of its own.

    Args:
        backend: one of ``BACKENDS``, or auto: the first that has a device; null: in real time, without a device.
        mix: gives the samples.

    Raises:
        LinkError: there is no device, or the backend is unknown.
    """

    def __init__(self, backend: str, mix: Callable[[int], Samples]) -> None:
        choices = [name for name in BACKENDS if name != NULL] if backend == "auto" else [backend]
        if not set(choices) <= set(BACKENDS):
            raise LinkError(unknown("sound backend", backend, ["auto", *BACKENDS]))
        self._mix = mix
        self._asked = time.monotonic()
        for name in choices:
            try:
                self._device = miniaudio.PlaybackDevice(
                    miniaudio.SampleFormat.FLOAT32,
                    CHANNELS,
                    RATE,
                    PERIOD_MS,
                    callback_periods=PERIODS,
                    backends=[BACKENDS[name]],
                    app_name="embodiment_bridge",
                )
            except miniaudio.MiniaudioError:
                continue
            self.backend = name
            return
        raise LinkError("this machine has no sound device" + ("" if backend == "auto" else f" for {backend}"))

    @property
    def silent_for(self) -> float:
        """For how long a running device has not asked for samples, s."""
        return time.monotonic() - self._asked if self._device.running else 0.0

    def start(self) -> None:
        """Start the device, if it does not run yet.

        Raises:
            LinkError: the device does not start.
        """
        if self._device.running:
            return
        blocks = self._blocks()
        next(blocks)
        self._asked = time.monotonic()
        try:
            self._device.start(blocks)
        except miniaudio.MiniaudioError as error:
            raise LinkError(f"the sound device does not start: {error}") from error

    def stop(self) -> None:
        """Stop the device; it can be started again.

        Raises:
            LinkError: the device is gone.
        """
        try:
            self._device.stop()
        except miniaudio.MiniaudioError as error:
            raise LinkError(f"the sound device does not stop: {error}") from error

    def close(self) -> None:
        """Release the device."""
        self._device.close()

    def _blocks(self) -> Generator[bytes, int, None]:
        frames = yield b""
        while True:
            self._asked = time.monotonic()
            frames = yield self._mix(frames).tobytes()
