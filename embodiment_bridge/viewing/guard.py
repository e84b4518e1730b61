# SPDX-License-Identifier: Apache-2.0
"""Puts the gate before the server of viser, which has no place for one: HTTP and websocket alike."""

import threading
from collections.abc import Callable, Iterator
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
from embodiment_bridge.viewing.gate import Gate, Request

ProcessRequest = Callable[[ServerConnection, HttpRequest], Response | None]

# The page of viser has its scripts and styles in it. No `unsafe-eval`: no message makes a script of its text. No
# attributes: markup that got in starts nothing. And it connects to where it is from only.
POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob: data:; script-src-attr 'none'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; worker-src blob: data:; "
    "connect-src data: blob: ws://{host} wss://{host}; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS: Final = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

_starting = threading.Lock()  # one server at a time


@contextmanager
def guarded(gate: Gate) -> Iterator[None]:
    """A server of viser that is made in this context asks ``gate`` before it answers anything.

    viser 1.1.1 serves by ``websockets.asyncio.server.serve``, looked up when it starts, within its constructor.

    Raises:
        ConfigError: at the end: viser has not served that way, so what it serves is not guarded.
    """
    with _starting:
        original: Any = server.serve
        asked = False

        def serve(*words: Any, process_request: ProcessRequest | None = None, **options: Any) -> Any:
            nonlocal asked
            asked = True
            return original(*words, process_request=_asking(gate, process_request), **options)

        vars(server)["serve"] = serve
        try:
            yield
        finally:
            vars(server)["serve"] = original
    if not asked:
        raise ConfigError(f"viser {viser.__version__} cannot be guarded (it can in version 1.1.1)")


def _asking(gate: Gate, then: ProcessRequest | None) -> ProcessRequest:
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
            status = HTTPStatus(refusal.status)
            body = refusal.text.encode(errors="replace")
            told = Headers(
                [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
            )
            told.update([*refusal.headers, *HEADERS.items(), ("Cache-Control", "no-store")])
            return Response(status.value, status.phrase, told, body)
        response = None if then is None else then(connection, request)
        if response is not None:
            response.headers.update(HEADERS)
            response.headers["Content-Security-Policy"] = POLICY.format(host=asked.hosts[0])
        return response

    return process_request
