# SPDX-License-Identifier: Apache-2.0
"""Who may have the page: decided on the headers of a request alone, before anything is served.

A browser lets any page connect to any address of this machine and says only in Origin which page it is; and a page
whose own name is made to lead to this machine (DNS rebinding) is of the same origin, and shows in Host only.
"""

import hmac
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import parse_qs

FORBIDDEN, UNAUTHORISED, SEE_OTHER = 403, 401, 303
HOST: Final = re.compile(r"(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(:[0-9]{1,5})?")
COOKIE: Final = "embodiment_bridge_viewer_"  # and the port: cookies are for all ports of a host


@dataclass(frozen=True, slots=True)
class Request:
    """What counts of a request: its target, each value of a header, whether it asks for a websocket."""

    target: str
    hosts: Sequence[str]
    origins: Sequence[str]
    cookies: Sequence[str]
    upgrade: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said instead of the page."""

    status: int
    text: str
    headers: tuple[tuple[str, str], ...] = ()


class Gate:
    """Looks at each request.

    names: host names besides `localhost` that lead here. loopback: whether only this machine can connect; else each
    host may also be a number, since a number cannot be made to lead elsewhere. token: what a visitor must know,
    empty where nothing; of characters that need no quoting. port: of the page, names the cookie.
    """

    def __init__(self, names: Sequence[str], *, loopback: bool, token: str, port: int) -> None:
        self._names = {"localhost", *(name.lower() for name in names)}
        self._loopback, self._token = loopback, token.encode()
        self._cookie = f"{COOKIE}{port}"
        self.refused = 0

    def check(self, request: Request) -> Answer | None:
        """None where the request may go on."""
        answer = self._stranger(request) or self._way_in(request)
        if answer is not None and answer.status != SEE_OTHER:
            self.refused += 1
        return answer

    def _stranger(self, request: Request) -> Answer | None:
        host = request.hosts[0].lower() if len(request.hosts) == 1 else ""
        form = HOST.fullmatch(host)
        if form is None or not self._is_ours(form[1]):
            return Answer(
                FORBIDDEN, f"The header Host {list(request.hosts)!r:.200} is not a name of this viewer.\n"
            )
        if any(origin.lower() not in (f"http://{host}", f"https://{host}") for origin in request.origins):
            return Answer(
                FORBIDDEN, f"The page {list(request.origins)!r:.200} is not a page of this viewer.\n"
            )
        return None

    def _is_ours(self, name: str) -> bool:
        number = _number(name)
        if number is not None:
            return number.is_loopback or not self._loopback
        return name.removesuffix(".") in self._names

    def _way_in(self, request: Request) -> Answer | None:
        path, _, query = request.target.partition("?")
        told = parse_qs(query).get("token", [])
        if self._token:
            by_query = any(self._is_token(one) for one in told)
            if not by_query and not any(self._is_token(one) for one in self._kept(request)):
                return Answer(
                    UNAUTHORISED,
                    "The viewer wants its token: open the address with ?token= that it printed, or that of "
                    "token_file.\n",
                )
            if by_query and not request.upgrade:
                keep = f"{self._cookie}={self._token.decode()}; Path=/; HttpOnly; SameSite=Lax"
                return _go(path, (("Set-Cookie", keep),))
        # viser 1.1.1 takes from the query where to connect to, and does what it is told from there.
        return _go(path) if query and not request.upgrade else None

    def _kept(self, request: Request) -> list[str]:
        pairs = (part.strip().partition("=") for line in request.cookies for part in line.split(";"))
        return [value for name, _, value in pairs if name == self._cookie]

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(errors="replace"), self._token)


def own_names(host: str) -> list[str]:
    """Names by which other machines may call this one, beside numbers: as it was told to serve, and its own."""
    own = socket.gethostname()
    return [name for name in (host, own, f"{own}.local") if _number(name) is None]


def _go(path: str, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    # One slash: `//elsewhere` would be another host.
    return Answer(SEE_OTHER, "", (("Location", "/" + path.lstrip("/\\")), *headers))


def _number(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name.strip("[]"))
    except ValueError:
        return None
