# SPDX-License-Identifier: Apache-2.0
"""Speaks by a network service at a URL template, which the guarded fetcher asks.

The key is in the environment only.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from typing_extensions import override

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.fetching import Fetcher, FetchRules
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.files.sources import Fetch
from embodiment_bridge.media.speech.store import Cancelled, Speaker, SpeechError, Spoken, language_of

MAX_SPEECH = 20 << 20  # bytes of sound for one text
TOTAL_S = 30.0  # s to fetch the sound of one text
MAX_URL = 8000  # characters; a text of 4000 can take up to 36,000 in a URL, and is then refused
FIELDS = ("text", "voice", "language", "rate")
FORMATS: Mapping[str, str] = {
    "audio/wav": ".wav",
    "audio/x-wav": ".wav",
    "audio/wave": ".wav",
    "audio/mpeg": ".mp3",
    "audio/mp3": ".mp3",
    "audio/ogg": ".ogg",
    "application/ogg": ".ogg",
}
_FIELD = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class CloudSettings:
    """Holds the address and the key of the service.

    template: a URL with ``{text}`` and, where wanted, ``{voice} {language} {rate}``; the values are quoted in it.

    key_variable: the environment variable with the key, which is sent as a bearer token; empty: no key is sent.
    """

    template: str
    key_variable: str = ""

    def __post_init__(self) -> None:
        """Check the template; raises ConfigError if it cannot be used."""
        fields = _FIELD.findall(self.template)
        for field in fields:
            if field not in FIELDS:
                raise ConfigError(unknown("field of the speech template", field, FIELDS))
        if "text" not in fields:
            raise ConfigError(f"speech_url: the speech template has no {{text}}: {self.template!r:.100}")
        if not self.host or _FIELD.search(self.template.partition("://")[2].partition("/")[0]):
            raise ConfigError("the speech template needs a fixed host: a field must not be part of it")

    @property
    def host(self) -> str:
        """The host of the service, which the operator trusts by naming it; empty where the template has none."""
        try:
            return urlsplit(self.template.partition("{")[0]).hostname or ""
        except ValueError:  # raised by brackets without an address
            return ""


class CloudSpeaker(Speaker):
    """Implements a ``Speaker`` that asks a network service; the service gives no marks.

    Raises:
        ConfigError: ``key_variable`` is given and the environment has no key in it.
    """

    def __init__(self, settings: CloudSettings, fetch: Fetch) -> None:
        self._settings, self._fetch = settings, fetch
        self._headers: dict[str, str] = {}
        if settings.key_variable:
            key = os.environ.get(settings.key_variable, "")
            if not re.fullmatch(r"[\x21-\x7e]+", key):
                raise ConfigError(f"the environment variable {settings.key_variable} has no key for speech")
            self._headers = {"Authorization": f"Bearer {key}"}

    @property
    @override
    def identity(self) -> str:
        return f"cloud {self._settings.template}"

    def url_of(self, spoken: Spoken) -> str:
        """Return the URL of the sound of a text.

        Raises:
            SpeechError: the URL would be longer than ``MAX_URL``.
        """
        values = {
            "text": spoken.text,
            "voice": spoken.voice,
            "language": language_of(spoken),
            "rate": f"{spoken.rate:g}",
        }
        url = _FIELD.sub(lambda found: quote(values[found.group(1)], safe=""), self._settings.template)
        if len(url) > MAX_URL:
            raise SpeechError(f"the text makes a URL of {len(url)} characters, {MAX_URL} is the limit")
        return url

    @override
    def speak(self, spoken: Spoken, path: Path, cancelled: Cancelled) -> tuple[str, Marks]:
        with path.open("wb") as file:
            kind = self._fetch(
                self.url_of(spoken),
                file,
                max_bytes=MAX_SPEECH,
                accept=tuple(FORMATS),
                total_s=TOTAL_S,
                cancelled=cancelled,
                headers=self._headers,
            )
        if kind not in FORMATS:
            raise SpeechError(
                f"the speech service answers with {kind[:60]!r}, which is not a known type of sound"
            )
        return FORMATS[kind], Marks()

    @override
    def close(self) -> None:
        """Do nothing: the service is not kept open between two texts."""


def speech_fetcher(settings: CloudSettings, ca_file: str = "") -> Fetch:
    """Return a fetcher for the host of the template, whatever its address, and for no other host.

    ca_file: PEM file of certification authorities that are trusted besides those of the system; empty: none.

    Raises:
        ConfigError: the key would be sent to another machine without https.
    """
    local = settings.host in ("localhost", "127.0.0.1", "::1")
    if settings.key_variable and not settings.template.startswith("https:") and not local:
        raise ConfigError("the key of a speech service is sent over https only")
    hosts = frozenset({settings.host})
    policy = UrlPolicy(("https", "http"), hosts=hosts, trusted_hosts=hosts, max_length=MAX_URL)
    return Fetcher(FetchRules(policy, ca_file=ca_file)).fetch_to
