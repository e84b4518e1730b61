# SPDX-License-Identifier: Apache-2.0
"""Speech by a service on the network: a URL template, and a key that comes from the environment only."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.media.marks import Marks
from embodiment_bridge.media.sources import Fetch
from embodiment_bridge.media.speech import Cancelled, SpeechError, Spoken, language_of

MAX_SPEECH = 20 << 20  # bytes of one text
TOTAL_S = 30.0  # for one text
MAX_URL = 8000  # a text of 4000 characters has up to 36,000 in a URL: such a one is refused
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
    """template: a URL with ``{text}``, and ``{voice} {language} {rate}`` where wanted, of which the values are quoted.

    key_variable: the environment variable with the key; empty: none is sent. header: in which, scheme: before it.
    """

    template: str
    key_variable: str = ""
    header: str = "Authorization"
    scheme: str = "Bearer "

    def __post_init__(self) -> None:
        """Check the template."""
        fields = _FIELD.findall(self.template)
        for field in fields:
            if field not in FIELDS:
                raise ConfigError(unknown("field of the speech template", field, FIELDS))
        if "text" not in fields:
            raise ConfigError(f"the speech template has no {{text}}: {self.template!r:.100}")
        if not self.host or _FIELD.search(self.template.partition("://")[2].partition("/")[0]):
            raise ConfigError("the speech template is a URL with a host that is fixed: no field may be in it")

    @property
    def host(self) -> str:
        """The service's, which the operator trusts by naming it."""
        return urlsplit(self.template.partition("{")[0]).hostname or ""


class CloudSpeaker:
    """A ``Speaker``. It tells no marks.

    Raises:
        ConfigError: the environment has no key.
    """

    def __init__(self, settings: CloudSettings, fetch: Fetch) -> None:
        self._settings, self._fetch = settings, fetch
        self._headers: dict[str, str] = {}
        if settings.key_variable:
            key = os.environ.get(settings.key_variable, "")
            if not re.fullmatch(r"[\x21-\x7e]+", key):
                raise ConfigError(f"the environment variable {settings.key_variable} has no key for speech")
            self._headers = {settings.header: settings.scheme + key}

    @property
    def identity(self) -> str:
        """See ``Speaker``."""
        return f"cloud {self._settings.template}"

    def url_of(self, spoken: Spoken) -> str:
        """Where a text is spoken.

        Raises:
            SpeechError: it is too long for a URL.
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

    def speak(self, spoken: Spoken, path: Path, cancelled: Cancelled) -> tuple[str, Marks]:
        """See ``Speaker``."""
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
            raise SpeechError(f"the speech service answers with {kind[:60]!r}, no sound that is known")
        return FORMATS[kind], Marks()

    def close(self) -> None:
        """See ``Speaker``."""
