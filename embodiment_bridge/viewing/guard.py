# SPDX-License-Identifier: Apache-2.0
"""Puts the gate in front of the server of viser, for HTTP and websocket; viser itself has no hook for it."""

import gzip
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final

import viser
import websockets.asyncio.server as server
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request as HttpRequest
from websockets.http11 import Response

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.viewing import buttons, page_script
from embodiment_bridge.viewing.buttons import Press
from embodiment_bridge.viewing.gate import Gate, Request

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


@contextmanager
def guarded(gate: Gate, title: str, press: Press) -> Iterator[None]:
    """A server of viser that is made in this context calls ``gate`` before it answers a request.

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
            options |= {"ping_interval": PING_S, "ping_timeout": SILENT_S}
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
    body = page_script.own(body, title)
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
