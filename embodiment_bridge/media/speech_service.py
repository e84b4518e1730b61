# SPDX-License-Identifier: Apache-2.0
"""A small HTTP service that preprocesses documents, and serves the sounds under links of its own.

``POST /preprocess`` takes a document and gives it back without text to speak; ``GET /media/NAME`` gives a sound or
its marks. Service and robot may be two machines: ``public_url`` is how the robot reaches this one.
"""

import json
import re
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from embodiment_bridge import bml
from embodiment_bridge.core.closing import ClosedOnExit
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.core.listening import family_of, place
from embodiment_bridge.media.preprocess import preprocess
from embodiment_bridge.media.speech import SpeechStore

MAX_BODY = 1 << 20  # bytes of a document
AT_ONCE = 8  # requests that are served; others are turned away
PATIENCE_S = 15.0  # for each read of a request
CHUNK = 65_536
_NAME = re.compile(r"/media/([0-9a-f]{40})(\.wav|\.mp3|\.ogg|\.marks\.json)")
TYPES = {".wav": "audio/wav", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".marks.json": "application/json"}


class _Server(ThreadingHTTPServer):
    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = family_of(address[0])
        super().__init__(address, handler)


class SpeechService(ClosedOnExit):
    """The service, on threads of its own, from its making until ``close``.

    Args:
        store: speaks; its files are served.
        folder: where the store keeps its files.
        host, port: to listen on; port 0 takes a free one.
        public_url: the beginning of links, as the robot reaches this service; empty: ``http://HOST:PORT``.
        fallback: see ``preprocess``.
        subtrees: the documents that others may name, by name.
        log: takes one line per request.

    Raises:
        LinkError: the port cannot be listened on.
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
        self._subtrees = subtrees or {}
        self._thread = threading.Thread(target=self._server.serve_forever, name="speech-service", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Listen no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def link(self, path: Path) -> str:
        """Under which URL a file of the store is found."""
        return f"{self.public_url}/media/{path.name}"

    def answer(self, text: bytes) -> tuple[HTTPStatus, str]:
        """A document without text to speak, or all its problems, as JSON."""
        result = bml.read(text, subtrees=self._subtrees)
        problems, document = list(result.problems), result.document
        if document is not None:
            done = preprocess(document, self._store, self.link, fallback=self._fallback)
            problems += done.problems
            if not any(problem.fatal for problem in problems):
                return HTTPStatus.OK, bml.to_json(done.document)
        told = [str(problem) for problem in problems if problem.fatal]
        return HTTPStatus.UNPROCESSABLE_ENTITY, json.dumps({"problems": told})

    def file(self, path: str) -> tuple[Path, str] | None:
        """The file of a link, and its content type; None when there is none."""
        found = _NAME.fullmatch(path)
        if found is None:
            return None
        file = self._folder / (found.group(1) + found.group(2))
        return (file, TYPES[found.group(2)]) if file.is_file() else None

    def take_slot(self) -> bool:
        """Whether one more request may be served; give it back with ``free_slot``."""
        return self._slots.acquire(blocking=False)

    def free_slot(self) -> None:
        """A request was served."""
        self._slots.release()


class _Handler(BaseHTTPRequestHandler):
    """One connection; one request each."""

    owner: SpeechService
    timeout = PATIENCE_S

    def do_GET(self) -> None:
        """A sound, or its marks."""
        self._serve(self._get)

    def do_POST(self) -> None:
        """A document."""
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

    def log_message(self, format: str, *args: Any) -> None:
        """To whoever runs the service."""
        self.owner.log(f"{self.client_address[0]} {format % args}")
