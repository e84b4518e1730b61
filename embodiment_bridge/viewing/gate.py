# SPDX-License-Identifier: Apache-2.0
"""Access control of the page.

Its token, the decision by the headers of a request, and its place in front of viser's server, for HTTP and
websocket.
"""

import gzip
import hmac
import logging
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

import viser
import websockets.asyncio.server as server
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.exceptions import InvalidMessage
from websockets.http11 import Request as HttpRequest
from websockets.http11 import Response

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_bytes
from embodiment_bridge.core.same_origin import SameOrigin
from embodiment_bridge.viewing import buttons
from embodiment_bridge.viewing.buttons import Press

TOKEN_VARIABLE: Final = "EMBODIMENT_BRIDGE_VIEWER_TOKEN"
# hard to guess, and without characters to be quoted in an address or a cookie
FORM: Final = re.compile(r"[A-Za-z0-9_-]{16,200}")
MOST: Final = 300  # bytes that are read from a file


def token_of_user(path: str, env: Mapping[str, str] = os.environ) -> str | None:
    """Return the token in the file ``path``, without surrounding blanks.

    Without a path that of the environment, or None.

    Raises:
        ConfigError: the file cannot be read, or the token has a wrong form; the text does not contain it.
    """
    if not path:
        given = env.get(TOKEN_VARIABLE)
        return None if given is None else _good(given, TOKEN_VARIABLE)
    text = read_bytes(Path(path).expanduser(), MOST, "parameter token_file:").decode(errors="replace").strip()
    return _good(text, f"parameter token_file: {path!r}")


def _good(text: str, source: str) -> str:
    if FORM.fullmatch(text) is None:
        raise ConfigError(
            f"{source}: not a token for the viewer: {len(text)} characters (a token has 16 to 200 of A-Z a-z 0-9 - _; "
            "`openssl rand -hex 16` makes one)"
        )
    return text


FORBIDDEN, UNAUTHORISED, SEE_OTHER = 403, 401, 303
COOKIE: Final = "embodiment_bridge_viewer_"  # the port follows, because cookies are for all ports of a host


@dataclass(frozen=True, slots=True)
class Request:
    """Holds the parts of a request that are checked: target, header values, and whether it asks for a websocket."""

    target: str
    hosts: Sequence[str]
    origins: Sequence[str]
    cookies: Sequence[str]
    upgrade: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """Represents the answer that is sent instead of the page."""

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
        """Return the answer to a request that is refused or redirected; None if it may go on."""
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


ProcessRequest = Callable[[ServerConnection, HttpRequest], Response | None]

# The page of viser has inline scripts and styles. Without `unsafe-eval` a message cannot run its text as a script;
# without script attributes injected markup cannot start a script. The page connects only to its own server.
POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob: data:; script-src-attr 'none'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; worker-src blob: data:; "
    "connect-src 'self' data: blob: ws://{host} wss://{host}; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
PING_S: Final = 1.0  # between two signs of life that are asked of a page
SILENT_S: Final = 5.0  # a page that answers none for so long is gone, and what it drove stops
HEADERS: Final = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_starting = threading.Lock()  # one server at a time
_log = logging.getLogger(__name__)


def _is_ours(record: logging.LogRecord) -> bool:
    """Leave out visitors that close before their first request, as a browser's spare connections do, or send none."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, EOFError | OSError | InvalidMessage)


_log.addFilter(_is_ours)


@contextmanager
def guarded(gate: Gate, title: str, press: Press) -> Iterator[None]:
    """Make servers of viser, created inside the block, call ``gate`` before they answer a request.

    viser 1.1.1 uses ``websockets.asyncio.server.serve``, which it looks up when it starts, in its constructor.
    ``title`` is that of its page, and ``press`` does what its buttons are for.

    Raises:
        ConfigError: at the end, if viser has not used that function, so that its server is not guarded.
    """
    with _starting:
        original: Any = server.serve
        asked = False

        def serve(*words: Any, process_request: ProcessRequest | None = None, **options: Any) -> Any:
            nonlocal asked
            asked = True
            options |= {"ping_interval": PING_S, "ping_timeout": SILENT_S, "logger": _log}
            return original(*words, process_request=_checked(gate, title, press, process_request), **options)

        vars(server)["serve"] = serve
        try:
            yield
        finally:
            vars(server)["serve"] = original
    if not asked:
        raise ConfigError(f"viser {viser.__version__} cannot be guarded (it can in version 1.1.1)")


def _make_own(response: Response, title: str) -> None:
    """Put the title and script into the page of viser, whose client sets no title of its own."""
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return
    packed = response.headers.get("Content-Encoding") == "gzip"
    body = gzip.decompress(response.body) if packed else response.body
    body = buttons.own(body, title)
    response.body = gzip.compress(body, compresslevel=1) if packed else body
    del response.headers["Content-Length"]
    response.headers["Content-Length"] = str(len(response.body))


def _own_response(number: int, kind: str, body: bytes, more: Sequence[tuple[str, str]] = ()) -> Response:
    headers = Headers([("Content-Type", kind), ("Content-Length", str(len(body)))])
    headers.update([*more, *HEADERS.items(), ("Cache-Control", "no-store")])
    return Response(number, HTTPStatus(number).phrase, headers, body)


def _checked(gate: Gate, title: str, press: Press, then: ProcessRequest | None) -> ProcessRequest:
    def process_request(connection: ServerConnection, request: HttpRequest) -> Response | None:
        headers = request.headers
        asked = Request(
            request.path,
            headers.get_all("Host"),
            headers.get_all("Origin"),
            headers.get_all("Cookie"),
            upgrade="Upgrade" in headers,
        )
        refusal = gate.check(asked)
        if refusal is not None:
            body = refusal.text.encode(errors="replace")
            return _own_response(refusal.status, "text/plain; charset=utf-8", body, refusal.headers)
        if asked.target == buttons.PATH:
            body = buttons.answer(press, headers.get_all(buttons.HEADER))
            return _own_response(HTTPStatus.OK, "text/plain", body)
        response = None if then is None else then(connection, request)
        if response is not None:
            _make_own(response, title)
            response.headers.update(HEADERS)
            response.headers["Content-Security-Policy"] = POLICY.format(host=asked.hosts[0])
        return response

    return process_request
