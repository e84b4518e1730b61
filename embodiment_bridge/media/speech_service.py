# SPDX-License-Identifier: Apache-2.0
"""A small HTTP service that preprocesses documents and serves their sounds.

``POST /preprocess`` takes a document and returns it with sounds in place of text to speak; ``GET /media/NAME``
returns a sound or its marks. Service and robot may be two machines: ``public_url`` is the address by which the robot
reaches the service.
"""

import json
import re
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from typing_extensions import override

from embodiment_bridge import bml
from embodiment_bridge.core.closing import ClosedOnExit
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.core.listening import family_of, place
from embodiment_bridge.media.preprocess import preprocess
from embodiment_bridge.media.speech.store import SpeechStore

MAX_BODY = 1 << 20  # bytes of a document
AT_ONCE = 8  # requests that are served at the same time; others are refused
READ_TIMEOUT_S = 15.0  # for each read of a request
CHUNK = 65_536
_NAME = re.compile(r"/media/([0-9a-f]{40})(\.wav|\.mp3|\.ogg|\.marks\.json)")
TYPES = {".wav": "audio/wav", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".marks.json": "application/json"}


class _Server(ThreadingHTTPServer):
    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = family_of(address[0])
        super().__init__(address, handler)


class SpeechService(ClosedOnExit):
    """The service; it runs on threads of its own from its construction until ``close``.

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
        service = self

        class Handler(_Handler):
            owner = service

        try:
            self._server = _Server((host, port), Handler)
        except (OSError, OverflowError) as error:
            raise LinkError(f"cannot listen on {host} port {port}: {error}") from error
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self.public_url = (public_url or f"http://{place(host, self.port)}").rstrip("/")
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
        """The URL of a file of the store."""
        return f"{self.public_url}/media/{path.name}"

    def answer(self, text: bytes) -> tuple[HTTPStatus, str]:
        """The answer to a document, as JSON: the document without text to speak, or its problems."""
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
        """The file of a link and its content type; None when there is no such file."""
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
    timeout = READ_TIMEOUT_S

    def do_GET(self) -> None:
        """Answer with a sound or its marks."""
        self._serve(self._get)

    def do_POST(self) -> None:
        """Answer with a preprocessed document."""
        self._serve(self._post)

    def _serve(self, do: Callable[[], None]) -> None:
        if not self.owner.take_slot():
            self._give(HTTPStatus.SERVICE_UNAVAILABLE, "busy")
            return
        try:
            do()
        finally:
            self.owner.free_slot()

    def _get(self) -> None:
        found = self.owner.file(self.path)
        if found is None:
            self._give(HTTPStatus.NOT_FOUND, "there is no such file")
            return
        path, kind = found
        with path.open("rb") as file:
            size = path.stat().st_size
            self._head(HTTPStatus.OK, kind, size)
            while chunk := file.read(CHUNK):
                self.wfile.write(chunk)

    def _post(self) -> None:
        length = self.headers.get("Content-Length", "")
        if self.path != "/preprocess":
            self._give(HTTPStatus.NOT_FOUND, "documents go to /preprocess")
        elif not length.isascii() or not length.isdigit() or len(length) > 9:
            self._give(HTTPStatus.LENGTH_REQUIRED, "a document needs its Content-Length")
        elif int(length) > MAX_BODY:
            self._give(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a document has at most {MAX_BODY} bytes")
        else:
            status, text = self.owner.answer(self.rfile.read(int(length)))
            self._give(status, text, "application/json")

    def _give(self, status: HTTPStatus, text: str, kind: str = "text/plain; charset=utf-8") -> None:
        body = text.encode()
        self._head(status, kind, len(body))
        self.wfile.write(body)

    def _head(self, status: HTTPStatus, kind: str, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Pass a line of the log on to the service."""
        self.owner.log(f"{self.client_address[0]} {format % args}")
