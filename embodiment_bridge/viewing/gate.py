# SPDX-License-Identifier: Apache-2.0
"""Access control of the page, decided by the headers of a request before anything is served.

A browser lets any page connect to any address of this machine, and only the Origin header tells which page it is. A
page whose own name is made to resolve to this machine (DNS rebinding) has the same origin; only Host shows it.
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
COOKIE: Final = "embodiment_bridge_viewer_"  # the port follows, because cookies are for all ports of a host


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of a request that are checked: target, header values, and whether it asks for a websocket."""

    target: str
    hosts: Sequence[str]
    origins: Sequence[str]
    cookies: Sequence[str]
    upgrade: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer that is sent instead of the page."""

    status: int
    text: str
    headers: tuple[tuple[str, str], ...] = ()


class Gate:
    """Checks each request.

    names: further host names of this machine besides `localhost`. loopback: only this machine can connect; otherwise
    the host may also be an IP address, which cannot be redirected. token: secret that a visitor needs, empty: none;
    of characters that need no quoting. port: of the page, part of the name of the cookie.
    """

    def __init__(self, names: Sequence[str], *, loopback: bool, token: str, port: int) -> None:
        self._names = {"localhost", *(name.lower() for name in names)}
        self._loopback, self._token = loopback, token.encode()
        self._cookie = f"{COOKIE}{port}"
        self.refused = 0

    def check(self, request: Request) -> Answer | None:
        """The answer to a request that is refused or redirected; None if it may go on."""
        answer = self._check_origin(request) or self._check_token(request)
        if answer is not None and answer.status != SEE_OTHER:
            self.refused += 1
        return answer

    def _check_origin(self, request: Request) -> Answer | None:
        host = request.hosts[0].lower() if len(request.hosts) == 1 else ""
        form = HOST.fullmatch(host)
        if form is None or not self._is_own_name(form[1]):
            return Answer(
                FORBIDDEN, f"The header Host {list(request.hosts)!r:.200} is not a name of this viewer.\n"
            )
        if any(origin.lower() not in (f"http://{host}", f"https://{host}") for origin in request.origins):
            return Answer(
                FORBIDDEN, f"The page {list(request.origins)!r:.200} is not a page of this viewer.\n"
            )
        return None

    def _is_own_name(self, name: str) -> bool:
        number = _number(name)
        if number is not None:
            return number.is_loopback or not self._loopback
        return name.removesuffix(".") in self._names

    def _check_token(self, request: Request) -> Answer | None:
        path, _, query = request.target.partition("?")
        given = parse_qs(query).get("token", [])
        if self._token:
            by_query = any(self._is_token(one) for one in given)
            if not by_query and not any(self._is_token(one) for one in self._kept(request)):
                return Answer(
                    UNAUTHORISED,
                    "The viewer needs its token: open the address with ?token= that it printed, or that of "
                    "token_file.\n",
                )
            if by_query and not request.upgrade:
                keep = f"{self._cookie}={self._token.decode()}; Path=/; HttpOnly; SameSite=Lax"
                return _go(path, (("Set-Cookie", keep),))
        # viser 1.1.1 reads from the query which server to connect to, and obeys that server.
        return _go(path) if query and not request.upgrade else None

    def _kept(self, request: Request) -> list[str]:
        pairs = (part.strip().partition("=") for line in request.cookies for part in line.split(";"))
        return [value for name, _, value in pairs if name == self._cookie]

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(errors="replace"), self._token)


def own_names(host: str) -> list[str]:
    """Names, besides IP addresses, by which other machines may reach this one: the given host and its own name."""
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
