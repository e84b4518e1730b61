# SPDX-License-Identifier: Apache-2.0
"""A small HTTP service that preprocesses documents and serves their sounds.

``POST /preprocess`` takes a document and returns it with sounds in place of text to speak; ``GET /media/NAME``
returns a sound or its marks. Service and robot may be two machines: ``public_url`` is the address by which the robot
reaches the service. Web pages of other origins are refused.
"""

import io
import json
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import urlsplit

from typing_extensions import override

from embodiment_bridge import bml
from embodiment_bridge.core.closed_on_exit import ClosedOnExit
from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.core.listening import family_of, place
from embodiment_bridge.core.same_origin import SameOrigin, is_loopback, own_names
from embodiment_bridge.core.unicode_text import one_line
from embodiment_bridge.media.preprocess import preprocess
from embodiment_bridge.media.speech.store import SpeechStore

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_BODY: Final = 1 << 20  # bytes of a document
CONNECTIONS: Final = 64  # open at the same time; further ones are closed
AT_ONCE: Final = 8  # whole requests that are answered at the same time; others are refused
READ_S: Final = 15.0  # for head and body of a request together
WRITE_S: Final = 60.0  # for its answer
CHUNK: Final = 65_536
LONGEST_LINE: Final = 300  # characters of a line of the log
_NAME = re.compile(r"/media/([0-9a-f]{40})(\.wav|\.mp3|\.ogg|\.marks\.json)")
TYPES = {".wav": "audio/wav", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".marks.json": "application/json"}


class _Server(ThreadingHTTPServer):
    """Has a thread for each connection, and no more than ``CONNECTIONS`` of them."""

    daemon_threads = True

    def __init__(
        self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], log: Callable[[str], None]
    ) -> None:
        self.address_family = family_of(address[0])
        self._log = log
        self._free = threading.BoundedSemaphore(CONNECTIONS)
        super().__init__(address, handler)

    @override
    def verify_request(self, request: object, client_address: object) -> bool:
        return self._free.acquire(blocking=False)

    @override
    def process_request_thread(
        self, request: "socket.socket | tuple[bytes, socket.socket]", client_address: object
    ) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        error = sys.exc_info()[1]
        self._log(one_line(f"{client_address}: {type(error).__name__}: {error}"))


class _Reader(io.RawIOBase):
    """Reads the bytes of a request, all of which have to arrive before ``READ_S``."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._until = time.monotonic() + READ_S

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        _limit(self._connection, self._until)
        return self._connection.recv_into(buffer)


def _limit(connection: socket.socket, until: float) -> None:
    left = until - time.monotonic()
    if left <= 0.0:
        raise TimeoutError("the peer is too slow")
    connection.settimeout(left)


def host_of_links(url: str) -> str:
    """The host of a URL to which names of sounds are added; empty for one of files.

    Raises:
        ConfigError: no link can begin with it.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise ConfigError(f"the URL of the sounds {url!r:.200} cannot be read: {error}") from None
    if not parts.scheme or (parts.scheme in ("http", "https") and not host):
        raise ConfigError(
            f"the URL of the sounds {url!r:.200} has no scheme or no host: https://media.example/speech has both"
        )
    return host


class SpeechService(ClosedOnExit):
    """Serves speech, on threads of its own from its construction until ``close``.

    Args:
        store: speaks the texts; its files are served.
        folder: where the store keeps its files.
        host, port: address to listen on; port 0 takes a free one.
        public_url: the beginning of links, by which the robot reaches this service; empty: ``http://HOST:PORT``.
        fallback: see ``preprocess``.
        strict: refuse documents that only tolerant reading would accept.
        subtrees: documents that may be used as subtrees, by name.
        log: called with one line per request.

    Raises:
        LinkError: the service cannot listen on the port.
        ConfigError: no link can begin with ``public_url``.
    """

    def __init__(
        self,
        store: SpeechStore,
        folder: Path,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        public_url: str = "",
        fallback: str = "",
        strict: bool = False,
        subtrees: Mapping[str, str] | None = None,
        log: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._slots = threading.BoundedSemaphore(AT_ONCE)
        own_name = host_of_links(public_url) if public_url else host
        service = self

        class Handler(_Handler):
            owner = service

        try:
            self._server = _Server((host, port), Handler, log)
        except (OSError, OverflowError) as error:
            raise LinkError(f"cannot listen on {host} port {port}: {error}") from error
        self.port = int(self._server.server_address[1])
        self.public_url = (public_url or f"http://{place(host, self.port)}").rstrip("/")
        loopback = is_loopback(str(self._server.server_address[0]))
        names = [own_name, *([] if loopback else own_names(host))]
        self.origin = SameOrigin("service", names, loopback=loopback)
        self.log = log
        self._store, self._folder, self._fallback = store, folder, fallback
        self._strict, self._subtrees = strict, subtrees or {}
        self._thread = threading.Thread(target=self._server.serve_forever, name="speech-service", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the service."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def link(self, path: Path) -> str:
        """Return the URL of a file of the store."""
        return f"{self.public_url}/media/{path.name}"

    def answer(self, text: bytes) -> tuple[HTTPStatus, str]:
        """Return the answer to a document, as JSON: the document without text to speak, or its problems."""
        result = bml.read(text, strict=self._strict, subtrees=self._subtrees)
        problems, document = list(result.problems), result.document
        if document is not None:
            done = preprocess(document, self._store, self.link, fallback=self._fallback)
            problems += done.problems
            if not any(problem.fatal for problem in problems):
                return HTTPStatus.OK, bml.to_json(done.document)
        texts = [str(problem) for problem in problems if problem.fatal]
        return HTTPStatus.UNPROCESSABLE_ENTITY, json.dumps({"problems": texts})

    def file(self, path: str) -> tuple[Path, str] | None:
        """Return the file of a link and its content type; None when there is no such file."""
        found = _NAME.fullmatch(path)
        if found is None:
            return None
        file = self._folder / (found.group(1) + found.group(2))
        return (file, TYPES[found.group(2)]) if file.is_file() else None

    def take_slot(self) -> bool:
        """Take one of the ``AT_ONCE`` slots; False when none is free. Give it back with ``free_slot``."""
        return self._slots.acquire(blocking=False)

    def free_slot(self) -> None:
        """Give back the slot of a request."""
        self._slots.release()


class _Handler(BaseHTTPRequestHandler):
    """Serves one request per connection."""

    owner: SpeechService

    @override
    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(_Reader(self.connection))

    def do_GET(self) -> None:
        """Answer with a sound or its marks."""
        self._serve(self._get)

    def do_POST(self) -> None:
        """Answer with a preprocessed document."""
        self._serve(self._post)

    def _serve(self, do: Callable[[], None]) -> None:
        headers = self.headers
        refusal = self.owner.origin.refusal(headers.get_all("Host", []), headers.get_all("Origin", []))
        if refusal:
            self._give(HTTPStatus.FORBIDDEN, refusal)
        else:
            do()

    def _get(self) -> None:
        found = self.owner.file(self.path)
        if found is None:
            self._give(HTTPStatus.NOT_FOUND, "there is no such file")
            return
        path, kind = found
        with path.open("rb") as file:
            self._answer(HTTPStatus.OK, kind, path.stat().st_size, file)

    def _post(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self.path != "/preprocess":
            self._give(HTTPStatus.NOT_FOUND, "documents go to /preprocess")
        elif not length.isascii() or not length.isdigit() or len(length) > 9:
            self._give(HTTPStatus.LENGTH_REQUIRED, "a document needs its Content-Length")
        elif int(length) > MAX_BODY:
            self._give(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a document has at most {MAX_BODY} bytes")
        else:
            self._preprocess(int(length))

    def _preprocess(self, length: int) -> None:
        try:
            text = self.rfile.read(length)
        except TimeoutError:
            self._give(HTTPStatus.REQUEST_TIMEOUT, f"a request has to arrive within {READ_S:g} s")
            return
        if not self.owner.take_slot():
            self._give(HTTPStatus.SERVICE_UNAVAILABLE, "busy")
            return
        try:
            status, answer = self.owner.answer(text)
        finally:
            self.owner.free_slot()
        self._give(status, answer, "application/json")

    def _give(self, status: HTTPStatus, text: str, kind: str = "text/plain; charset=utf-8") -> None:
        body = text.encode(errors="replace")
        self._answer(status, kind, len(body), io.BytesIO(body))

    def _answer(self, status: HTTPStatus, kind: str, length: int, body: BinaryIO) -> None:
        until = time.monotonic() + WRITE_S
        _limit(self.connection, until)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        while chunk := body.read(CHUNK):
            _limit(self.connection, until)
            self.wfile.write(chunk)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Pass a line of the log on to the service."""
        self.owner.log(one_line(f"{self.client_address[0]} {format % args}")[:LONGEST_LINE])
