# SPDX-License-Identifier: Apache-2.0
"""Access control of the page, decided by the headers of a request before anything is served."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs

from embodiment_bridge.core.same_origin import SameOrigin

FORBIDDEN, UNAUTHORISED, SEE_OTHER = 403, 401, 303
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

    names, loopback: as of ``SameOrigin``. token: secret that a visitor needs, empty: none; of characters that need no
    quoting. port: of the page, part of the name of the cookie.
    """

    def __init__(self, names: Sequence[str], *, loopback: bool, token: str, port: int) -> None:
        self._origin = SameOrigin("viewer", names, loopback=loopback)
        self._token = token.encode()
        self._cookie = f"{COOKIE}{port}"
        self.refused = 0

    def check(self, request: Request) -> Answer | None:
        """The answer to a request that is refused or redirected; None if it may go on."""
        foreign = self._origin.refusal(request.hosts, request.origins)
        answer = Answer(FORBIDDEN, foreign) if foreign else self._check_token(request)
        if answer is not None and answer.status != SEE_OTHER:
            self.refused += 1
        return answer

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


def _go(path: str, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    # One slash: `//elsewhere` would be another host.
    return Answer(SEE_OTHER, "", (("Location", "/" + path.lstrip("/\\")), *headers))
