# SPDX-License-Identifier: Apache-2.0
"""Chooses the output and the speech program of this machine. These calls may wait: run them on a thread."""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Final

from embodiment_bridge.core.errors import BridgeError, ConfigError, unknown
from embodiment_bridge.media.cloud_speech import CloudSettings, CloudSpeaker
from embodiment_bridge.media.device_output import DeviceOutput
from embodiment_bridge.media.espeak import EspeakSpeaker, libraries
from embodiment_bridge.media.null_output import NullOutput
from embodiment_bridge.media.output import Output
from embodiment_bridge.media.piper import PiperSpeaker
from embodiment_bridge.media.silence import SilentSpeaker
from embodiment_bridge.media.sources import Fetch
from embodiment_bridge.media.speech import Speaker

OUTPUTS: Final = ("auto", "device", "null")
SPEECHES: Final = ("espeak", "espeak_system", "piper", "cloud", "silent", "none")
Warn = Callable[[str], None]


def open_output(
    choice: str,
    environment: Mapping[str, str],
    now: Callable[[], float],
    warn: Warn,
    backend: str = "auto",
) -> Output:
    """Open an output. ``auto`` takes the sound device if there is one, else null; ``warn`` then gets the reason.

    ``backend``: see ``DeviceOutput``.

    Raises:
        BridgeError: ``device`` was chosen and cannot be opened, or the choice is unknown.
    """
    if choice not in OUTPUTS:
        raise ConfigError(unknown("output of sound", choice, OUTPUTS))
    if choice == "null":
        return NullOutput(now)
    try:
        output = DeviceOutput(environment, backend)
    except BridgeError as error:
        if choice == "device":
            raise
        warn(f"sound is timed but not audible: {error}")
        return NullOutput(now)
    if choice == "auto" and not output.has_device:
        output.close()
        warn("sound is timed but not audible: this machine has no sound device")
        return NullOutput(now)
    return output


def in_background(make: Callable[[], Output]) -> "Future[Output]":
    """Call ``make`` on a thread of its own."""
    future: Future[Output] = Future()

    def work() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(make())
        except Exception as error:  # noqa: BLE001 - the caller gets it with the result
            future.set_exception(error)

    Thread(target=work, name="media-opening", daemon=True).start()
    return future


@dataclass(frozen=True, slots=True)
class SpeechChoice:
    """The choice of a speech program.

    program: one of ``SPEECHES``. piper_command, piper_model: for piper. cloud: for the cloud service.
    """

    program: str = "espeak"
    piper_command: str = "piper"
    piper_model: str = ""
    cloud: CloudSettings | None = None


def open_speaker(choice: SpeechChoice, environment: Mapping[str, str], fetch: Fetch | None = None) -> Speaker:
    """Make the speaker; returns at once: espeak-ng starts with the first text.

    Raises:
        ConfigError: a setting of the chosen program is missing or wrong.
    """
    if choice.program in ("espeak", "espeak_system"):
        return EspeakSpeaker(environment, libraries(system_first=choice.program == "espeak_system"))
    if choice.program == "silent":
        return SilentSpeaker()
    if choice.program == "piper":
        return PiperSpeaker(choice.piper_command, choice.piper_model, environment)
    if choice.program == "cloud":
        if choice.cloud is None:
            raise ConfigError("speech by a cloud service needs the template of its URL")
        if fetch is None:
            raise ConfigError("speech by a cloud service needs a fetcher, and none was given")
        return CloudSpeaker(choice.cloud, fetch)
    raise ConfigError(unknown("speech program", choice.program, SPEECHES))


def usual_cache() -> Path:
    """The default folder of the media cache."""
    return _our_caches() / "media"


def preprocessed_folder() -> Path:
    """The default folder for the sounds of `bml preprocess`; a media root of the robot of the same user.

    Absolute, without symbolic links. It is not part of the cache, because a kept document needs its sounds.
    """
    return (_our_caches() / "preprocessed").resolve()


def _our_caches() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "embodiment_bridge"
