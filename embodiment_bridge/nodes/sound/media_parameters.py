# SPDX-License-Identifier: Apache-2.0
"""Parameters of sound, and the player that is made from them."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.media.cache import MediaCache
from embodiment_bridge.media.cloud_speech import CloudSettings
from embodiment_bridge.media.cue import ChannelState
from embodiment_bridge.media.device_output import BACKENDS
from embodiment_bridge.media.loader import Loader
from embodiment_bridge.media.loudness import Loudness, quiet_hours
from embodiment_bridge.media.opening import (
    OUTPUTS,
    SPEECHES,
    SpeechChoice,
    in_background,
    open_output,
    open_speaker,
    preprocessed_folder,
    usual_cache,
)
from embodiment_bridge.media.operator_fetch import speech_fetcher
from embodiment_bridge.media.output import Output
from embodiment_bridge.media.player import Player
from embodiment_bridge.media.silence import OrSilence
from embodiment_bridge.media.sources import Fetch, MediaSources
from embodiment_bridge.media.speech import SpeechStore
from embodiment_bridge.nodes.sound.mouth_parameters import PARAMETERS as MOUTH_PARAMETERS

MEGABYTE = 1_000_000
PARAMETERS = (
    Parameter(
        "sound",
        "auto",
        "What plays: the sound device, or null, which plays nothing and takes the time. auto: null without a device.",
        choices=OUTPUTS,
    ),
    Parameter(
        "sound_backend",
        "auto",
        "Backend of the sound device; null plays nothing, in real time.",
        choices=BACKENDS,
    ),
    Parameter("volume_cap", 100.0, "Loudest that anything is played, percent.", 0.0, 100.0),
    Parameter(
        "fade_in", 0.02, "Every sound gets louder over so many seconds, unless it says how long.", 0.0, 10.0
    ),
    Parameter("quiet_hours", "", "Local time of each day in which quiet_cap holds, such as 22:00-07:00."),
    Parameter("quiet_cap", 30.0, "Loudest in quiet hours, percent.", 0.0, 100.0),
    Parameter(
        "media_roots",
        [""],
        "Absolute folders under which file URLs of documents may be, besides that of `bml preprocess`.",
    ),
    Parameter("media_cache", "", "Folder of fetched media and of speech; empty: of the user's cache."),
    Parameter("media_cache_size", 500, "How much of it stays there, MB.", 1, 1_000_000),
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
    *MOUTH_PARAMETERS,
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the player needs from the machine.

    environment: gives that of outside programs. share: gives the share folder of a package.
    fetch: the fetcher with the rules of this node; None: nothing remote is played.
    """

    environment: Callable[[], Mapping[str, str]]
    share: Callable[[str], Path]
    fetch: Fetch | None = None


def with_media_roots(policy: UrlPolicy, values: Mapping[str, Any]) -> UrlPolicy:
    """The policy, extended by the folders of the parameters and the one that `bml preprocess` writes to.

    Raises:
        ConfigError: a folder is not an absolute path.
    """
    roots = tuple(root for root in values["media_roots"] or () if root)
    for root in roots:
        if not root.startswith("/"):
            raise ConfigError(f"parameter media_roots has absolute folders, not {root!r}")
    return replace(policy, media_roots=(*roots, str(preprocessed_folder())))


def make_player(
    values: Mapping[str, Any],
    policy: UrlPolicy,
    surroundings: Surroundings,
    now: Callable[[], float],
    tell: Callable[[str], None],
    on_change: Callable[[ChannelState], None],
) -> Player:
    """The player for these parameters; returns at once, programs start in the background.

    Raises:
        ConfigError: a parameter cannot be used.
    """
    environment = dict(surroundings.environment())
    loudness = Loudness(values["volume_cap"], values["quiet_cap"], quiet_hours(values["quiet_hours"]))
    choice = _speech_choice(values)
    folder = Path(values["media_cache"]) if values["media_cache"] else usual_cache()
    cache = MediaCache(folder, values["media_cache_size"] * MEGABYTE)

    speech = None
    if choice.program != "none":
        fetch = None if choice.cloud is None else speech_fetcher(choice.cloud, values["fetch_ca_file"])
        speech = SpeechStore(OrSilence(open_speaker(choice, environment, fetch), tell), cache)
    loader = Loader(MediaSources(policy, cache, surroundings.fetch, surroundings.share), speech)

    def output() -> "Future[Output]":
        return in_background(
            lambda: open_output(values["sound"], environment, now, tell, values["sound_backend"])
        )

    return Player(loader, output, loudness, values["fade_in"], on_change)


def _speech_choice(values: Mapping[str, Any]) -> SpeechChoice:
    template = values["speech_url"]
    cloud = CloudSettings(template, values["speech_key_variable"]) if template else None
    if values["speech"] == "cloud" and cloud is None:
        raise ConfigError("speech is cloud, but parameter speech_url is empty")
    return SpeechChoice(values["speech"], values["piper_command"], values["piper_model"], cloud)
