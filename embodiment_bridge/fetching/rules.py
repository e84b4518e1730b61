# SPDX-License-Identifier: Apache-2.0
"""What may be fetched, and how a fetch fails."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import LinkError

SIGNATURE_HEADER: Final = "X-BML-Signature"
NOWHERE: Final = UrlPolicy(schemes=("https",), hosts=frozenset())


class FetchError(LinkError):
    """Nothing was fetched. ``code`` says why, for programs; the text begins with it.

    URL_REFUSED ADDRESS_REFUSED (never asked), UNKNOWN_HOST UNREACHABLE BAD_STATUS BROKEN_REPLY (the server's side),
    TIMED_OUT TOO_LARGE ENCODED WRONG_TYPE TOO_MANY_REDIRECTS (a limit of ours), UNSIGNED BAD_SIGNATURE STALE (a
    document that proves too little), CANCELED, BUSY.
    """

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        super().__init__(f"{code}: {text}")


@dataclass(frozen=True, slots=True)
class FetchRules:
    """Limits of every fetch. By default no host is allowed.

    policy: which URLs and addresses; of its schemes only http and https are fetched here.
    host_map: host name (lower case) -> (address, port) to connect to instead, whatever the name resolves to; such a
        name must be one of the policy's trusted hosts. The server still hears the name of the URL.
    connect_s, first_byte_s: s to reach one address, and to wait for the first byte of a reply.
    max_redirects: hops after the first; each is checked as the first one was, and none leaves https for http.
    ca_file: PEM file of certification authorities that are trusted beside those of the system; empty: none.
    opens_ca: what people set to trust more of them, such as a parameter's name; a refusal names it.
    """

    policy: UrlPolicy = NOWHERE
    host_map: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    connect_s: float = 3.0
    first_byte_s: float = 5.0
    max_redirects: int = 3
    ca_file: str = ""
    opens_ca: str = ""


def shown(url: str) -> str:
    """A URL for people and logs: at most 200 characters, without user, query and fragment, where secrets are."""
    try:
        parts = urlsplit(url)
        place = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "a URL that cannot be read"
    text = f"{parts.scheme}://{place}{parts.path}{'?...' if parts.query else ''}"
    return "".join(c if c.isprintable() else "?" for c in text[:200])
