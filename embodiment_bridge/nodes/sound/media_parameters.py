# SPDX-License-Identifier: Apache-2.0
"""Parameters of sound, and the player that is made from them."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import NodeValues, Parameter
from embodiment_bridge.media.channels import Loudness, quiet_hours
from embodiment_bridge.media.cue import ChannelState
from embodiment_bridge.media.files.cache import MediaCache, preprocessed_folder, usual_cache
from embodiment_bridge.media.files.sources import Fetch, MediaSources
from embodiment_bridge.media.loader import Loader
from embodiment_bridge.media.outputs.device_output import BACKENDS, OUTPUTS, in_background, open_output
from embodiment_bridge.media.outputs.output import Output
from embodiment_bridge.media.player import Player
from embodiment_bridge.media.speech.choice import PARAMETERS as SPEECH_PARAMETERS
from embodiment_bridge.media.speech.choice import open_speech
from embodiment_bridge.nodes.sound.mouth_light import PARAMETERS as MOUTH_PARAMETERS

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
    Parameter("volume_cap", 100.0, "Loudest that anything is played, percent.", 0.0, 100.0, safety=True),
    Parameter(
        "fade_in", 0.02, "Every sound gets louder over so many seconds, unless it says how long.", 0.0, 10.0
    ),
    Parameter(
        "quiet_hours",
        "",
        "Local time of each day in which quiet_cap holds, such as 22:00-07:00.",
        safety=True,
    ),
    Parameter("quiet_cap", 30.0, "Loudest in quiet hours, percent.", 0.0, 100.0, safety=True),
    Parameter(
        "media_roots",
        [""],
        "Absolute folders under which file URLs of documents may be, besides that of `bml preprocess`.",
    ),
    Parameter("media_cache", "", "Folder of fetched media and of speech; empty: of the user's cache."),
    Parameter("media_cache_size", 500, "How much of it stays there, MB.", 1, 1_000_000),
    *SPEECH_PARAMETERS,
    *MOUTH_PARAMETERS,
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Describes the machine as the player uses it.

    environment: gives that of outside programs. share: gives the share folder of a package.
    fetch: the fetcher with the rules of this node; None: nothing remote is played.
    """

    environment: Callable[[], Mapping[str, str]]
    share: Callable[[str], Path]
    fetch: Fetch | None = None


def with_media_roots(policy: UrlPolicy, values: NodeValues) -> UrlPolicy:
    """Return the policy, extended by the folders of the parameters and the one that `bml preprocess` writes to.

    Raises:
        ConfigError: a folder is not an absolute path.
    """
    roots = tuple(root for root in values["media_roots"] or () if root)
    for root in roots:
        if not root.startswith("/"):
            raise ConfigError(f"parameter media_roots has absolute folders, not {root!r}")
    return replace(policy, media_roots=(*roots, str(preprocessed_folder())))


def make_player(
    values: NodeValues,
    policy: UrlPolicy,
    surroundings: Surroundings,
    now: Callable[[], float],
    tell: Callable[[str], None],
    on_change: Callable[[ChannelState], None],
) -> Player:
    """Return the player for these parameters; returns at once, programs start in the background.

    Raises:
        ConfigError: a parameter cannot be used.
    """
    environment = dict(surroundings.environment())
    loudness = Loudness(values["volume_cap"], values["quiet_cap"], quiet_hours(values["quiet_hours"]))
    folder = Path(values["media_cache"]) if values["media_cache"] else usual_cache()
    cache = MediaCache(folder, values["media_cache_size"] * MEGABYTE)
    speech = open_speech(values, environment, cache, tell)
    loader = Loader(MediaSources(policy, cache, surroundings.fetch, surroundings.share), speech)

    def output() -> "Future[Output]":
        return in_background(
            lambda: open_output(values["sound"], environment, now, tell, values["sound_backend"])
        )

    return Player(loader, output, loudness, values["fade_in"], on_change)
