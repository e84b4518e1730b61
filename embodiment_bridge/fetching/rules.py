# SPDX-License-Identifier: Apache-2.0
"""The rules of what may be fetched, the deadline of a fetch, and the error of a failed one."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import LinkError

SIGNATURE_HEADER: Final = "X-BML-Signature"
NOWHERE: Final = UrlPolicy(schemes=("https",), hosts=frozenset())


class FetchError(LinkError):
    """A fetch has failed. ``code`` gives the reason for programs; the text begins with it.

    URL_REFUSED ADDRESS_REFUSED (the server was not contacted), UNKNOWN_HOST UNREACHABLE BAD_STATUS BROKEN_REPLY (the
    server's side), TIMED_OUT TOO_LARGE ENCODED WRONG_TYPE TOO_MANY_REDIRECTS (a limit here), UNSIGNED BAD_SIGNATURE
    STALE (the document's proof is missing or wrong), CANCELED, BUSY.
    """

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        super().__init__(f"{code}: {text}")


@dataclass(frozen=True, slots=True)
class FetchRules:
    """The limits of all fetches. By default no host is allowed.

    policy: the allowed URLs and addresses; of its schemes only http and https can be fetched.
    host_map: host name (lower case) -> (address, port) to connect to instead, whatever the name resolves to; such a
        name must be one of the policy's trusted hosts. The server still gets the name of the URL.
    connect_s, first_byte_s: s to reach one address, and to wait for the first byte of a reply.
    max_redirects: further hops; each is checked like the first URL, and none leads from https to http.
    ca_file: PEM file of certification authorities that are trusted besides those of the system; empty: none.
    opens_ca: what users set to trust further authorities, such as the name of a parameter; a refusal mentions it.
    """

    policy: UrlPolicy = NOWHERE
    host_map: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    connect_s: float = 3.0
    first_byte_s: float = 5.0
    max_redirects: int = 3
    ca_file: str = ""
    opens_ca: str = ""


def shown(url: str) -> str:
    """A URL for people and logs: at most 200 characters, without user, query and fragment, which may hold secrets."""
    try:
        parts = urlsplit(url)
        place = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "a URL that cannot be read"
    text = f"{parts.scheme}://{place}{parts.path}{'?...' if parts.query else ''}"
    return "".join(c if c.isprintable() else "?" for c in text[:200])


SLICE_S = 0.1  # s after which a waiting fetch checks again whether it was cancelled


class Deadline:
    """Ends ``total_s`` from now; ``cancelled()`` is called before each wait."""

    def __init__(self, total_s: float, cancelled: Callable[[], bool]) -> None:
        self.total_s = total_s
        self._end = time.monotonic() + total_s
        self._cancelled = cancelled

    def left(self, most: float) -> float:
        """Limit the next wait, s: more than 0, at most ``most``.

        Raises:
            FetchError: the time is over, or the fetch was cancelled.
        """
        if self._cancelled():
            raise FetchError("CANCELED", "the fetch was cancelled")
        left = self._end - time.monotonic()
        if left <= 0.0:
            raise FetchError("TIMED_OUT", f"the fetch took more than {self.total_s:g} s in all")
        return min(left, most)
