# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of the stand-in, which `embodiment_bridge peer bml` runs."""

import json
import math
import select
import ssl
import sys
import threading
from collections import deque
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, parse_qs, urlsplit

from embodiment_bridge.core.closed_on_exit import ClosedOnExit
from embodiment_bridge.core.errors import ConfigError, LinkError, unknown
from embodiment_bridge.core.input_file import MOST_TEXT, check_file
from embodiment_bridge.core.listening import family_of, place
from embodiment_bridge.fetching.rules import SIGNATURE_HEADER
from embodiment_bridge.fetching.signature import read_key, sign
from embodiment_bridge.standins.bml.replies import FAULTS, Fault, link, wav

NEXT: Final = ("/request", "/reqest")  # the second is misspelt in the source of the format
MAX_NUMBER: Final = 10**9
KEPT: Final = 10_000  # requested targets
LONGEST_KEPT: Final = 2000  # characters of a target
TURN_S: Final = 0.05  # s between two checks whether a client has disconnected
CLIENT_S: Final = 30.0  # a silent client is disconnected after this


class BmlPeer(ClosedOnExit):
    """Listens after construction, serves on its own threads, ends with ``close``. Use it as a context manager.

    Args:
        host: where it listens.
        port: TCP port; 0 takes a free one, see ``port``.
        songs: documents in the chain. 0: it never ends.
        voice: length of announcements, s. music: of songs, s.
        directory: folder whose JSON files are served as /documents/NAME.json; empty: none.
        fault: every reply is this one of ``faults.FAULTS``; empty: only those under /fault/NAME.
        sign_key: file of the key by which documents are signed (X-BML-Signature); empty: they are not.
        tls: PEM file with a certificate (those that vouch for it behind it) and its key: https; empty: http.

    ``asked`` has the targets of the latest requests, oldest first.

    Raises:
        LinkError: it cannot listen there.
        ConfigError: no such fault or folder, or a file that cannot be used.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        songs: int = 0,
        voice: float = 1.0,
        music: float = 4.0,
        directory: str = "",
        fault: str = "",
        sign_key: str = "",
        tls: str = "",
    ) -> None:
        if fault and fault not in FAULTS:
            raise ConfigError(unknown("fault", fault, FAULTS))
        if directory and not Path(directory).is_dir():
            raise ConfigError(f"directory {directory!r}: there is no such folder")
        self.songs = songs
        self.seconds = {"voice": voice, "music": music}
        self.directory = directory
        self.fault = fault
        self.key = read_key(sign_key, "sign_key") if sign_key else b""
        self.secure = bool(tls)
        self.asked: deque[str] = deque(maxlen=KEPT)
        self.closing = threading.Event()
        context = _tls_context(tls) if tls else None
        self._server = _listening(host, port, self, context)
        self.host, self.port = str(self._server.server_address[0]), int(self._server.server_address[1])
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, name="bml peer", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The URL, without a slash at the end."""
        return f"{self.scheme}://{place(self.host, self.port)}"

    @property
    def scheme(self) -> str:
        """The scheme of the URL: http or https."""
        return "https" if self.secure else "http"

    @property
    def ended(self) -> bool:
        """Whether it serves no more."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Close all connections and stop listening."""
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _tls_context(path: str) -> ssl.SSLContext:
    check_file(Path(path), MOST_TEXT, "tls:")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(
            path, password=""
        )  # without a password OpenSSL would ask for it on the terminal
    except OSError as error:  # ssl.SSLError is one
        raise ConfigError(f"tls: {path}: {error.strerror or error}") from error
    return context


def _listening(host: str, port: int, peer: BmlPeer, context: ssl.SSLContext | None) -> ThreadingHTTPServer:
    class Bound(_Handler):
        owner = peer

    try:
        server = _Server((host, port), Bound)
    except (OSError, OverflowError) as error:
        raise LinkError(f"http://{place(host, port)}: cannot listen: {error}") from error
    server.daemon_threads = True
    server.tls = context
    return server


class _Server(ThreadingHTTPServer):
    """Ignores errors of clients that disconnect or refuse the certificate."""

    tls: ssl.SSLContext | None = None

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = family_of(address[0])
        super().__init__(address, handler)

    def get_request(self) -> tuple[Any, Any]:
        """Accept a client; the TLS handshake runs on its own thread later, so a slow client does not block others."""
        client, address = super().get_request()
        if self.tls is not None:
            client = self.tls.wrap_socket(client, server_side=True, do_handshake_on_connect=False)
        return client, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One request; the connection is closed after it."""

    owner: BmlPeer
    timeout = CLIENT_S
    server_version = "embodiment_bridge"
    sys_version = ""

    def do_GET(self) -> None:
        """Serve one target."""
        self.owner.asked.append(self.path[:LONGEST_KEPT])
        try:
            parts = urlsplit(self.path)
        except ValueError:  # of brackets without an address
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        name = self.owner.fault or parts.path.removeprefix("/fault/")
        try:
            if self.owner.fault or (parts.path.startswith("/fault/") and name in FAULTS):
                self._spoil(FAULTS[name])
            else:
                self._serve(parts)
        except OSError:  # the client has disconnected
            self.close_connection = True

    def _serve(self, parts: SplitResult) -> None:
        if parts.path in NEXT:
            self._next(parse_qs(parts.query))
        elif parts.path in ("/voice", "/music"):
            self._sound(parts.path[1:], parts.query)
        elif parts.path.startswith(("/media/voice", "/media/music")):
            self._sound(parts.path[7:12], parts.path)
        elif parts.path.startswith("/documents/"):
            self._document(parts.path.removeprefix("/documents/"))
        else:
            self._reply(404, "application/json", json.dumps({"error": "no such target"}).encode())

    def _next(self, query: dict[str, list[str]]) -> None:
        text = query.get("round", ["0"])[0]
        number = min(int(text), MAX_NUMBER) if text.isdecimal() and len(text) < 12 else 0
        host = self.headers.get("Host", f"{self.owner.host}:{self.owner.port}")
        last = 0 < self.owner.songs <= number + 1
        base = f"{self.owner.scheme}://{host}"
        self._reply(200, "application/json", link(base, number, last=last).encode())

    def _sound(self, kind: str, melody: str) -> None:
        self._reply(200, "audio/wav", wav(kind, melody, self.owner.seconds[kind]))

    def _document(self, name: str) -> None:
        folder = Path(self.owner.directory) if self.owner.directory else None
        known = {path.name: path for path in folder.glob("*.json")} if folder else {}
        if name in known:  # only names in the folder: a path from a client is never opened
            self._reply(200, "application/json", known[name].read_bytes())
        else:
            self._reply(404, "application/json", json.dumps({"error": "no such document"}).encode())

    def _reply(self, status: int, content_type: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        if self.owner.key and content_type == "application/json":
            self.send_header(SIGNATURE_HEADER, sign(body, self.owner.key))
        self.end_headers()
        self.wfile.write(body)

    def _spoil(self, fault: Fault) -> None:
        head_sent = False
        for part in fault.body():
            if not self._wait(part.wait):
                return
            if not head_sent:
                self._head(fault)
                head_sent = True
            self.wfile.write(part.data)

    def _head(self, fault: Fault) -> None:
        if fault.status:
            self.send_response(fault.status)
            for key, value in fault.headers.items():
                self.send_header(key, value)
            self.end_headers()

    def _wait(self, seconds: float) -> bool:
        """Wait; returns whether the client is still connected. It sends no more, so readable means disconnected."""
        turns = math.ceil(seconds / TURN_S)
        for _ in range(turns):
            readable, _, _ = select.select([self.connection], [], [], seconds / turns)
            if readable or self.owner.closing.is_set():
                return False
        return True

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing to standard error."""
