# SPDX-License-Identifier: Apache-2.0
"""The choice of a speech program, by parameters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.parameter import NodeValues, Parameter
from embodiment_bridge.media.files.cache import MediaCache
from embodiment_bridge.media.speech.cloud import CloudSettings, CloudSpeaker, speech_fetcher
from embodiment_bridge.media.speech.programs import EspeakSpeaker, PiperSpeaker, libraries
from embodiment_bridge.media.speech.store import OrSilence, SilentSpeaker, Speaker, SpeechStore

SPEECHES: Final = ("espeak", "espeak_system", "piper", "cloud", "silent", "none")
PARAMETERS: Final = (
    Parameter(
        "speech",
        "espeak",
        "What speaks; espeak_system: Debian's espeak-ng rather than PyPI's; silent: texts only take their time; "
        "none: documents with text to speak are rejected.",
        choices=SPEECHES,
    ),
    Parameter("piper_command", "piper", "piper's program."),
    Parameter("piper_model", "", "piper's voice file."),
    Parameter(
        "speech_url",
        "",
        "Template of a cloud service: a URL with {text}, and {voice} {language} {rate} as wanted.",
    ),
    Parameter("speech_key_variable", "", "Environment variable that has the key of the cloud service."),
)


@dataclass(frozen=True, slots=True)
class SpeechChoice:
    """Names the speech program.

    program: one of ``SPEECHES``. piper_command, piper_model: for piper. url, key_variable: for the cloud service, see
    ``CloudSettings``; ca_file: PEM file of authorities that are trusted for it besides those of the system.
    """

    program: str = "espeak"
    piper_command: str = "piper"
    piper_model: str = ""
    url: str = ""
    key_variable: str = ""
    ca_file: str = ""


def open_speech(
    values: NodeValues, environment: Mapping[str, str], cache: MediaCache, tell: Callable[[str], None]
) -> SpeechStore | None:
    """Open the speech that the parameters choose; None for ``none``.

    Where it fails, texts take their time in silence.

    Raises:
        ConfigError: a parameter cannot be used.
    """
    if values["speech"] == "none":
        return None
    choice = SpeechChoice(
        values["speech"],
        values["piper_command"],
        values["piper_model"],
        values["speech_url"],
        values["speech_key_variable"],
        values["fetch_ca_file"],
    )
    return SpeechStore(OrSilence(open_speaker(choice, environment), tell), cache)


def open_speaker(choice: SpeechChoice, environment: Mapping[str, str]) -> Speaker:
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
        settings = CloudSettings(choice.url, choice.key_variable)
        return CloudSpeaker(settings, speech_fetcher(settings, choice.ca_file))
    raise ConfigError(unknown("speech program", choice.program, SPEECHES))
