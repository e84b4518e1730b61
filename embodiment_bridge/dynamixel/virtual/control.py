# SPDX-License-Identifier: Apache-2.0
"""The control socket of virtual buses: a Unix socket with one JSON object per line for requests and answers."""

import contextlib
import json
import select
import socket
from pathlib import Path
from typing import Any, Final

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.core.own_thread import OwnThread
from embodiment_bridge.dynamixel.virtual.requests import Requests
from embodiment_bridge.wire.line_framing import Line, LineFramer

MAX_LINE: Final = 65536  # bytes
MAX_CLIENTS: Final = 16
POLL_S: Final = 0.2  # after which the thread checks again whether it is to end
TIMEOUT_S: Final = 5.0


class ControlSocket(OwnThread):
    """Listens at ``path`` on a thread of its own, from its construction until ``close``. Only its owner may open it.

    Raises:
        LinkError: it cannot listen at ``path``.
    """

    def __init__(self, path: str, requests: Requests) -> None:
        super().__init__()
        self.path = Path(path)
        self._requests = requests
        self._listener = _listen(self.path)
        self._clients: dict[socket.socket, LineFramer] = {}
        self._start(f"control of servos {path}")

    def close(self) -> None:
        """Stop listening and close all connections."""
        super().close()
        for client in self._clients:
            client.close()
        self._listener.close()
        self.path.unlink(missing_ok=True)

    def _serve(self) -> None:
        while not self._closing.is_set():
            ready, _, _ = select.select([self._listener, *self._clients], (), (), POLL_S)
            for each in ready:
                if each is self._listener:
                    self._accept()
                else:
                    self._serve_client(each)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            client, _ = self._listener.accept()
            if len(self._clients) >= MAX_CLIENTS:
                client.close()
                return
            client.settimeout(TIMEOUT_S)
            self._clients[client] = LineFramer(MAX_LINE)

    def _serve_client(self, client: socket.socket) -> None:
        try:
            data = client.recv(MAX_LINE)
            for line in self._clients[client].feed(data):
                request = _parse(line.text) if isinstance(line, Line) else None
                answer = self._requests.answer(request)
                client.sendall(json.dumps(answer).encode() + b"\n")
        except OSError:
            data = b""
        if not data:
            del self._clients[client]
            client.close()


def ask(path: str, request: dict[str, Any]) -> dict[str, Any]:
    """Send a request to the buses behind a control socket; returns their answer.

    Raises:
        LinkError: the socket does not answer.
        ConfigError: the request is refused; the text gives the reason.
    """
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(TIMEOUT_S)
            client.connect(path)
            client.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(client.makefile("rb").readline())
    except (OSError, ValueError) as error:
        raise LinkError(f"{path}: no answer from virtual servos: {error}") from error
    if not isinstance(answer, dict) or not answer.pop("ok", False):
        raise ConfigError(str(answer.get("error") if isinstance(answer, dict) else answer))
    return answer


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _listen(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    try:
        if path.is_socket() and not _is_served(path):
            path.unlink()  # left behind by a process that was killed
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen()
    except OSError as error:
        listener.close()
        raise LinkError(f"{path}: cannot listen: {error}") from error
    return listener


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(TIMEOUT_S)
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True
