# SPDX-License-Identifier: Apache-2.0
"""Gets the file for a media URL of a document: checks the URL, fetches the file and caches it."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Protocol
from urllib.parse import unquote, urlsplit, urlunsplit

from embodiment_bridge.bml.rules.url_policy import UrlPolicy, url_refusal
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.media.files.cache import MediaCache, key_of

MAX_MEDIUM = 50 << 20  # bytes of one remote sound file
MAX_MARKS = 4 << 20
TOTAL_S = 60.0  # s to fetch one file
SOUNDS = ("audio/*", "application/ogg", "application/octet-stream")
PLAYLISTS = ("url", "pls", "scpls")  # in the name of a type: a list of other places to open
MARKS = ("application/json", "text/json")

Cancelled = Callable[[], bool]


class Fetch(Protocol):
    """Represents the part of the guarded fetcher that media and speech use (``Fetcher.fetch_to``).

    It blocks: never on a tick.
    """

    def __call__(
        self,
        url: str,
        file: BinaryIO,
        *,
        max_bytes: int,
        accept: tuple[str, ...] = ...,
        total_s: float = ...,
        cancelled: Cancelled = ...,
        headers: Mapping[str, str] = ...,
    ) -> str:
        """Fetch ``url`` into ``file``; gives the content type, lower case and without parameters.

        With ``headers``, redirects are not followed. ``total_s``: limit for everything, s.

        Raises:
            BridgeError: the URL is refused or cannot be fetched.
        """


class MediaSources:
    """Finds media by URL: file, package, http and https.

    Args:
        policy: which URLs are allowed.
        cache: keeps fetched files.
        fetch: the guarded fetcher; None: remote media are refused.
        share: gives the share folder of a package, for ``package://NAME/PATH``; None: such URLs are refused.
    """

    def __init__(
        self,
        policy: UrlPolicy,
        cache: MediaCache,
        fetch: Fetch | None = None,
        share: Callable[[str], Path] | None = None,
    ) -> None:
        self._policy, self._cache, self._fetch, self._share = policy, cache, fetch, share

    def path_of(self, url: str, cancelled: Cancelled = lambda: False) -> Path:
        """Return the file of a sound; waits until it has been fetched.

        Raises:
            BridgeError: the URL is not allowed, the file does not exist, is too large, or is not a sound.
        """
        return self._find(url, SOUNDS, MAX_MEDIUM, cancelled)

    def marks_of(self, url: str, cancelled: Cancelled = lambda: False) -> Path:
        """Return the file of marks at a URL.

        Raises:
            BridgeError: as for ``path_of``.
        """
        return self._find(url, MARKS, MAX_MARKS, cancelled)

    def _find(self, url: str, accept: tuple[str, ...], most: int, cancelled: Cancelled) -> Path:
        reason = url_refusal(url, self._policy)
        if reason:
            raise CommandError(f"the URL is refused: {reason}")
        parts = urlsplit(url)
        if parts.scheme == "file":
            return _inside(Path(unquote(parts.path)), self._policy.media_roots)
        if parts.scheme == "package":
            if self._share is None:
                raise CommandError("package URLs are not supported here")
            share = self._share(parts.netloc)
            return _inside(share / unquote(parts.path).lstrip("/"), (str(share),))
        return self._remote(url, accept, most, cancelled)

    def _remote(self, url: str, accept: tuple[str, ...], most: int, cancelled: Cancelled) -> Path:
        name = key_of("medium", url)
        known = self._cache.find(name)
        if known is not None:
            return known
        if self._fetch is None:
            raise CommandError("this player fetches no remote media")
        with self._cache.adding(name) as path, path.open("wb") as file:
            kind = self._fetch(url, file, max_bytes=most, accept=accept, total_s=TOTAL_S, cancelled=cancelled)
            if any(word in kind for word in PLAYLISTS):
                raise CommandError(f"{redacted(url)} is a playlist ({kind[:60]}), not a sound")
        return self._cache.folder / name


def _inside(path: Path, roots: tuple[str, ...]) -> Path:
    """Return a regular file that lies under one of the folders after all symbolic links are followed.

    Raises:
        CommandError: it lies elsewhere, or does not exist.
    """
    real = Path(os.path.realpath(path))
    if not any(real.is_relative_to(os.path.realpath(root)) for root in roots):
        raise CommandError("the file is refused: its symbolic links lead out of the media folders")
    if not real.is_file():
        raise CommandError(f"there is no file {path.name!r}")
    return real


def redacted(url: str) -> str:
    """Return a URL for logs and topics: without user, query and fragment, which may hold secrets."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, parts.path, "", ""))[:300]
    except ValueError:
        return "a bad URL"
