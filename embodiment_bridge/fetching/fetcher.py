# SPDX-License-Identifier: Apache-2.0
"""Fetches one URL under rules. It blocks: call it on a thread that may wait."""

import http.client
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, BinaryIO, Final, NoReturn
from urllib.parse import urljoin, urlsplit

from embodiment_bridge.bml.rules.url_policy import url_refusal
from embodiment_bridge.core.errors import unknown
from embodiment_bridge.fetching.connection import GuardedConnection, places_of
from embodiment_bridge.fetching.rules import SIGNATURE_HEADER, Deadline, FetchError, FetchRules, shown

JSON_TYPES: Final = ("application/json", "text/json", "application/*+json")
SOUND_TYPES: Final = ("audio/*", "application/ogg", "application/octet-stream")
MAX_DOCUMENT: Final = 1 << 20  # bytes; of a BML document
TOTAL_S: Final = 10.0
CHUNK: Final = 16_384  # bytes
NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
REDIRECTS: Final = (301, 302, 303, 307, 308)


@dataclass(frozen=True, slots=True)
class Reply:
    """The whole body, its content type (lower case, without parameters), and its X-BML-Signature (empty: none)."""

    body: bytes
    content_type: str
    signature: str = ""


def _never() -> bool:
    return False


class Fetcher:
    """Fetches under ``rules``. It keeps no connection and no state, so that threads may share it."""

    def __init__(self, rules: FetchRules) -> None:
        self.rules = rules

    def fetch_bytes(self, url: str, *, max_bytes: int = MAX_DOCUMENT, **options: Any) -> Reply:
        """Like ``fetch_to``, but into memory.

        Raises:
            FetchError: see ``fetch_to``.
        """
        file = io.BytesIO()
        reply = self._fetch(url, file, max_bytes=max_bytes, **{"accept": JSON_TYPES, **options})
        return replace(reply, body=file.getvalue())

    def fetch_to(self, url: str, file: BinaryIO, *, max_bytes: int, **options: Any) -> str:
        """Fetch ``url`` into a file; after an error the file may have a part of it.

        Args:
            url: http or https, as far as the rules allow.
            file: the body is written to it.
            max_bytes: of the body.
            options: ``accept``, a tuple of content types, in which ``*`` stands for any text; ``total_s``, s for
                everything, including name lookup and redirects; ``cancelled``, a function that cancels the fetch when
                it returns True, called ten times a second; ``method``, GET or POST; ``body`` of a POST; ``headers``,
                additional ones, such as a key: with them, and for a POST, redirects are not followed.

        Returns:
            The content type, lower case, without parameters.

        Raises:
            FetchError: the URL is refused, the server is not reached, the reply is bad, or a limit is exceeded. The
                text has no secrets of the URL.
        """
        return self._fetch(url, file, max_bytes=max_bytes, **options).content_type

    def _fetch(
        self,
        url: str,
        file: BinaryIO,
        *,
        max_bytes: int,
        accept: tuple[str, ...] = SOUND_TYPES,
        total_s: float = TOTAL_S,
        cancelled: Callable[[], bool] = _never,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> Reply:
        deadline = Deadline(total_s, cancelled)
        sent = {"Accept": ", ".join(accept), "Accept-Encoding": "identity", "Connection": "close", **headers}
        for _ in range(self.rules.max_redirects + 1):
            connection = self._reach(url, deadline, max_bytes)
            try:
                connection.request(method, _target(url), body=body, headers=sent)
                reply = connection.getresponse()
                if reply.status not in REDIRECTS:
                    return _read_reply(reply, file, max_bytes, accept)
                if method != "GET" or headers:
                    raise FetchError(
                        "BAD_STATUS", f"redirected ({reply.status}); redirects are not followed here"
                    )
                url = _redirect_target(url, reply)
            except FetchError:
                raise
            except TimeoutError as error:
                raise FetchError("TIMED_OUT", f"{shown(url)}: {error}") from error
            except (OSError, http.client.HTTPException, ValueError) as error:
                text = f"{shown(url)}: {type(error).__name__}: {ascii(str(error))[:120]}"
                raise FetchError("BROKEN_REPLY", text) from error
            finally:
                connection.hang_up()
        raise FetchError("TOO_MANY_REDIRECTS", f"more than {self.rules.max_redirects}")

    def _reach(self, url: str, deadline: Deadline, max_bytes: int) -> GuardedConnection:
        """Connect to the host of a URL, after the URL and all addresses of the host have been checked."""
        refusal = url_refusal(url, self.rules.policy)
        if refusal:
            raise FetchError("URL_REFUSED", f"the URL {shown(url)} is refused: {refusal}")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https"):
            raise FetchError("URL_REFUSED", unknown("scheme to fetch by", parts.scheme, ("http", "https")))
        secure = parts.scheme == "https"
        host = (parts.hostname or "").rstrip(".")
        port = parts.port or (443 if secure else 80)
        connection = GuardedConnection(host, port, secure=secure)
        connection.reach(places_of(host, port, self.rules, deadline), self.rules, deadline, max_bytes)
        return connection


def _target(url: str) -> str:
    parts = urlsplit(url)
    # A URL of a document may have characters of other languages; on the wire they must be quoted.
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return "".join(c if c.isascii() else "".join(f"%{byte:02X}" for byte in c.encode()) for c in target)


def _redirect_target(url: str, reply: http.client.HTTPResponse) -> str:
    """The URL to which a redirect leads."""
    location = reply.getheader("Location")
    if not location:
        raise FetchError("BAD_STATUS", f"redirected ({reply.status}) without a Location")
    target = urljoin(url, location)
    if urlsplit(url).scheme == "https" and urlsplit(target).scheme != "https":
        raise FetchError("URL_REFUSED", f"redirected from https to {shown(target)}")
    return target


def _read_reply(
    reply: http.client.HTTPResponse, file: BinaryIO, max_bytes: int, accept: tuple[str, ...]
) -> Reply:
    content_type = _check_head(reply, max_bytes, accept)
    size = 0
    while chunk := reply.read(CHUNK):
        size += len(chunk)
        if size > max_bytes:
            _too_large(max_bytes)
        file.write(chunk)
    promised = reply.getheader("Content-Length")
    if promised is not None and not reply.chunked and size != int(promised):
        raise FetchError("BROKEN_REPLY", f"{size} of {promised} bytes were received")
    return Reply(b"", content_type, reply.getheader(SIGNATURE_HEADER, ""))


def _check_head(reply: http.client.HTTPResponse, max_bytes: int, accept: tuple[str, ...]) -> str:
    if reply.status != 200:
        raise FetchError("BAD_STATUS", f"the server answered {reply.status} {reply.reason[:80]!r}")
    coding = reply.getheader("Content-Encoding", "identity").strip().lower()
    transfer = reply.getheader("Transfer-Encoding", "chunked").strip().lower()
    if coding != "identity" or transfer != "chunked":
        raise FetchError(
            "ENCODED", f"the reply is encoded ({coding[:40]!r}, {transfer[:40]!r}), which was not requested"
        )
    content_type = reply.getheader("Content-Type", "").partition(";")[0].strip().lower()
    if not any(fnmatchcase(content_type, pattern) for pattern in accept):
        text = f"the content type is {content_type[:80]!r}, not one of {', '.join(accept)}"
        raise FetchError("WRONG_TYPE", text)
    promised = reply.getheader("Content-Length")
    if promised is not None and reply.length is not None and reply.length > max_bytes:
        _too_large(max_bytes)
    return content_type


def _too_large(max_bytes: int) -> NoReturn:
    raise FetchError("TOO_LARGE", f"the body has more than {max_bytes} bytes")
